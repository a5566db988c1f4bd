/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of the whole in their order, and in between, by start, those that are added. */
#include "split.h"

#include "base/sort.h"

struct splitting {
    const struct net *whole;
    const struct net_wait *waits;
    uint32_t count;
    uint32_t enter_kind, leave_kind;

    int64_t *start, *work; /* of the split net, by node */
    uint32_t *before, *of;
    uint8_t *kind;
    uint32_t nodes;
    uint32_t *first, *rest;    /* by node of the whole */
    int64_t *let_go;           /* by node of the whole: when the last that it holds does; INT64_MIN: it holds none */
    uint32_t *meeting, *leave; /* by wait: its node, and the last that is of it */
};

static uint32_t add_node(struct splitting *s, uint32_t like, int64_t start, int64_t end)
{
    s->start[s->nodes] = start;
    s->work[s->nodes] = end - start;
    s->kind[s->nodes] = s->whole->kind[like];
    s->before[s->nodes] = s->of[s->nodes] = NODE_NONE;
    return s->nodes++;
}

/* ---- nodes ---- */

/* Where what waits for a node of the whole, or follows it on its lane, leaves it. */
static uint32_t source_of(const struct splitting *s, uint32_t from, uint32_t to)
{
    const bool later = s->let_go[from] != INT64_MIN && s->whole->start[to] >= s->let_go[from];
    return later ? s->rest[from] : s->first[from];
}

static void add_whole(struct splitting *s, uint32_t node)
{
    const int64_t start = s->whole->start[node];
    const bool holds = s->let_go[node] != INT64_MIN;
    const uint32_t at = add_node(s, node, start, holds ? start : net_end(s->whole, node));
    s->of[at] = node;
    s->first[node] = s->rest[node] = at;
    if (s->whole->before[node] != NODE_NONE)
        s->before[at] = source_of(s, s->whole->before[node], node);
}

static void add_rest(struct splitting *s, uint32_t node)
{
    const uint32_t at = add_node(s, node, s->let_go[node], net_end(s->whole, node));
    s->of[at] = node;
    s->before[at] = s->first[node];
    s->rest[node] = at;
}

/* All go on after it came, whatever the clocks say. */
static int64_t met_at(const struct splitting *s, uint32_t wait)
{
    const int64_t least = s->whole->start[s->waits[wait].enters] + 1, met = s->waits[wait].met;
    return met > least ? met : least;
}

static void add_meeting(struct splitting *s, uint32_t wait)
{
    const uint32_t enters = s->waits[wait].enters;
    s->meeting[wait] = s->leave[wait] = add_node(s, enters, s->whole->start[enters], met_at(s, wait));
}

/* What this net alone took longer. */
static void add_tail(struct splitting *s, uint32_t wait)
{
    s->leave[wait] = add_node(s, s->waits[wait].enters, met_at(s, wait), s->waits[wait].let_go);
    s->before[s->leave[wait]] = s->meeting[wait];
}

/* Tails and rests by start; a rest, numbered above the waits, comes after the tail that lets it go. */
static struct keyed *list_added(struct splitting *s, size_t *count, struct arena *scratch)
{
    struct keyed *added = arena_array(scratch, 2 * (size_t)s->count, sizeof *added);
    for (uint32_t i = 0; i < s->count; i++)
        if (met_at(s, i) < s->waits[i].let_go)
            added[(*count)++] = (struct keyed){met_at(s, i), i};
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t holds = s->waits[i].holds;
        if (holds == NODE_NONE || s->rest[holds] != NODE_NONE || s->waits[i].let_go != s->let_go[holds])
            continue;
        added[(*count)++] = (struct keyed){s->let_go[holds], s->count + holds};
        s->rest[holds] = 0; /* it is listed */
    }
    sort_keyed(added, *count);
    return added;
}

static struct keyed *list_entries(const struct splitting *s, struct arena *scratch)
{
    struct keyed *entries = arena_array(scratch, s->count, sizeof *entries);
    for (uint32_t i = 0; i < s->count; i++)
        entries[i] = (struct keyed){s->waits[i].enters, i};
    sort_keyed(entries, s->count);
    return entries;
}

static void add_nodes(struct splitting *s, struct arena *scratch)
{
    size_t added_count = 0, at = 0, entry = 0;
    const struct keyed *added = list_added(s, &added_count, scratch), *entries = list_entries(s, scratch);
    for (uint32_t node = 0; node <= s->whole->count; node++) {
        const bool end = node == s->whole->count;
        for (; at < added_count && (end || added[at].key <= s->whole->start[node]); at++)
            (added[at].row < s->count ? add_tail : add_rest)(s, added[at].row < s->count ? added[at].row
                                                                                         : added[at].row - s->count);
        if (end)
            break;
        add_whole(s, node);
        for (; entry < s->count && entries[entry].key == node; entry++)
            add_meeting(s, entries[entry].row);
    }
}

/* ---- edges ---- */

static struct edge *list_edges(const struct splitting *s, uint32_t *count, struct arena *arena)
{
    const struct net *whole = s->whole;
    struct edge *edges = arena_array(arena, (size_t)whole->edge_count + 2 * (size_t)s->count, sizeof *edges);
    for (uint32_t i = 0; i < whole->edge_count; i++) {
        const struct edge *edge = &whole->edges[i];
        edges[(*count)++] = (struct edge){source_of(s, edge->from, edge->to), s->first[edge->to], edge->kind};
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const struct net_wait *wait = &s->waits[i];
        edges[(*count)++] = (struct edge){s->first[wait->enters], s->meeting[i], s->enter_kind};
        if (wait->holds != NODE_NONE)
            edges[(*count)++] = (struct edge){s->leave[i], s->rest[wait->holds], s->leave_kind};
    }
    return edges;
}

static const struct edge *edges_of(const struct splitting *s, uint32_t *count, struct arena *arena)
{
    struct arena scratch = {0};
    const struct edge *all = list_edges(s, count, &scratch);
    struct edge *edges = arena_array(arena, *count, sizeof *edges);
    struct keyed *order = arena_array(&scratch, *count, sizeof *order);
    for (uint32_t i = 0; i < *count; i++)
        order[i] = (struct keyed){all[i].to, i};
    sort_keyed(order, *count);
    for (uint32_t i = 0; i < *count; i++)
        edges[i] = all[order[i].row];
    arena_free(&scratch);
    return edges;
}

/* ---- all ---- */

static void open(struct splitting *s, struct arena *arena, struct arena *scratch)
{
    const size_t whole = s->whole->count, most = whole + 3 * (size_t)s->count;
    s->start = arena_array(arena, most, sizeof *s->start);
    s->work = arena_array(arena, most, sizeof *s->work);
    s->before = arena_array(arena, most, sizeof *s->before);
    s->of = arena_array(arena, most, sizeof *s->of);
    s->kind = arena_array(arena, most, sizeof *s->kind);
    s->first = arena_array(arena, whole, sizeof *s->first);
    s->rest = arena_array(arena, whole, sizeof *s->rest);
    s->meeting = arena_array(arena, s->count, sizeof *s->meeting);
    s->leave = arena_array(scratch, s->count, sizeof *s->leave);
    s->let_go = arena_array(scratch, whole, sizeof *s->let_go);
    for (uint32_t node = 0; node < whole; node++) {
        s->let_go[node] = INT64_MIN;
        s->rest[node] = NODE_NONE;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t holds = s->waits[i].holds;
        if (holds != NODE_NONE && s->waits[i].let_go > s->let_go[holds])
            s->let_go[holds] = s->waits[i].let_go;
    }
}

struct split net_split(const struct net *net, const struct net_wait *waits, uint32_t count, uint32_t enter_kind,
                       uint32_t leave_kind, struct arena *arena)
{
    struct arena scratch = {0};
    if (!count)
        return (struct split){.net = *net};
    struct splitting s = {
        .whole = net, .waits = waits, .count = count, .enter_kind = enter_kind, .leave_kind = leave_kind};
    open(&s, arena, &scratch);
    add_nodes(&s, &scratch);
    struct split split = {*net, s.first, s.rest, s.of, s.meeting};
    split.net.count = s.nodes;
    split.net.start = s.start;
    split.net.work = s.work;
    split.net.before = s.before;
    split.net.kind = s.kind;
    split.net.edge_count = 0;
    split.net.edges = edges_of(&s, &split.net.edge_count, arena);
    split.net.early |= 1u << enter_kind;
    split.net.arrival = net_arrivals(&split.net, arena);
    arena_free(&scratch);
    return split;
}

struct schedule split_whole(const struct split *split, uint32_t count, const struct schedule *schedule,
                            struct arena *arena)
{
    struct schedule whole = {.change = NULL, /* it is of the parts */
                             .start = arena_room(arena, count, sizeof *whole.start),
                             .end = arena_room(arena, count, sizeof *whole.end)};
    for (uint32_t node = 0; node < count; node++) {
        whole.start[node] = schedule->start[split->first[node]];
        whole.end[node] = schedule->end[split->rest[node]];
        whole.span = whole.end[node] > whole.span ? whole.end[node] : whole.span;
    }
    return whole;
}
