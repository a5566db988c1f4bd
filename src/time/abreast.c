/* SPDX-License-Identifier: Apache-2.0 */
#include "abreast.h"

#include <assert.h>

/* ---- what a node waits for ---- */

static struct hop hop_of(const struct net *net, const struct edge *edge, uint32_t freed_kind)
{
    struct hop hop = {edge->from, edge->kind, net_lag(net, edge->from, edge->to, edge->kind)};
    if (net->early >> edge->kind & 1)
        hop.flags |= HOP_FROM_START;
    else if (net_leaves(net, edge->from, edge->to, edge->kind) != net->work[edge->from])
        hop.flags |= HOP_FROM_SHARE;
    if (edge->kind == freed_kind)
        hop.flags |= HOP_FREED;
    return hop;
}

static const struct hop *hops_of(const struct net *net, uint32_t freed_kind, struct arena *arena)
{
    struct hop *hops = arena_room(arena, (size_t)net->count + net->edge_count, sizeof *hops);
    size_t count = 0;
    for (uint32_t node = 0, edge = 0; node < net->count; node++) {
        const size_t first = count;
        if (net->before[node] != NODE_NONE)
            hops[count++] = hop_of(net, &(struct edge){net->before[node], node, EDGE_LANE}, freed_kind);
        for (; edge < net->edge_count && net->edges[edge].to == node; edge++)
            hops[count++] = hop_of(net, &net->edges[edge], freed_kind);
        if (count > first)
            hops[count - 1].flags |= HOP_LAST;
    }
    return hops;
}

struct abreast abreast_open(const struct net *net, uint32_t freed_kind, struct arena *arena)
{
    assert((net->start && net->arrival && !net->carry_count) || !net->count);
    const size_t cells = (size_t)net->count * ABREAST;
    return (struct abreast){.net = net,
                            .hops = hops_of(net, freed_kind, arena),
                            .start = arena_room(arena, cells, sizeof(int64_t)),
                            .end = arena_room(arena, cells, sizeof(int64_t))};
}

/* ---- a node ---- */

static const struct hop *behind(const struct hop *hop)
{
    while (!(hop->flags & HOP_LAST))
        hop++;
    return hop + 1;
}

/* What had begun before the change: the rest changes. */
static void keep(const struct abreast *a, uint32_t node, int64_t from)
{
    const struct net *net = a->net;
    int64_t *const start = a->start + (size_t)node * ABREAST, *const end = a->end + (size_t)node * ABREAST;
    for (int run = 0; run < ABREAST; run++) {
        start[run] = net->start[node];
        end[run] = net_end(net, node) <= from
                       ? net_end(net, node)
                       : time_sum(from, time_share(net_end(net, node) - from, net->work[node], end[run]));
    }
}

/* When a hop arrives, in each run. */
static void arrive(const struct abreast *a, const struct hop *hop, uint32_t node, int64_t at[ABREAST])
{
    const int64_t *const start = a->start + (size_t)hop->from * ABREAST, *const end =
                                                                             a->end + (size_t)hop->from * ABREAST;
    if (!(hop->flags & (HOP_FROM_START | HOP_FROM_SHARE))) {
        for (int run = 0; run < ABREAST; run++)
            at[run] = time_sum(end[run], hop->lag);
        return;
    }
    const int64_t work = a->net->work[hop->from];
    const int64_t leaves = hop->flags & HOP_FROM_START ? 0 : a->net->start[node] - a->net->start[hop->from];
    for (int run = 0; run < ABREAST; run++)
        at[run] = time_sum(time_sum(start[run], time_share(leaves, work, time_sum(end[run], -start[run]))), hop->lag);
}

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When the last of its predecessors lets it go. */
static const struct hop *let_go(const struct abreast *a, const struct hop *hop, uint32_t node, int64_t at[ABREAST])
{
    arrive(a, hop, node, at);
    while (!(hop++->flags & HOP_LAST)) {
        int64_t next[ABREAST];
        arrive(a, hop, node, next);
        for (int run = 0; run < ABREAST; run++)
            at[run] = later_of(at[run], next[run]);
    }
    return hop;
}

/* The same of a node that waits for some of them no more; where none is left, for all. */
static const struct hop *let_go_freed(const struct abreast *a, const struct hop *hop, uint32_t node,
                                      int64_t at[ABREAST])
{
    int64_t all[ABREAST];
    const struct hop *const first = hop;
    hop = let_go(a, first, node, all);
    for (int run = 0; run < ABREAST; run++)
        at[run] = INT64_MIN;
    for (const struct hop *one = first; one < hop; one++) {
        int64_t next[ABREAST];
        arrive(a, one, node, next);
        for (int run = 0; run < ABREAST; run++)
            if (!(one->flags & HOP_FREED && a->freed[node] >> run & 1))
                at[run] = later_of(at[run], next[run]);
    }
    for (int run = 0; run < ABREAST; run++)
        at[run] = at[run] == INT64_MIN ? all[run] : at[run];
    return hop;
}

/* ---- all ---- */

void abreast_run(const struct abreast *a, uint32_t until, int64_t from, uint32_t prompt)
{
    const struct net *net = a->net;
    const struct hop *hop = a->hops;
    int64_t delayed[ABREAST]; /* a mask */
    for (int run = 0; run < ABREAST; run++)
        delayed[run] = prompt >> run & 1 ? 0 : -1;
    for (uint32_t node = 0; node < until; node++) {
        const bool alone = net->arrival[node] == INT64_MIN;
        if (net->start[node] < from) {
            keep(a, node, from);
            hop = alone ? hop : behind(hop);
            continue;
        }
        int64_t at[ABREAST];
        for (int run = 0; alone && run < ABREAST; run++)
            at[run] = net->start[node];
        if (!alone)
            hop = a->freed && a->freed[node] ? let_go_freed(a, hop, node, at) : let_go(a, hop, node, at);
        const int64_t delay = alone ? 0 : net->start[node] - net->arrival[node];
        int64_t *const start = a->start + (size_t)node * ABREAST, *const end = a->end + (size_t)node * ABREAST;
        for (int run = 0; run < ABREAST; run++) {
            start[run] = later_of(time_sum(at[run], delay & delayed[run]), from);
            end[run] = time_sum(start[run], end[run]);
        }
    }
}
