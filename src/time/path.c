/* SPDX-License-Identifier: Apache-2.0 */
#include "path.h"

struct path {
    struct path_back back;
    path_take *take;
    void *context;
    int64_t time; /* the path is known from here on */
};

/* A predecessor and by which edge. */
struct way {
    uint32_t from, kind;
    int64_t arrival, ideal; /* with the lag; with the floor */
};

static int64_t start_of(const struct path_back *back, uint32_t node)
{
    return back->schedule ? back->schedule->start[node] : back->net->start[node];
}

static int64_t end_of(const struct path_back *back, uint32_t node)
{
    return back->schedule ? back->schedule->end[node] : net_end(back->net, node);
}

static bool holds(const struct path_back *back, const struct edge *edge)
{
    const struct change *change = back->schedule ? back->schedule->change : NULL;
    return !change || !change->holds || change->holds(change->context, edge);
}

static void consider(const struct path_back *back, const struct edge *edge, struct way *best)
{
    if (!holds(back, edge))
        return;
    const struct way way = {edge->from, edge->kind, net_arrival(back->net, back->schedule, edge),
                            time_sum(end_of(back, edge->from), net_floor(back->net, edge->to, edge->kind))};
    if (best->from == NODE_NONE || way.arrival > best->arrival ||
        (way.arrival == best->arrival && way.ideal > best->ideal))
        *best = way;
}

static struct way last_way(struct path_back *back, uint32_t node)
{
    const struct net *net = back->net;
    const struct edge lane = {net->before[node], node, EDGE_LANE};
    struct way best = {NODE_NONE, EDGE_KINDS_MOST, 0, 0};
    while (back->edge && net->edges[back->edge - 1].to > node)
        back->edge--;
    const bool alone = !back->edge || net->edges[back->edge - 1].to != node; /* then there is nothing to compare */
    if (lane.from != NODE_NONE && alone && holds(back, &lane))
        return (struct way){lane.from, EDGE_LANE, 0, 0};
    if (lane.from != NODE_NONE)
        consider(back, &lane, &best);
    for (uint32_t e = back->edge; e && net->edges[e - 1].to == node; e--)
        consider(back, &net->edges[e - 1], &best);
    return best;
}

struct path_back path_back_of(const struct net *net, const struct schedule *schedule)
{
    return (struct path_back){net, schedule, net->edge_count};
}

uint32_t path_before(struct path_back *back, uint32_t node, uint32_t *via)
{
    const struct way way = last_way(back, node);
    *via = way.kind;
    return way.from;
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
    struct path path = {path_back_of(net, schedule), visit, context, 0};
    path.time = end_of(&path.back, last);
    for (uint32_t node = last; node != NODE_NONE;) {
        uint32_t via;
        take(&path, start_of(&path.back, node), node, false, EDGE_KINDS_MOST);
        uint32_t from = path_before(&path.back, node, &via);
        if (from == NODE_NONE && origin)
            from = origin(of_origin, node, &via);
        take(&path, from == NODE_NONE ? 0 : end_of(&path.back, from), node, true, via);
        node = from;
    }
}
