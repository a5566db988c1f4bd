/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where ranks of one job wait for each other on threads of the host in calls that have no node of their own: matched, and
 * set on one clock, as `ranks` does it.
 */
#ifndef BREAKDOWN_RANKS_HOST_WAITS_H
#define BREAKDOWN_RANKS_HOST_WAITS_H

#include "graph/graph.h"
#include "ranks.h"
#include "time/split.h"

struct waiting_rank {
    const struct graph *graph;
    const struct work_classes *classes;
    struct split_wait *waits; /* filled */
    uint32_t wait_count;
};

/* Fills the waits, in the arena. What is doubtful of who met whom. */
struct match_doubt waits_find(struct waiting_rank *ranks, uint32_t count, const struct selection *selection,
                              struct arena *arena);

#endif
