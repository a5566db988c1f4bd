/* SPDX-License-Identifier: Apache-2.0 */
/* What the screen shows of all ranks together, summed rank by rank. */
#ifndef BREAKDOWN_SUMMARY_GATHER_H
#define BREAKDOWN_SUMMARY_GATHER_H

#include "summary_top.h"

/* Sums over all ranks. */
struct gathered {
    struct facts facts;
    struct work_figures work;
    double ideal_ns;
    int64_t device_ns[PHASES], host_ns[PHASES]; /* by phase */
    str device;                                 /* of the first rank */
    uint32_t sketched;
    struct tops_adding tops;
};

/* The details of one rank at a time are in memory, but where they are kept anyway. Texts go to the arena. */
struct gathered summary_gather(const struct summary *const *ranks, uint32_t count, struct arena *arena);

#endif
