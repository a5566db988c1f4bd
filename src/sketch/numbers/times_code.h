/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times as whole units and what is left below one: nothing mostly, which costs next to nothing. A unit is the step of the
 * clock that was recorded, or more where times are rounded. Any time is told exactly.
 */
#ifndef SKETCH_TIMES_CODE_H
#define SKETCH_TIMES_CODE_H

#include "breakdown/ranks/ranks.h"
#include "sketch/file/code.h"

enum { TIMES_BITS = 20 }; /* times are rounded to less than 2^20 ns */

struct times_code {
    struct code *code;
    int64_t unit; /* 1 or more */
    uint32_t odd; /* column of what is left */
};

/* Of what was recorded: 1000 where nearly all is whole microseconds, else 1. */
int64_t times_grain(const struct rank_numbers *numbers);

/* What takes most of the time between collectives: it is what the others leave. */
enum rank_time times_largest(const struct rank_numbers *numbers);

void times_code(const struct times_code *t, uint32_t column, int64_t *value, int64_t expected,
                struct code_bounds within);

#endif
