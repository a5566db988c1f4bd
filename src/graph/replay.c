/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/floors.h"

struct replaying {
    const struct graph *graph;
    const struct change *change;
    const bool *stops; /* by node; NULL: none */
    int64_t *start_ns, *end_ns;
    uint32_t node; /* at hand */
    uint32_t edge; /* first edge into it or a later node */
};

int64_t change_work_ns(const struct change *change, const struct graph *graph, uint32_t node)
{
    return change && change->work_ns ? change->work_ns(change->context, graph, node) : graph->work_ns[node];
}

static bool holds(const struct replaying *replay, uint32_t from, uint32_t to, enum edge_kind kind)
{
    const struct change *change = replay->change;
    return !change || !change->holds || change->holds(change->context, replay->graph, from, to, kind);
}

/* When the last of the predecessors lets the node go: as recorded, and after the change. INT64_MIN: there is none. */
struct arrival {
    int64_t recorded_ns, changed_ns;
};

static void meet(const struct replaying *replay, uint32_t from, uint32_t to, enum edge_kind kind,
                 struct arrival *arrival)
{
    const int64_t lag = edge_lag_ns(replay->graph, from, to, kind);
    const int64_t recorded = graph_end_ns(replay->graph, from) + lag;
    if (recorded > arrival->recorded_ns)
        arrival->recorded_ns = recorded;
    if (replay->end_ns[from] + lag > arrival->changed_ns && holds(replay, from, to, kind))
        arrival->changed_ns = replay->end_ns[from] + lag;
}

static bool gone(const struct replaying *replay, uint32_t node)
{
    const struct change *change = replay->change;
    return change && change->gone && change->gone(change->context, replay->graph, node);
}

static void pass_node(struct replaying *replay, uint32_t node)
{
    const uint32_t before = replay->graph->before[node];
    replay->start_ns[node] = before == NODE_NONE ? 0 : replay->end_ns[before]; /* nobody waits for the first */
    replay->end_ns[node] = replay->start_ns[node];
}

/* Its start, from all that it waits for. */
static void begin_node(struct replaying *replay, uint32_t node)
{
    const struct graph *graph = replay->graph;
    struct arrival arrival = {INT64_MIN, INT64_MIN};
    if (graph->before[node] != NODE_NONE)
        meet(replay, graph->before[node], node, EDGE_ORDER, &arrival);
    while (replay->edge < graph->edge_count && graph->edges[replay->edge].to < node)
        replay->edge++; /* of nodes that are gone */
    for (; replay->edge < graph->edge_count && graph->edges[replay->edge].to == node; replay->edge++)
        meet(replay, graph->edges[replay->edge].from, node, graph->edges[replay->edge].kind, &arrival);
    replay->start_ns[node] = graph->start_ns[node];
    if (arrival.changed_ns != INT64_MIN)
        replay->start_ns[node] += arrival.changed_ns - arrival.recorded_ns;
}

struct replaying *graph_replay_open(const struct graph *graph, const struct change *change, const bool *stops,
                                    struct arena *arena)
{
    struct replaying *replay = arena_alloc(arena, sizeof *replay);
    *replay = (struct replaying){graph,
                                 change,
                                 stops,
                                 arena_array(arena, graph->count, sizeof(int64_t)),
                                 arena_array(arena, graph->count, sizeof(int64_t)),
                                 0,
                                 0};
    return replay;
}

uint32_t graph_replay_run(struct replaying *replay, int64_t *start_ns)
{
    for (; replay->node < replay->graph->count; replay->node++) {
        const uint32_t node = replay->node;
        if (gone(replay, node)) {
            pass_node(replay, node);
            continue;
        }
        begin_node(replay, node);
        if (replay->stops && replay->stops[node]) {
            *start_ns = replay->start_ns[node];
            return node;
        }
        replay->end_ns[node] = replay->start_ns[node] + change_work_ns(replay->change, replay->graph, node);
    }
    return NODE_NONE;
}

void graph_replay_end(struct replaying *replay, int64_t end_ns)
{
    replay->end_ns[replay->node++] = end_ns;
}

struct schedule graph_replay_close(const struct replaying *replay)
{
    int64_t span = 0;
    for (uint32_t node = 0; node < replay->graph->count; node++)
        span = replay->end_ns[node] > span ? replay->end_ns[node] : span;
    return (struct schedule){replay->change, replay->start_ns, replay->end_ns, span};
}

struct schedule graph_replay(const struct graph *graph, const struct change *change, struct arena *arena)
{
    struct replaying *replay = graph_replay_open(graph, change, NULL, arena);
    int64_t start_ns;
    graph_replay_run(replay, &start_ns);
    return graph_replay_close(replay);
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
