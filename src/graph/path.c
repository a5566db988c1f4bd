/* SPDX-License-Identifier: Apache-2.0 */
/* The longest path of a trace: where it ends, and where threads of the host come from. */
#include "graph.h"

static uint32_t started_by_main(const void *of, uint32_t node, uint32_t *via)
{
    const struct graph *graph = of;
    if (graph->net.kind[node] == NODE_DEVICE || graph_lane(graph, node) == graph->main_lane)
        return NODE_NONE;
    while (node-- > 0)
        if (graph->net.kind[node] != NODE_DEVICE && graph_lane(graph, node) == graph->main_lane) {
            *via = EDGE_THREAD;
            return node;
        }
    return NODE_NONE;
}

void graph_path(const struct graph *graph, const struct schedule *schedule, uint32_t last, path_take *take,
                void *context)
{
    net_path(&graph->net, schedule, last, started_by_main, graph, take, context);
}

uint32_t graph_before(const struct graph *graph, struct path_back *back, uint32_t node, uint32_t *via)
{
    const uint32_t before = path_before(back, node, via);
    return before == NODE_NONE ? started_by_main(graph, node, via) : before;
}

uint32_t graph_last(const struct graph *graph, const struct schedule *schedule)
{
    uint32_t last = NODE_NONE;
    for (uint32_t node = 0; node < graph->net.count; node++) {
        const bool counts = graph->net.kind[node] == NODE_DEVICE || graph_lane(graph, node) == graph->main_lane;
        if (counts &&
            (last == NODE_NONE || schedule_end_ns(graph, schedule, node) > schedule_end_ns(graph, schedule, last)))
            last = node;
    }
    return last;
}
