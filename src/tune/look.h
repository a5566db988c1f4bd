/* SPDX-License-Identifier: Apache-2.0 */
/* What one bare run of the script shows of its settings: how long steps wait for a loader, and what their optimizer takes. */
#ifndef TUNE_LOOK_H
#define TUNE_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "verify/record.h"

struct look {
    double step_ns; /* the mean behind the warm-up; 0: there is none */
    /* The loader that steps wait for longest; of a step. */
    bool has_loader;
    int64_t number; /* of the loader, as the script makes them */
    struct loader loader;
    double wait_ns, wait_low_ns, wait_high_ns; /* the mean of a step, with its 95 % interval */
    double worked;                             /* part of that in which the thread was on a processor itself */
    double optimizer_ns;                       /* of a step */
    bool may_be_fused;
    str optimizer_place; /* "FILE:LINE" */
};

struct look look_of(const struct record *record, int64_t warmup);

#endif
