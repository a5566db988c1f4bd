/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the nodes, in order. Of each it is known as which terms it starts: those of what it waits for, and where
 * these are of one place, the same terms, shifted. So terms are only written down where ways join.
 */
#include "response.h"

#include <string.h>

#include "base/mem.h"

enum {
    NEAR = 20 * 1000, /* what begins so shortly before a meeting ends was let go by its end: clocks differ */
    BACK = 32,        /* of the exits so many before an exit it is known how they lead to it */
    KEPT = 16 * BACK, /* for the newest */
};

static const int64_t never = INT64_MIN;

/* Terms by source: 0 is the constant, n the n-th exit. */
struct list {
    struct response_term *at;
    uint32_t count;
};

/* A time of the net. */
struct place {
    const struct list *list;
    int64_t shift[ABREAST];
};

/* An exit, as what comes later wants to know it: the least by which its entry follows others. */
struct source {
    int64_t constant[ABREAST], reach[BACK][ABREAST]; /* reach[k]: the exit k + 1 before it */
};

struct responder {
    const struct abreast *a;
    const struct response_ask *ask;
    struct arena *arena;
    struct place *start;     /* by node */
    const uint32_t *exit_at; /* by node: one above its first exit; 0: it is left as it ends */
    struct place *leave;     /* by exit: of the first of a node */
    struct list *rows;       /* by meeting, and then by time that is marked */
    uint32_t *meeting;       /* by source */
    uint32_t source_count;
    struct source *newest; /* by source, in turns */
    struct list gathered;
    size_t gathered_room;
    uint32_t entry;
};

static struct response_term constant_term = {0, {0}};
static const struct list constant = {&constant_term, 1};

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- gathering ---- */

static void add_term(struct responder *p, uint32_t source, const int64_t at[ABREAST], const int64_t shift[ABREAST])
{
    struct list *g = &p->gathered;
    uint32_t i = g->count;
    while (i && g->at[i - 1].exit > source)
        i--;
    if (!i || g->at[i - 1].exit != source) {
        g->at = mem_grow(g->at, &p->gathered_room, g->count + 1, sizeof *g->at);
        memmove(g->at + i + 1, g->at + i, (g->count - i) * sizeof *g->at);
        g->at[i].exit = source;
        for (int run = 0; run < ABREAST; run++)
            g->at[i].at[run] = never;
        g->count++;
        i++;
    }
    for (int run = 0; run < ABREAST; run++)
        g->at[i - 1].at[run] = later_of(g->at[i - 1].at[run], time_sum(at[run], shift[run]));
}

static void add_place(struct responder *p, const struct place *place)
{
    for (uint32_t i = 0; i < place->list->count; i++)
        add_term(p, place->list->at[i].exit, place->list->at[i].at, place->shift);
}

static const struct source *source_of(const struct responder *p, uint32_t source)
{
    return source && p->source_count - source < KEPT ? &p->newest[source % KEPT] : NULL;
}

/* By how much at least the entry of one exit follows another, or its constant; NULL: not known. */
static const int64_t *reach_of(const struct responder *p, uint32_t from, uint32_t to)
{
    const struct source *source = source_of(p, to);
    if (!source || from >= to || (from && to - from > BACK))
        return NULL;
    return from ? source->reach[to - from - 1] : source->constant;
}

/* Whether a term never comes after another, whatever the exits between them do. */
static bool outdone(const struct responder *p, const struct response_term *term, const struct response_term *by)
{
    const int64_t *reach = reach_of(p, term->exit, by->exit);
    for (int run = 0; reach && run < ABREAST; run++)
        if (term->at[run] != never && (reach[run] == never || term->at[run] > time_sum(reach[run], by->at[run])))
            return false;
    return reach;
}

/* Drops the terms that are outdone. */
static void prune(struct responder *p)
{
    struct list *g = &p->gathered;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        bool drop = false;
        for (uint32_t k = i + 1; k < g->count && !drop; k++)
            drop = outdone(p, &g->at[i], &g->at[k]);
        if (!drop)
            g->at[kept++] = g->at[i];
    }
    g->count = kept;
}

/* What was gathered, in the arena; nothing is gathered then. */
static struct list keep_gathered(struct responder *p)
{
    prune(p);
    struct list list = {arena_room(p->arena, p->gathered.count, sizeof *list.at), p->gathered.count};
    for (uint32_t i = 0; i < list.count; i++)
        list.at[i] = p->gathered.at[i];
    p->gathered.count = 0;
    return list;
}

static struct place place_of(struct responder *p, struct list list)
{
    struct list *kept = arena_room(p->arena, 1, sizeof *kept);
    *kept = list;
    return (struct place){.list = kept};
}

/* ---- when a node lets go ---- */

static void shift_by(struct place *place, int64_t ns)
{
    for (int run = 0; run < ABREAST; run++)
        place->shift[run] = time_sum(place->shift[run], ns);
}

/* What a node takes in a run; of one at work when the changes begin, what is left of it. */
static int64_t takes(const struct responder *p, uint32_t node, int run)
{
    const struct net *net = p->a->net;
    const int64_t work = p->a->end[(size_t)node * ABREAST + (size_t)run], end = net_end(net, node);
    if (net->start[node] >= p->ask->from)
        return work;
    if (end <= p->ask->from)
        return net->work[node];
    return p->ask->from - net->start[node] + time_share(end - p->ask->from, net->work[node], work);
}

static struct place at_share(const struct responder *p, uint32_t node, int64_t part)
{
    struct place place = p->start[node];
    for (int run = 0; run < ABREAST; run++)
        place.shift[run] = time_sum(place.shift[run], time_share(part, p->a->net->work[node], takes(p, node, run)));
    return place;
}

static struct place at_end(const struct responder *p, uint32_t node)
{
    return p->exit_at[node] ? p->leave[p->exit_at[node] - 1] : at_share(p, node, p->a->net->work[node]);
}

/* Into the work of a node; of a meeting either its end decides, or how long the net has been there. */
static struct place at_part(const struct responder *p, uint32_t node, int64_t part)
{
    const int64_t left = p->a->net->work[node] - part;
    struct place place = p->start[node];
    if (p->a->net->start[node] + part <= p->ask->from) {
        shift_by(&place, part); /* as recorded */
        return place;
    }
    if (!p->exit_at[node])
        return at_share(p, node, part);
    place = left <= NEAR ? at_end(p, node) : p->start[node];
    shift_by(&place, left <= NEAR ? -left : part);
    return place;
}

static struct place arrival(const struct responder *p, const struct hop *hop, uint32_t node)
{
    const int64_t since = p->a->net->start[node] - p->a->net->start[hop->from];
    struct place place = hop->flags & HOP_FROM_START   ? p->start[hop->from]
                         : hop->flags & HOP_FROM_SHARE ? at_part(p, hop->from, since)
                                                       : at_end(p, hop->from);
    shift_by(&place, hop->lag);
    return place;
}

/* ---- when it starts ---- */

static struct place constant_at(int64_t time)
{
    struct place place = {.list = &constant};
    shift_by(&place, time);
    return place;
}

static void take_later(struct place *place, const struct place *other)
{
    for (int run = 0; run < ABREAST; run++)
        place->shift[run] = later_of(place->shift[run], other->shift[run]);
}

/* The last of what a node waits for. */
static struct place let_go(struct responder *p, const struct hop **hop, uint32_t node)
{
    struct place all = arrival(p, *hop, node);
    bool joins = false;
    while (!((*hop)++->flags & HOP_LAST)) {
        const struct place next = arrival(p, *hop, node);
        if (!joins && next.list == all.list) {
            take_later(&all, &next);
            continue;
        }
        if (!joins)
            add_place(p, &all);
        joins = true;
        add_place(p, &next);
    }
    return joins ? place_of(p, keep_gathered(p)) : all;
}

/* No change comes before it holds. */
static struct place not_before(struct responder *p, const struct place *place, int64_t from)
{
    const struct response_term *first = place->list->count ? &place->list->at[0] : NULL;
    bool before = false;
    for (int run = 0; first && !first->exit && run < ABREAST; run++)
        before |= time_sum(first->at[run], place->shift[run]) < from;
    if (!before)
        return *place;
    const int64_t least[ABREAST] = {from, from, from, from}, none[ABREAST] = {0};
    add_place(p, place);
    add_term(p, 0, least, none);
    return place_of(p, keep_gathered(p));
}

static const struct hop *behind(const struct hop *hop)
{
    while (!(hop++->flags & HOP_LAST))
        ;
    return hop;
}

static const struct hop *begin(struct responder *p, const struct hop *hop, uint32_t node)
{
    const struct net *net = p->a->net;
    const bool alone = net->arrival[node] == INT64_MIN;
    if (net->start[node] < p->ask->from || alone) {
        p->start[node] = constant_at(net->start[node]);
        return alone ? hop : behind(hop);
    }
    struct place place = let_go(p, &hop, node);
    shift_by(&place, net->start[node] - net->arrival[node]);
    p->start[node] = not_before(p, &place, p->ask->from);
    return hop;
}

/* ---- meetings ---- */

static void later_in(int64_t at[ABREAST], const int64_t from[ABREAST], const int64_t more[ABREAST])
{
    for (int run = 0; run < ABREAST; run++)
        if (from[run] != never && more[run] != never)
            at[run] = later_of(at[run], time_sum(from[run], more[run]));
}

/* How the exits before it lead to the entry of a new one. */
static void know_reach(struct responder *p, const struct list *row)
{
    static const int64_t none[ABREAST] = {0};
    const uint32_t own = p->source_count;
    struct source *out = &p->newest[own % KEPT];
    for (uint32_t k = 0; k <= BACK; k++)
        for (int run = 0; run < ABREAST; run++)
            (k ? out->reach[k - 1] : out->constant)[run] = never;
    for (uint32_t i = 0; i < row->count; i++) {
        const uint32_t via = row->at[i].exit;
        const int64_t *const before = via ? reach_of(p, 0, via) : none;
        if (before)
            later_in(out->constant, before, row->at[i].at);
        for (uint32_t k = 1; k <= BACK && k < own; k++) {
            const int64_t *const reach = own - k == via ? none : via ? reach_of(p, own - k, via) : NULL;
            if (reach)
                later_in(out->reach[k - 1], reach, row->at[i].at);
        }
    }
}

static uint32_t add_source(struct responder *p, uint32_t meeting)
{
    p->meeting[++p->source_count] = meeting;
    know_reach(p, &p->rows[meeting]);
    return p->source_count;
}

static void enter(struct responder *p, uint32_t node)
{
    const struct response_ask *ask = p->ask;
    for (; p->entry < ask->entry_count && ask->entries[p->entry].node <= node; p->entry++) {
        if (ask->entries[p->entry].node < node)
            continue;
        add_place(p, &p->start[node]);
        p->rows[ask->entries[p->entry].meeting] = keep_gathered(p);
    }
}

/* All that a node waits for inside of it, and what it does then. */
static void leave(struct responder *p, uint32_t node)
{
    const struct response_exit *first = &p->ask->exits[p->exit_at[node] - 1], *last = first;
    static const int64_t none[ABREAST] = {0};
    const struct response_exit *const end = p->ask->exits + p->ask->exit_count;
    if (first->inside)
        add_place(p, &p->start[node]);
    for (const struct response_exit *one = first; one < end && one->node == node; one++) {
        const uint32_t source = add_source(p, one->meeting);
        if (one->inside || one + 1 == end || one[1].node != node)
            add_term(p, source, none, none);
        last = one;
    }
    struct place *place = &p->leave[p->exit_at[node] - 1];
    *place = place_of(p, keep_gathered(p));
    for (int run = 0; last->inside && run < ABREAST; run++)
        place->shift[run] = time_sum(place->shift[run], last->rest[run]);
}

static struct place at_mark(const struct responder *p, const struct response_mark *mark)
{
    const int64_t more = mark->part - p->a->net->work[mark->node];
    struct place place = more < 0 ? at_part(p, mark->node, mark->part) : at_end(p, mark->node);
    shift_by(&place, more > 0 ? more : 0);
    return place;
}

static void take_marks(struct responder *p)
{
    const struct response_ask *ask = p->ask;
    for (uint32_t time = 0; time < ask->times; time++) {
        for (uint32_t i = 0; i < ask->mark_count; i++) {
            const struct place place = at_mark(p, &ask->marks[i]);
            if (ask->marks[i].mark == time)
                add_place(p, &place);
        }
        p->rows[ask->meeting_count + time] = keep_gathered(p);
    }
}

/* ---- all ---- */

/* Meetings that are over when the changes begin are as recorded. */
static const uint32_t *exits_by_node(const struct abreast *a, const struct response_ask *ask, struct arena *arena)
{
    uint32_t *at = arena_array(arena, ask->until, sizeof *at);
    for (uint32_t i = ask->exit_count; i-- > 0;)
        if (ask->exits[i].node < ask->until && ask->exits[i].let_go > ask->from && ask->exits[i].node < a->net->count)
            at[ask->exits[i].node] = i + 1;
    return at;
}

static const struct response_row *rows_out(const struct responder *p, struct arena *arena)
{
    const uint32_t count = p->ask->meeting_count + p->ask->times;
    struct response_row *rows = arena_array(arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        struct response_term *terms = arena_room(arena, p->rows[i].count, sizeof *terms);
        for (uint32_t k = 0; k < p->rows[i].count; k++) {
            terms[k] = p->rows[i].at[k];
            terms[k].exit = terms[k].exit ? p->meeting[terms[k].exit] : RESPONSE_START;
        }
        rows[i] = (struct response_row){terms, p->rows[i].count};
    }
    return rows;
}

const struct response_row *response_run(const struct abreast *abreast, const struct response_ask *ask,
                                        struct arena *arena)
{
    struct arena scratch = {0};
    struct responder *p = arena_alloc(&scratch, sizeof *p);
    *p = (struct responder){.a = abreast,
                            .ask = ask,
                            .arena = &scratch,
                            .start = arena_room(&scratch, ask->until, sizeof *p->start),
                            .exit_at = exits_by_node(abreast, ask, &scratch),
                            .leave = arena_array(&scratch, ask->exit_count, sizeof *p->leave),
                            .rows = arena_array(&scratch, (size_t)ask->meeting_count + ask->times, sizeof *p->rows),
                            .newest = arena_room(&scratch, KEPT, sizeof *p->newest),
                            .meeting = arena_array(&scratch, (size_t)ask->exit_count + 1, sizeof *p->meeting)};
    const struct hop *hop = abreast->hops;
    for (uint32_t node = 0; node < ask->until; node++) {
        hop = begin(p, hop, node);
        enter(p, node);
        if (p->exit_at[node])
            leave(p, node);
    }
    take_marks(p);
    const struct response_row *rows = rows_out(p, arena);
    mem_free(p->gathered.at);
    arena_free(&scratch);
    return rows;
}
