/* SPDX-License-Identifier: Apache-2.0 */
#include "floors.h"

#include <stdlib.h>

#include "base/order.h"
#include "base/stat.h"

enum { SAMPLES = 1 << 14 };

/* Every n-th of what comes, n doubling, so that memory is bounded and the whole trace is represented. */
struct sample {
    int64_t *at;
    uint32_t count;
    uint64_t seen, stride;
};

static void thin(struct sample *sample)
{
    for (uint32_t i = 0; i < SAMPLES / 2; i++)
        sample->at[i] = sample->at[2 * i];
    sample->count = SAMPLES / 2;
    sample->stride *= 2;
}

static void take(struct sample *sample, int64_t value)
{
    if (value < 0 || sample->seen++ % sample->stride)
        return;
    if (sample->count == SAMPLES)
        thin(sample);
    sample->at[sample->count++] = value;
}

static int64_t lower_quartile(struct sample *sample)
{
    if (!sample->count)
        return 0;
    qsort(sample->at, sample->count, sizeof *sample->at, ascending_ints);
    return (int64_t)stat_quantile(sample->at, sample->count, 0.25);
}

/* Between host and host nothing lies but what is recorded. */
static void set_floors(struct graph *graph)
{
    for (uint32_t kind = 0; kind < NET_KINDS; kind++) {
        graph->net.floor[kind][EDGE_LAUNCH] = graph->launch_floor_ns;
        graph->net.floor[kind][EDGE_STREAM] = graph->order_floor_ns;
    }
    graph->net.floor[NODE_DEVICE][EDGE_ORDER] = graph->order_floor_ns;
}

/*
 * Work launched after its stream had run dry shows what a launch takes; work
 * launched before shows what the step from one to the next takes.
 */
void graph_find_floors(struct graph *graph)
{
    struct arena scratch = {0};
    struct sample launch = {arena_room(&scratch, SAMPLES, sizeof(int64_t)), 0, 0, 1};
    struct sample order = {arena_room(&scratch, SAMPLES, sizeof(int64_t)), 0, 0, 1};
    for (uint32_t e = 0; e < graph->net.edge_count; e++) {
        const struct edge *edge = &graph->net.edges[e];
        const uint32_t before = graph->net.before[edge->to];
        if (edge->kind != EDGE_LAUNCH || before == NODE_NONE)
            continue;
        const int64_t launched = graph_end_ns(graph, edge->from), free_ns = graph_end_ns(graph, before);
        if (launched > free_ns)
            take(&launch, graph->net.start[edge->to] - launched);
        else
            take(&order, graph->net.start[edge->to] - free_ns);
    }
    graph->launch_floor_ns = lower_quartile(&launch);
    graph->order_floor_ns = lower_quartile(&order);
    set_floors(graph);
    arena_free(&scratch);
}
