/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a thread waits for a collective whose work stands on the thread itself: sends and receives of gloo, which last
 * until the caller has waited for them, and calls that return when they are done. The graph has no node for such work,
 * only the stretch in which the thread was in no call, or in this one. There the way comes to the collective at its end.
 *
 * What the thread did between call and end was no waiting: then it is not known how long it was held up, and no hold.
 */
#ifndef GRAPH_HOLD_H
#define GRAPH_HOLD_H

#include "base/sort.h"
#include "graph.h"
#include "ops/rows/collective.h"

/* Nodes (key) and collectives of the rank (row), by node and then by end. In the arena. */
const struct keyed *graph_holds(const struct graph *graph, const struct collective_rows *collectives,
                                struct arena *arena, size_t *count);

/* When the thread could go on. */
static inline int64_t graph_hold_end_ns(const struct collective_rows *collectives, uint32_t collective)
{
    const struct collective *of = collective_row(collectives, collective);
    return of->start_ns + of->dur_ns;
}

#endif
