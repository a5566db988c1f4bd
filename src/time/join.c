/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"

#include <assert.h>

#include "run.h"

/* By node: why it is not joined. */
enum {
    ENTERED = 1, /* with the one before: an edge leads into it */
    LEFT = 2,    /* with the one after: an edge leaves it */
};

struct join {
    const struct net *net;
    const struct joining *joining;
    uint8_t *marks;
    uint32_t *of;
    int64_t *start, *work;
    uint32_t *before;
    uint8_t *kind;
    uint32_t count;
};

/* An edge that leaves before the end of its source leaves at its start, or at a share of its work. */
static bool leaves_early(const struct net *net, const struct edge *edge)
{
    return net->early >> edge->kind & 1 || net_leaves(net, edge->from, edge->to, edge->kind) < net->work[edge->from];
}

static void mark_edges(struct join *j)
{
    const struct net *net = j->net;
    for (uint32_t i = 0; i < net->edge_count && net->edges[i].to < j->joining->until; i++) {
        const struct edge *edge = &net->edges[i];
        j->marks[edge->from] |= leaves_early(net, edge) ? ENTERED | LEFT : LEFT;
        j->marks[edge->to] |= ENTERED;
    }
}

static void mark_apart(struct join *j)
{
    const struct joining *joining = j->joining;
    for (uint32_t node = 0; node < joining->until; node++)
        if (joining->kinds >> j->net->kind[node] & 1)
            j->marks[node] = ENTERED | LEFT;
    for (uint32_t i = 0; i < joining->apart_count; i++)
        if (joining->apart[i] < joining->until)
            j->marks[joining->apart[i]] = ENTERED | LEFT;
}

/* What begins before a change and ends after it keeps what it did before. */
static bool reaches_over(const struct join *j, int64_t start, int64_t end)
{
    for (uint32_t i = 0; i < j->joining->from_count; i++)
        if (start < j->joining->from[i] && end > j->joining->from[i])
            return true;
    return false;
}

static bool joins(const struct join *j, uint32_t node)
{
    const uint32_t before = j->net->before[node];
    return before != NODE_NONE && !(j->marks[node] & ENTERED) && !(j->marks[before] & LEFT) &&
           j->net->start[node] == net_end(j->net, before) &&
           !reaches_over(j, j->start[j->of[before]], net_end(j->net, node));
}

static void add(struct join *j, uint32_t node)
{
    const uint32_t before = j->net->before[node];
    j->start[j->count] = j->net->start[node];
    j->work[j->count] = j->net->work[node];
    j->before[j->count] = before == NODE_NONE ? NODE_NONE : j->of[before];
    j->kind[j->count] = j->net->kind[node];
    j->of[node] = j->count++;
}

static void add_nodes(struct join *j)
{
    for (uint32_t node = 0; node < j->joining->until; node++) {
        if (!joins(j, node)) {
            add(j, node);
            continue;
        }
        j->of[node] = j->of[j->net->before[node]];
        j->work[j->of[node]] += j->net->work[node];
    }
}

static void add_edges(const struct join *j, struct net *joined, struct arena *arena)
{
    struct edge *edges = arena_room(arena, j->net->edge_count, sizeof *edges);
    for (uint32_t i = 0; i < j->net->edge_count && j->net->edges[i].to < j->joining->until; i++) {
        const struct edge *edge = &j->net->edges[i];
        edges[joined->edge_count++] = (struct edge){j->of[edge->from], j->of[edge->to], edge->kind};
    }
    joined->edges = edges;
}

struct joined net_join(const struct net *net, const struct joining *joining, struct arena *arena)
{
    assert((net->start || !net->count) && !net->carry_count && joining->until <= net->count);
    struct arena scratch = {0};
    const size_t most = joining->until;
    struct join j = {.net = net,
                     .joining = joining,
                     .marks = arena_array(&scratch, most, sizeof *j.marks),
                     .of = arena_room(arena, most, sizeof *j.of),
                     .start = arena_room(arena, most, sizeof *j.start),
                     .work = arena_room(arena, most, sizeof *j.work),
                     .before = arena_room(arena, most, sizeof *j.before),
                     .kind = arena_room(arena, most, sizeof *j.kind)};
    mark_edges(&j);
    mark_apart(&j);
    add_nodes(&j);
    struct joined joined = {*net, j.of, net->before, joining->until};
    joined.net.count = j.count;
    joined.net.start = j.start;
    joined.net.work = j.work;
    joined.net.before = j.before;
    joined.net.kind = j.kind;
    joined.net.edge_count = 0;
    add_edges(&j, &joined.net, arena);
    joined.net.arrival = net_arrivals(&joined.net, arena);
    arena_free(&scratch);
    return joined;
}

/* Nodes are numbered as they begin, so those that begin later have the last numbers. */
uint32_t joined_until(const struct joined *joined, uint32_t until)
{
    uint32_t count = joined->net.count;
    for (uint32_t node = until; node < joined->until; node++) {
        const uint32_t before = joined->before[node];
        count -= before == NODE_NONE || joined->of[before] != joined->of[node];
    }
    return count;
}
