/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a graph meets those of other ranks: of each collective the node at whose start the rank comes to it, and the node
 * that lasts until all have come, which is its work, or the thread that waits for it (hold.h).
 */
#ifndef GRAPH_MEETS_H
#define GRAPH_MEETS_H

#include "hold.h"

/* Nodes (key) and collectives (row), by node; a collective is in each list once at most, but may hold several nodes. */
struct graph_meets {
    const struct keyed *entries; /* of a kernel its node, on the host that of the call */
    const struct keyed *works;   /* the node that is its work */
    const struct keyed *holds;   /* nodes in which a thread waits for one whose work has no node; then by end */
    size_t entry_count, work_count, hold_count;
};

/* In the arena. */
struct graph_meets graph_meets_of(const struct graph *graph, const struct collective_rows *collectives,
                                  struct arena *arena);

#endif
