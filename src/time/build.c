/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

/* ---- adding ---- */

struct net_build net_build_open(struct arena *arena, size_t nodes)
{
    return (struct net_build){.arena = arena,
                              .work = arena_room(arena, nodes, sizeof(int64_t)),
                              .before = arena_room(arena, nodes, sizeof(uint32_t)),
                              .kind = arena_room(arena, nodes, sizeof(uint8_t))};
}

uint32_t net_add(struct net_build *b, uint32_t before, uint32_t kind, int64_t work)
{
    b->work[b->count] = work;
    b->before[b->count] = before;
    b->kind[b->count] = (uint8_t)kind;
    return b->count++;
}

void net_link(struct net_build *b, uint32_t from, uint32_t to, uint32_t kind)
{
    b->edges = mem_grow(b->edges, &b->edge_room, b->edge_count + 1, sizeof *b->edges);
    b->edges[b->edge_count++] = (struct edge){from, to, kind};
}

void net_link_back(struct net_build *b, struct carry carry)
{
    b->carries = mem_grow(b->carries, &b->carry_room, b->carry_count + 1, sizeof *b->carries);
    b->carries[b->carry_count++] = carry;
}

/* ---- an order in which all edges go forward ---- */

struct ordering {
    struct net_build *build;
    uint32_t *order, placed;  /* nodes in their new order, and how many there are */
    uint32_t *missing;        /* by node: of what it waits for, what has no place yet; NODE_NONE: it has one itself */
    const struct keyed *from; /* edges by their source, as what waits for it; the lane order among them */
    const struct keyed *to;   /* edges by what waits, as indices */
};

static bool goes_back(const struct edge *edge)
{
    return edge->from >= edge->to;
}

static bool any_goes_back(const struct net_build *b)
{
    for (size_t i = 0; i < b->edge_count; i++)
        if (goes_back(&b->edges[i]))
            return true;
    return false;
}

static void place(struct ordering *o, uint32_t node)
{
    o->missing[node] = NODE_NONE;
    o->order[o->placed++] = node;
}

static void found(struct ordering *o, uint32_t node)
{
    if (o->missing[node] != NODE_NONE && --o->missing[node] == 0)
        place(o, node);
}

/* Lane orders and edges as (source, what waits for it). */
static size_t list_sources(const struct net_build *b, struct keyed *pairs)
{
    size_t count = 0;
    for (uint32_t node = 0; node < b->count; node++)
        if (b->before[node] != NODE_NONE)
            pairs[count++] = (struct keyed){b->before[node], node};
    for (size_t i = 0; i < b->edge_count; i++)
        pairs[count++] = (struct keyed){b->edges[i].from, b->edges[i].to};
    sort_keyed(pairs, count);
    return count;
}

/* Goes on from all nodes placed. */
static void spread(struct ordering *o, uint32_t *next, size_t pairs)
{
    for (; *next < o->placed; ++*next) {
        const uint32_t node = o->order[*next];
        for (size_t i = keyed_below(o->from, pairs, node); i < pairs && o->from[i].key == node; i++)
            found(o, o->from[i].row);
    }
}

/*
 * Of what is left the first made waits for later ones alone, for all made before it have their place: these edges are
 * part of a circle, or wait behind one, and are left out.
 */
static void cut(struct ordering *o, uint32_t node)
{
    struct net_build *b = o->build;
    for (size_t i = keyed_below(o->to, b->edge_count, node); i < b->edge_count && o->to[i].key == node; i++) {
        struct edge *edge = &b->edges[o->to[i].row];
        if (o->missing[edge->from] == NODE_NONE)
            continue;
        edge->from = NODE_NONE;
        b->dropped++;
    }
    place(o, node);
}

static struct keyed *list_targets(const struct net_build *b, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, b->edge_count, sizeof *order);
    for (size_t i = 0; i < b->edge_count; i++)
        order[i] = (struct keyed){b->edges[i].to, (uint32_t)i};
    sort_keyed(order, b->edge_count);
    return order;
}

static void drop_cut(struct net_build *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->edge_count; i++)
        if (b->edges[i].from != NODE_NONE)
            b->edges[kept++] = b->edges[i];
    b->edge_count = kept;
}

static void find_order(struct ordering *o, struct arena *scratch)
{
    struct net_build *b = o->build;
    struct keyed *pairs = arena_array(scratch, b->count + b->edge_count, sizeof *pairs);
    const size_t count = list_sources(b, pairs);
    o->from = pairs;
    o->to = list_targets(b, scratch);
    for (size_t i = 0; i < count; i++)
        o->missing[pairs[i].row]++;
    uint32_t next = 0;
    for (uint32_t node = 0; node < b->count; node++)
        if (!o->missing[node])
            place(o, node);
    for (uint32_t node = 0; node < b->count; node++) {
        spread(o, &next, count);
        if (o->missing[node] != NODE_NONE)
            cut(o, node);
    }
    drop_cut(b);
}

/* ---- numbering ---- */

static uint32_t renamed(const uint32_t *number, uint32_t node)
{
    return number && node != NODE_NONE ? number[node] : node;
}

static const uint32_t *number_nodes(struct net_build *b)
{
    if (!any_goes_back(b))
        return NULL;
    struct arena scratch = {0};
    struct ordering o = {.build = b,
                         .order = arena_array(&scratch, b->count, sizeof *o.order),
                         .missing = arena_array(&scratch, b->count, sizeof *o.missing)};
    find_order(&o, &scratch);
    uint32_t *number = arena_array(b->arena, b->count, sizeof *number);
    for (uint32_t i = 0; i < o.placed; i++)
        number[o.order[i]] = i;
    arena_free(&scratch);
    return number;
}

static void renumber_nodes(struct net_build *b, const uint32_t *number)
{
    int64_t *work = arena_array(b->arena, b->count, sizeof *work);
    uint32_t *before = arena_array(b->arena, b->count, sizeof *before);
    uint8_t *kind = arena_array(b->arena, b->count, sizeof *kind);
    for (uint32_t node = 0; node < b->count; node++) {
        work[number[node]] = b->work[node];
        before[number[node]] = renamed(number, b->before[node]);
        kind[number[node]] = b->kind[node];
    }
    b->work = work;
    b->before = before;
    b->kind = kind;
}

static struct edge *edge_at(void *edges, size_t size, size_t i)
{
    return (struct edge *)((char *)edges + i * size);
}

/* False where they are not by the node that they lead to. */
static bool rename_edges(void *edges, size_t size, size_t count, const uint32_t *number)
{
    bool ordered = true;
    for (size_t i = 0; i < count; i++) {
        struct edge *edge = edge_at(edges, size, i);
        edge->from = renamed(number, edge->from);
        edge->to = renamed(number, edge->to);
        ordered = ordered && (!i || edge_at(edges, size, i - 1)->to <= edge->to);
    }
    return ordered;
}

/* Edges, or carries, whose first member is one: by the node that they lead to. They become the arena's. */
static void *by_target(void *edges, size_t size, size_t count, const uint32_t *number, struct arena *arena)
{
    if (rename_edges(edges, size, count, number)) {
        arena_take(arena, edges, count * size);
        return edges;
    }
    char *sorted = arena_room(arena, count, size);
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct keyed){edge_at(edges, size, i)->to, (uint32_t)i};
    sort_keyed(order, count);
    for (size_t i = 0; i < count; i++)
        memcpy(sorted + i * size, edge_at(edges, size, order[i].row), size);
    arena_free(&scratch);
    mem_free(edges);
    return sorted;
}

struct net net_built(struct net_build *b, const uint32_t **number)
{
    *number = number_nodes(b);
    if (*number)
        renumber_nodes(b, *number);
    const struct net net = {
        .count = b->count,
        .work = b->work,
        .before = b->before,
        .kind = b->kind,
        .edges = by_target(b->edges, sizeof *b->edges, b->edge_count, *number, b->arena),
        .edge_count = (uint32_t)b->edge_count,
        .carries = by_target(b->carries, sizeof *b->carries, b->carry_count, *number, b->arena),
        .carry_count = (uint32_t)b->carry_count,
    };
    b->edges = NULL;
    b->carries = NULL;
    return net;
}
