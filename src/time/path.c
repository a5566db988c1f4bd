/* SPDX-License-Identifier: Apache-2.0 */
#include "path.h"

struct path {
    const struct net *net;
    const struct schedule *schedule;
    path_take *take;
    void *context;
    int64_t time;  /* the path is known from here on */
    uint32_t edge; /* edges at and above this one lead to later nodes */
};

/* A predecessor and by which edge. */
struct way {
    uint32_t from, kind;
    int64_t arrival, ideal; /* with the lag; with the floor */
};

static int64_t start_of(const struct path *path, uint32_t node)
{
    return path->schedule ? path->schedule->start[node] : path->net->start[node];
}

static int64_t end_of(const struct path *path, uint32_t node)
{
    return path->schedule ? path->schedule->end[node] : net_end(path->net, node);
}

static bool holds(const struct path *path, const struct edge *edge)
{
    const struct change *change = path->schedule ? path->schedule->change : NULL;
    return !change || !change->holds || change->holds(change->context, edge);
}

static void consider(const struct path *path, const struct edge *edge, struct way *best)
{
    if (!holds(path, edge))
        return;
    const struct way way = {edge->from, edge->kind, net_arrival(path->net, path->schedule, edge),
                            time_sum(end_of(path, edge->from), net_floor(path->net, edge->to, edge->kind))};
    if (best->from == NODE_NONE || way.arrival > best->arrival ||
        (way.arrival == best->arrival && way.ideal > best->ideal))
        *best = way;
}

static struct way last_way(struct path *path, uint32_t node)
{
    const struct net *net = path->net;
    const struct edge lane = {net->before[node], node, EDGE_LANE};
    struct way best = {NODE_NONE, EDGE_KINDS_MOST, 0, 0};
    while (path->edge && net->edges[path->edge - 1].to > node)
        path->edge--;
    const bool alone = !path->edge || net->edges[path->edge - 1].to != node; /* then there is nothing to compare */
    if (lane.from != NODE_NONE && alone && holds(path, &lane))
        return (struct way){lane.from, EDGE_LANE, 0, 0};
    if (lane.from != NODE_NONE)
        consider(path, &lane, &best);
    for (uint32_t e = path->edge; e && net->edges[e - 1].to == node; e--)
        consider(path, &net->edges[e - 1], &best);
    return best;
}

/* Takes the part [start, time) of the path, if there is any. */
static void take(struct path *path, int64_t start, uint32_t node, bool waiting, uint32_t via)
{
    if (start >= path->time)
        return;
    const struct path_part part = {start < 0 ? 0 : start, path->time, node, waiting, via};
    path->time = part.start;
    path->take(path->context, &part);
}

void net_path(const struct net *net, const struct schedule *schedule, uint32_t last, path_origin *origin,
              const void *of_origin, path_take *visit, void *context)
{
    if (last == NODE_NONE)
        return;
    struct path path = {net, schedule, visit, context, 0, net->edge_count};
    path.time = end_of(&path, last);
    for (uint32_t node = last; node != NODE_NONE;) {
        take(&path, start_of(&path, node), node, false, EDGE_KINDS_MOST);
        struct way way = last_way(&path, node);
        if (way.from == NODE_NONE && origin)
            way.from = origin(of_origin, node, &way.kind);
        take(&path, way.from == NODE_NONE ? 0 : end_of(&path, way.from), node, true, way.kind);
        node = way.from;
    }
}
