/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest path, walked backwards. A node's last predecessor is the one whose
 * end plus lag comes last; where several were just in time, the one that could
 * least have come earlier: its floor, not its lag, decides.
 */
#include "graph/floors.h"

struct path {
    const struct graph *graph;
    const struct schedule *schedule;
    path_take *take;
    void *context;
    int64_t time_ns; /* the path is known from here on */
    uint32_t edge;   /* edges at and above this one lead to later nodes */
};

/* A predecessor and by which edge. */
struct way {
    uint32_t from;
    enum edge_kind kind;
    int64_t arrival_ns, ideal_ns; /* with the lag; with the floor */
};

static int64_t start_of(const struct path *path, uint32_t node)
{
    return path->schedule ? path->schedule->start_ns[node] : path->graph->start_ns[node];
}

static int64_t end_of(const struct path *path, uint32_t node)
{
    return path->schedule ? path->schedule->end_ns[node] : graph_end_ns(path->graph, node);
}

static bool holds(const struct path *path, uint32_t from, uint32_t to, enum edge_kind kind)
{
    const struct change *change = path->schedule ? path->schedule->change : NULL;
    return !change || !change->holds || change->holds(change->context, path->graph, from, to, kind);
}

static void consider(const struct path *path, uint32_t from, uint32_t to, enum edge_kind kind, struct way *best)
{
    if (!holds(path, from, to, kind))
        return;
    const int64_t end = end_of(path, from);
    const struct way way = {from, kind, end + edge_lag_ns(path->graph, from, to, kind),
                            end + edge_floor_ns(path->graph, to, kind)};
    const bool later = best->from == NODE_NONE || way.arrival_ns > best->arrival_ns ||
                       (way.arrival_ns == best->arrival_ns && way.ideal_ns > best->ideal_ns);
    if (later)
        *best = way;
}

static struct way last_way(struct path *path, uint32_t node)
{
    const struct graph *graph = path->graph;
    struct way best = {NODE_NONE, EDGE_NONE, 0, 0};
    if (graph->before[node] != NODE_NONE)
        consider(path, graph->before[node], node, EDGE_ORDER, &best);
    while (path->edge && graph->edges[path->edge - 1].to > node)
        path->edge--;
    for (uint32_t e = path->edge; e && graph->edges[e - 1].to == node; e--)
        consider(path, graph->edges[e - 1].from, node, graph->edges[e - 1].kind, &best);
    return best;
}

/* A thread of the host whose beginning nothing explains was begun by the training thread. */
static struct way started_by_main(const struct path *path, uint32_t node)
{
    const struct graph *graph = path->graph;
    const struct way none = {NODE_NONE, EDGE_NONE, 0, 0};
    const uint32_t lane = graph_lane(graph, node);
    if (graph->kind[node] == NODE_DEVICE || lane == graph->main_lane)
        return none;
    while (node-- > 0)
        if (graph->kind[node] != NODE_DEVICE && graph_lane(graph, node) == graph->main_lane)
            return (struct way){node, EDGE_THREAD, 0, 0};
    return none;
}

/* Takes the part [start, time) of the path, if there is any. */
static void take(struct path *path, int64_t start_ns, uint32_t node, bool waiting, enum edge_kind via)
{
    if (start_ns >= path->time_ns)
        return;
    const struct path_part part = {start_ns < 0 ? 0 : start_ns, path->time_ns, node, waiting, via};
    path->time_ns = part.start_ns;
    path->take(path->context, &part);
}

void graph_path(const struct graph *graph, const struct schedule *schedule, uint32_t last, path_take *visit,
                void *context)
{
    if (last == NODE_NONE)
        return;
    struct path path = {graph, schedule, visit, context, 0, graph->edge_count};
    path.time_ns = end_of(&path, last);
    for (uint32_t node = last; node != NODE_NONE;) {
        take(&path, start_of(&path, node), node, false, EDGE_NONE);
        struct way way = last_way(&path, node);
        if (way.from == NODE_NONE)
            way = started_by_main(&path, node);
        take(&path, way.from == NODE_NONE ? 0 : end_of(&path, way.from), node, true, way.kind);
        node = way.from;
    }
}

uint32_t graph_last(const struct graph *graph, const struct schedule *schedule)
{
    const struct path path = {.graph = graph, .schedule = schedule};
    uint32_t last = NODE_NONE;
    for (uint32_t node = 0; node < graph->count; node++) {
        const bool counts = graph->kind[node] == NODE_DEVICE || graph_lane(graph, node) == graph->main_lane;
        if (counts && (last == NODE_NONE || end_of(&path, node) > end_of(&path, last)))
            last = node;
    }
    return last;
}
