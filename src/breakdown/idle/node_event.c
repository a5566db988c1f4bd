/* SPDX-License-Identifier: Apache-2.0 */
#include "node_event.h"

/* The innermost of a nest that was open for half of the node at least; ROW_NONE. */
static uint32_t open_over(const struct graph *graph, uint32_t node, enum nest nest)
{
    const struct trace *trace = graph->trace;
    const int64_t start = graph->net.start[node], end = graph_end_ns(graph, node), middle = start + (end - start) / 2;
    uint32_t row = trace_open_at(trace, graph_lane(graph, node), nest, middle);
    for (; row != ROW_NONE; row = trace->parent[row]) {
        const int64_t from = trace->start_ns[row] > start ? trace->start_ns[row] : start;
        const int64_t until = trace_end_ns(trace, row) < end ? trace_end_ns(trace, row) : end;
        if (2 * (until - from) >= end - start)
            return row;
    }
    return ROW_NONE;
}

uint32_t node_event(const struct graph *graph, uint32_t node)
{
    if (graph->net.kind[node] == NODE_CALL)
        return graph->row[node];
    const uint32_t frame = open_over(graph, node, NEST_PYTHON);
    const uint32_t range = frame == ROW_NONE ? open_over(graph, node, NEST_ANNOTATION) : frame;
    return range != ROW_NONE && str_starts(trace_name(graph->trace, range), S("ProfilerStep")) ? ROW_NONE : range;
}
