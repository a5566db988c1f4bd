/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons not to trust what is concluded from traces, as they are found. */
#ifndef INPUTS_DOUBT_H
#define INPUTS_DOUBT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct doubt {
    const char *id; /* doc/numbers/trust.md has them all */
    str what;       /* in words */
    int64_t number; /* of what it is about: kernels, ranks, files; -1 */
    double share;   /* of all of them; NaN where that has no meaning */
    bool no_job;    /* the files are not ranks of one job */
};

struct doubts {
    struct arena *arena; /* of the list and its words */
    struct doubt *at;
    uint32_t count;
};

void doubts_add(struct doubts *doubts, struct doubt doubt);

/* All that say that the files are no job, as one text; "" where none does. */
str doubts_no_job(const struct doubts *doubts);

#endif
