/* SPDX-License-Identifier: Apache-2.0 */
/* Taking rows away: a change of the graph. */
#include "graph.h"

/* The call, one around it, or (of device work) its cause or one around that. */
static bool taken(const bool *rows, const struct trace *trace, uint32_t row)
{
    if (event_on_device(trace->kind[row])) {
        if (rows[row])
            return true;
        row = trace->cause[row];
    }
    for (; row != ROW_NONE; row = trace->parent[row])
        if (rows[row])
            return true;
    return false;
}

static bool node_taken(const struct without *without, uint32_t node)
{
    const struct graph *graph = without->graph;
    const bool in_call = graph->net.kind[node] == NODE_DEVICE || graph->net.kind[node] == NODE_CALL;
    return in_call && taken(without->rows, graph->trace, graph->row[node]);
}

static int64_t work_left(const void *without, uint32_t node)
{
    const struct without *w = without;
    return node_taken(w, node) ? 0 : w->graph->net.work[node];
}

/* Nothing waits for what is gone, and what is gone waits for nothing but its turn. */
static bool edge_left(const void *without, const struct edge *edge)
{
    return edge->kind == EDGE_ORDER || (!node_taken(without, edge->from) && !node_taken(without, edge->to));
}

struct change change_without(const struct without *without)
{
    return (struct change){.context = without, .work = work_left, .holds = edge_left};
}
