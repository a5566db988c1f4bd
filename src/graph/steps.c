/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

static bool on_training_thread(const struct graph *graph, uint32_t node)
{
    return graph->net.kind[node] != NODE_DEVICE && graph_lane(graph, node) == graph->main_lane;
}

static void find_host_end(struct graph_steps *steps)
{
    const struct net *net = &steps->graph->net;
    steps->host_node = NODE_NONE;
    for (uint32_t node = 0; node < net->count && net->start[node] < steps->host_end_ns; node++)
        if (on_training_thread(steps->graph, node))
            steps->host_node = node;
}

static void find_work(struct graph_steps *steps, uint32_t step, struct arena *arena)
{
    const struct graph *graph = steps->graph;
    uint32_t *work = arena_array(arena, graph->net.count, sizeof *work);
    for (uint32_t node = 0; node < graph->net.count; node++)
        if (graph->net.kind[node] == NODE_DEVICE && trace_step(graph->trace, graph->row[node]) == step)
            work[steps->work_count++] = node;
    steps->work = work;
}

struct graph_steps graph_steps_of(const struct graph *graph, struct step_range range, struct arena *arena)
{
    struct graph_steps steps = {.graph = graph, .count = range.count, .host_node = NODE_NONE};
    if (!range.count)
        return steps;
    const uint32_t last = range.first + range.count - 1;
    steps.from_ns = graph->trace->steps[range.first].start_ns;
    steps.host_end_ns = graph->trace->steps[last].host_end_ns;
    find_host_end(&steps);
    find_work(&steps, last, arena);
    steps.until = steps.host_node == NODE_NONE ? 0 : steps.host_node + 1;
    if (steps.work_count && steps.work[steps.work_count - 1] >= steps.until)
        steps.until = steps.work[steps.work_count - 1] + 1;
    return steps;
}

/* A stretch that goes on after the last step counts in proportion. */
static int64_t host_end(const struct graph_steps *steps, const struct schedule *schedule)
{
    const struct net *net = &steps->graph->net;
    const uint32_t node = steps->host_node;
    if (node == NODE_NONE)
        return 0;
    const int64_t start = schedule ? schedule->start[node] : net->start[node];
    const int64_t end = schedule ? schedule->end[node] : net_end(net, node);
    if (net_end(net, node) <= steps->host_end_ns || !net->work[node])
        return end;
    const __int128 part = (__int128)(steps->host_end_ns - net->start[node]) * (end - start);
    return time_sum(start, (int64_t)(part / net->work[node]));
}

static int64_t device_end(const struct graph_steps *steps, const struct schedule *schedule)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < steps->work_count; i++) {
        const uint32_t node = steps->work[i];
        const int64_t end = schedule ? schedule->end[node] : net_end(&steps->graph->net, node);
        last = end > last ? end : last;
    }
    return last;
}

int64_t graph_steps_ns(const struct graph_steps *steps, const struct schedule *schedule)
{
    if (!steps->count)
        return 0;
    const int64_t host = host_end(steps, schedule), device = device_end(steps, schedule);
    const int64_t last = host > device ? host : device;
    return last > steps->from_ns ? last - steps->from_ns : 0;
}
