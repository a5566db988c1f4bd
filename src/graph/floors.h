/* SPDX-License-Identifier: Apache-2.0 */
/* How long an edge takes when nothing else holds it up, learnt from the trace itself. */
#ifndef GRAPH_FLOORS_H
#define GRAPH_FLOORS_H

#include "graph/graph.h"

/* Fills launch_floor_ns and order_floor_ns. */
void graph_find_floors(struct graph *graph);

/* The floor of an edge into a node; EDGE_ORDER for the order of its lane. */
static inline int64_t edge_floor_ns(const struct graph *graph, uint32_t to, enum edge_kind kind)
{
    if (kind == EDGE_LAUNCH)
        return graph->launch_floor_ns;
    const bool between_work = kind == EDGE_STREAM || (kind == EDGE_ORDER && graph->kind[to] == NODE_DEVICE);
    return between_work ? graph->order_floor_ns : 0;
}

static inline int64_t edge_lag_ns(const struct graph *graph, uint32_t from, uint32_t to, enum edge_kind kind)
{
    const int64_t floor = edge_floor_ns(graph, to, kind);
    const int64_t recorded = graph->start_ns[to] - graph_end_ns(graph, from);
    return recorded < floor ? recorded : floor;
}

#endif
