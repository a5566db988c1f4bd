/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that launch nothing: a run of them on one thread, from one launch or
 * wait to the next. Views, splits, checks, work on the CPU. The device waits as it
 * does for launches, but there are no launches to save.
 */
#ifndef BREAKDOWN_QUIET_H
#define BREAKDOWN_QUIET_H

#include "breakdown/verdict/lab.h"

enum {
    QUIET_NS = 1000 * 1000, /* a run takes this long or longer */
    QUIET_OPERATORS = 20,   /* stretches of operators in it, at least: one long one is told by its name */
    NOT_QUIET = UINT32_MAX,
    QUIET_NOWHERE = UINT32_MAX - 1, /* no event stands over half of the run */
};

/* By node below lab->selected.steps.until: the innermost event over half of its run or more; NOT_QUIET. NULL where nothing is launched at all. */
const uint32_t *quiet_of(const struct lab *lab, struct arena *arena);

#endif
