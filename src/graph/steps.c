/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <string.h>

#include "base/search.h"

static bool on_training_thread(const struct graph *graph, uint32_t node)
{
    return graph->net.kind[node] != NODE_DEVICE && graph_lane(graph, node) == graph->main_lane;
}

/* The last node that begins before a time, and one more. */
static uint32_t begun_by(const struct net *net, int64_t time_ns)
{
    return (uint32_t)search_time(net->start, net->count, sizeof *net->start, 0, time_ns);
}

static uint32_t find_host_node(const struct graph *graph, int64_t host_end_ns)
{
    for (uint32_t node = begun_by(&graph->net, host_end_ns); node-- > 0;)
        if (on_training_thread(graph, node))
            return node;
    return NODE_NONE;
}

/*
 * All of the last step; and the last of each stream, where that is of an earlier one: the steps do not end before it. In no
 * order.
 */
static void find_work(const struct graph *graph, struct graph_steps *steps, struct step_range range,
                      struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t lanes = graph->trace->lane_count, last = range.first + range.count - 1;
    uint32_t *work = arena_room(arena, graph->net.count, sizeof *work);
    uint32_t *newest = arena_room(&scratch, lanes, sizeof *newest);
    memset(newest, 0xFF, lanes * sizeof *newest); /* NODE_NONE */
    for (uint32_t node = 0; node < graph->net.count; node++) {
        if (graph->net.kind[node] != NODE_DEVICE)
            continue;
        const uint32_t step = trace_step(graph->trace, graph->row[node]);
        if (step == last)
            work[steps->work_count++] = node;
        if (step >= range.first && step <= last)
            newest[graph_lane(graph, node)] = step == last ? NODE_NONE : node;
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (newest[lane] != NODE_NONE)
            work[steps->work_count++] = newest[lane];
    steps->work = work;
    arena_free(&scratch);
}

struct graph_steps graph_steps_of(const struct graph *graph, struct step_range range, struct arena *arena)
{
    struct graph_steps steps = {.net = &graph->net, .count = range.count, .host_node = NODE_NONE};
    if (!range.count)
        return steps;
    const uint32_t last = range.first + range.count - 1;
    steps.from_ns = graph->trace->steps[range.first].start_ns;
    steps.host_end_ns = graph->trace->steps[last].host_end_ns;
    steps.host_node = find_host_node(graph, steps.host_end_ns);
    find_work(graph, &steps, range, arena);
    steps.until = steps.host_node == NODE_NONE ? 0 : steps.host_node + 1;
    for (uint32_t i = 0; i < steps.work_count; i++)
        if (steps.work[i] >= steps.until)
            steps.until = steps.work[i] + 1;
    return steps;
}

struct graph_steps graph_steps_joined(const struct graph_steps *steps, const struct joined *joined, struct arena *arena)
{
    struct graph_steps out = *steps;
    uint32_t *work = arena_room(arena, steps->work_count, sizeof *work);
    for (uint32_t i = 0; i < steps->work_count; i++)
        work[i] = joined->of[steps->work[i]];
    out.net = &joined->net;
    out.work = work;
    out.until = joined_until(joined, steps->until);
    if (steps->host_node != NODE_NONE)
        out.host_node = joined->of[steps->host_node];
    return out;
}

/* When nodes start and end, that of node n at [n * apart]; NULL: as recorded. */
struct times {
    const int64_t *start, *end;
    size_t apart;
};

static int64_t start_of(const struct graph_steps *steps, struct times times, uint32_t node)
{
    return times.start ? times.start[node * times.apart] : steps->net->start[node];
}

static int64_t end_of(const struct graph_steps *steps, struct times times, uint32_t node)
{
    return times.end ? times.end[node * times.apart] : net_end(steps->net, node);
}

/* A stretch that goes on after the last step counts in proportion. */
static int64_t host_end(const struct graph_steps *steps, struct times times)
{
    const struct net *net = steps->net;
    const uint32_t node = steps->host_node;
    if (node == NODE_NONE)
        return 0;
    const int64_t start = start_of(steps, times, node), end = end_of(steps, times, node);
    if (net_end(net, node) <= steps->host_end_ns || !net->work[node])
        return end;
    const __int128 part = (__int128)(steps->host_end_ns - net->start[node]) * (end - start);
    return time_sum(start, (int64_t)(part / net->work[node]));
}

static int64_t device_end(const struct graph_steps *steps, struct times times)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < steps->work_count; i++) {
        const int64_t end = end_of(steps, times, steps->work[i]);
        last = end > last ? end : last;
    }
    return last;
}

static int64_t steps_ns(const struct graph_steps *steps, struct times times)
{
    if (!steps->count)
        return 0;
    const int64_t host = host_end(steps, times), device = device_end(steps, times);
    const int64_t last = host > device ? host : device;
    return last > steps->from_ns ? last - steps->from_ns : 0;
}

static struct times times_of(const struct schedule *schedule)
{
    return schedule ? (struct times){schedule->start, schedule->end, 1} : (struct times){0};
}

int64_t graph_steps_ns(const struct graph_steps *steps, const struct schedule *schedule)
{
    return steps_ns(steps, times_of(schedule));
}

int64_t graph_time_then(const struct graph *graph, int64_t time_ns, const struct schedule *schedule)
{
    const uint32_t node = find_host_node(graph, time_sum(time_ns, 1));
    if (node == NODE_NONE)
        return time_ns;
    const int64_t into = time_ns - graph->net.start[node], work = graph->net.work[node];
    const int64_t then = schedule->end[node] - schedule->start[node];
    return into < work ? time_sum(schedule->start[node], time_share(into, work, then))
                       : time_sum(schedule->end[node], into - work);
}

int64_t graph_steps_host_end(const struct graph_steps *steps, const struct schedule *schedule)
{
    return steps->host_node == NODE_NONE ? INT64_MIN : host_end(steps, times_of(schedule));
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* One pass for all steps: of each what the device did last, and where the thread was. */
void graph_step_ends(const struct graph *graph, struct step_range range, const struct schedule *schedule, int64_t *ends)
{
    const struct step *steps = graph->trace->steps;
    const struct times times = times_of(schedule);
    struct graph_steps one = {.net = &graph->net};
    for (uint32_t i = 0; i < range.count; i++)
        ends[i] = steps[range.first].start_ns;
    for (uint32_t node = 0; node < graph->net.count; node++) {
        const bool device = graph->net.kind[node] == NODE_DEVICE;
        const uint32_t step = device ? trace_step(graph->trace, graph->row[node]) : STEP_NONE;
        if (step != STEP_NONE && step >= range.first && step - range.first < range.count)
            ends[step - range.first] = later(ends[step - range.first], end_of(&one, times, node));
    }
    for (uint32_t i = 0; i < range.count; i++) {
        one.host_end_ns = steps[range.first + i].host_end_ns;
        one.host_node = find_host_node(graph, one.host_end_ns);
        if (one.host_node != NODE_NONE)
            ends[i] = later(ends[i], host_end(&one, times));
        ends[i] = i ? later(ends[i], ends[i - 1]) : ends[i];
    }
}

void graph_steps_ns_abreast(const struct graph_steps *steps, const struct abreast *abreast, int64_t ns[ABREAST])
{
    for (int run = 0; run < ABREAST; run++)
        ns[run] = steps_ns(steps, (struct times){abreast->start + run, abreast->end + run, ABREAST});
}
