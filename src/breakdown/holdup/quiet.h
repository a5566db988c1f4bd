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

struct quiet_run {
    uint32_t first, last; /* nodes of its thread */
    uint32_t over;        /* the innermost event over half of it or more; QUIET_NOWHERE */
    uint32_t next;        /* of the same thread; NOT_QUIET */
};

struct quiet {
    const struct lab *lab;
    const struct quiet_run *at; /* NULL: there is none */
    uint32_t *now;              /* by lane: the run that may hold the nodes to come; NOT_QUIET */
};

/* Of the selected steps. None is where nothing is launched at all. In the arena; the lab must live as long. */
struct quiet quiet_of(const struct lab *lab, struct arena *arena);

/* The event over the run that holds the node; NOT_QUIET. Asked for nodes of the host, ascending. */
uint32_t quiet_over(struct quiet *quiet, uint32_t node);

#endif
