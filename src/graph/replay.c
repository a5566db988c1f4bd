/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/floors.h"

struct replay {
    const struct graph *graph;
    const struct change *change;
    int64_t *start_ns, *end_ns;
    uint32_t edge; /* first edge into the node at hand or a later one */
};

static int64_t work_ns(const struct replay *replay, uint32_t node)
{
    const struct change *change = replay->change;
    return change && change->work_ns ? change->work_ns(change->context, replay->graph, node)
                                     : replay->graph->work_ns[node];
}

static bool holds(const struct replay *replay, uint32_t from, uint32_t to, enum edge_kind kind)
{
    const struct change *change = replay->change;
    return !change || !change->holds || change->holds(change->context, replay->graph, from, to, kind);
}

/* When the last of the predecessors lets the node go: as recorded, and after the change. INT64_MIN: there is none. */
struct arrival {
    int64_t recorded_ns, changed_ns;
};

static void meet(const struct replay *replay, uint32_t from, uint32_t to, enum edge_kind kind, struct arrival *arrival)
{
    const int64_t lag = edge_lag_ns(replay->graph, from, to, kind);
    const int64_t recorded = graph_end_ns(replay->graph, from) + lag;
    if (recorded > arrival->recorded_ns)
        arrival->recorded_ns = recorded;
    if (replay->end_ns[from] + lag > arrival->changed_ns && holds(replay, from, to, kind))
        arrival->changed_ns = replay->end_ns[from] + lag;
}

static bool gone(const struct replay *replay, uint32_t node)
{
    const struct change *change = replay->change;
    return change && change->gone && change->gone(change->context, replay->graph, node);
}

static void pass_node(struct replay *replay, uint32_t node)
{
    const uint32_t before = replay->graph->before[node];
    replay->start_ns[node] = before == NODE_NONE ? 0 : replay->end_ns[before]; /* nobody waits for the first */
    replay->end_ns[node] = replay->start_ns[node];
}

static void run_node(struct replay *replay, uint32_t node)
{
    const struct graph *graph = replay->graph;
    if (gone(replay, node)) {
        pass_node(replay, node);
        return;
    }
    struct arrival arrival = {INT64_MIN, INT64_MIN};
    if (graph->before[node] != NODE_NONE)
        meet(replay, graph->before[node], node, EDGE_ORDER, &arrival);
    while (replay->edge < graph->edge_count && graph->edges[replay->edge].to < node)
        replay->edge++; /* of nodes that are gone */
    for (; replay->edge < graph->edge_count && graph->edges[replay->edge].to == node; replay->edge++)
        meet(replay, graph->edges[replay->edge].from, node, graph->edges[replay->edge].kind, &arrival);
    int64_t start = graph->start_ns[node];
    if (arrival.changed_ns != INT64_MIN)
        start += arrival.changed_ns - arrival.recorded_ns;
    replay->start_ns[node] = start;
    replay->end_ns[node] = start + work_ns(replay, node);
}

struct schedule graph_replay(const struct graph *graph, const struct change *change, struct arena *arena)
{
    struct replay replay = {graph, change, arena_array(arena, graph->count, sizeof(int64_t)),
                            arena_array(arena, graph->count, sizeof(int64_t)), 0};
    int64_t span = 0;
    for (uint32_t node = 0; node < graph->count; node++) {
        run_node(&replay, node);
        span = replay.end_ns[node] > span ? replay.end_ns[node] : span;
    }
    return (struct schedule){change, replay.start_ns, replay.end_ns, span};
}

/* ---- taking rows away ---- */

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

static bool node_taken(const bool *rows, const struct graph *graph, uint32_t node)
{
    const bool in_call = graph->kind[node] == NODE_DEVICE || graph->kind[node] == NODE_CALL;
    return in_call && taken(rows, graph->trace, graph->row[node]);
}

static int64_t work_left(const void *rows, const struct graph *graph, uint32_t node)
{
    return node_taken(rows, graph, node) ? 0 : graph->work_ns[node];
}

/* Nothing waits for what is gone, and what is gone waits for nothing but its turn. */
static bool edge_left(const void *rows, const struct graph *graph, uint32_t from, uint32_t to, enum edge_kind kind)
{
    return kind == EDGE_ORDER || (!node_taken(rows, graph, from) && !node_taken(rows, graph, to));
}

struct change change_without(const bool *rows)
{
    return (struct change){rows, work_left, edge_left, NULL};
}
