/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that launch nothing: a run of them on one thread, from one launch or
 * wait to the next. Views, splits, checks, work on the CPU. The device waits as it
 * does for launches, but there are no launches to save.
 */
#ifndef BREAKDOWN_QUIET_H
#define BREAKDOWN_QUIET_H

#include "cause.h"
#include "graph/graph.h"

enum {
    QUIET_NS = 1000 * 1000, /* a run takes this long or longer */
    QUIET_OPERATORS = 20,   /* stretches of operators in it, at least: one long one is told by its name */
    NOT_QUIET = UINT32_MAX,
    QUIET_NOWHERE = UINT32_MAX - 1, /* no event stands over half of the run */
};

struct quiet_run {
    uint32_t first, last; /* nodes of its thread */
    uint32_t over;        /* the innermost event over half of it or more; QUIET_NOWHERE */
};

/* By thread, and then in order. */
struct quiet {
    struct quiet_run *at;
    uint32_t count;
};

/* causes: by node, enum cause. None is where nothing is launched at all. In the arena. */
struct quiet quiet_of(const struct graph *graph, const uint8_t *causes, struct arena *arena);

#endif
