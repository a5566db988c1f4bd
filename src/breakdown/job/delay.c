/* SPDX-License-Identifier: Apache-2.0 */
#include "delay.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "profile.h"

/* What takes a share of a wait: a surplus of one kind, or a wait of the last rank. */
struct taker {
    uint32_t kind;       /* KIND_NONE: a wait */
    uint32_t collective; /* of the last rank */
};

enum { KIND_NONE = UINT32_MAX };

struct delaying {
    const struct lines *lines;
    struct arena *arena;
    struct map places; /* a rank and a kind to the index of its cost */
    struct delay_cost *costs;
    size_t cost_count, cost_room;
    int64_t *handed; /* by member: long-term cost that its wait carries */
    bool *done;      /* by meeting: its waits have had their turn */
    int64_t waited_ns;
    struct profile last, waiting;
    struct taker *takers; /* of the current wait */
    int64_t *weights, *shares;
    size_t taker_count, taker_room, weight_room, share_room;
};

/* ---- costs ---- */

static void cost(struct delaying *d, uint32_t rank, uint32_t kind, int64_t short_ns, int64_t long_ns)
{
    const int64_t key = (int64_t)rank << 32 | kind;
    uint32_t place = map_get(&d->places, key);
    if (place == MAP_NONE) {
        place = (uint32_t)d->cost_count++;
        d->costs = mem_grow(d->costs, &d->cost_room, d->cost_count, sizeof *d->costs);
        d->costs[place] = (struct delay_cost){rank, kind, 0, 0};
        map_put(&d->places, key, place);
    }
    d->costs[place].short_ns += short_ns;
    d->costs[place].long_ns += long_ns;
}

/* To the rank that a wait was for; where that wait has had its turn (times that contradict each other), for no reason known. */
static void hand_on(struct delaying *d, uint32_t rank, uint32_t collective, int64_t ns)
{
    const struct line *line = &d->lines->at[rank];
    const uint32_t meeting = line->meeting[collective];
    if (d->done[meeting])
        cost(d, d->lines->meetings[meeting].last_rank, KIND_OF_NOTHING, 0, ns);
    else
        d->handed[line->member[collective]] += ns;
}

/* ---- since when ---- */

static const struct meeting_member *member_of(const struct ranks *ranks, uint32_t meeting, uint32_t rank)
{
    const struct meeting_member *const members = ranks->members + ranks->meetings[meeting].first;
    const uint32_t count = ranks->meetings[meeting].count;
    const size_t at = search_from(members, count, sizeof *members, offsetof(struct meeting_member, rank), rank);
    return at < count && members[at].rank == rank ? &members[at] : NULL;
}

static bool has_end(const struct lines *lines, uint32_t rank, uint32_t collective)
{
    return lines->at[rank].numbers->collectives[collective].of.dur_ns >= 0;
}

struct since {
    int64_t last_ns,
        waiting_ns; /* when each of the two left the last collective that both were in; none: the job's start */
};

static struct since since_of(const struct lines *lines, uint32_t last, uint32_t before, int64_t last_entry_ns,
                             const struct meeting_member *waiting)
{
    const int64_t entry = line_entry_ns(lines, waiting->rank, waiting->index);
    for (uint32_t i = before; i-- > 0;) {
        const uint32_t meeting = lines->at[last].meeting[i];
        if (meeting == NO_MEETING || !has_end(lines, last, i) || line_exit_ns(lines, last, i) > last_entry_ns)
            continue;
        const struct meeting_member *other = member_of(lines->ranks, meeting, waiting->rank);
        if (!other || !has_end(lines, other->rank, other->index) ||
            line_exit_ns(lines, other->rank, other->index) > entry)
            continue;
        return (struct since){line_exit_ns(lines, last, i), line_exit_ns(lines, other->rank, other->index)};
    }
    return (struct since){lines->start_ns, lines->start_ns};
}

/* ---- shares of one wait ---- */

static void add_taker(struct delaying *d, struct taker taker, int64_t weight)
{
    if (weight <= 0)
        return;
    const size_t need = d->taker_count + 1;
    d->takers = mem_grow(d->takers, &d->taker_room, need, sizeof *d->takers);
    d->weights = mem_grow(d->weights, &d->weight_room, need, sizeof *d->weights);
    d->shares = mem_grow(d->shares, &d->share_room, need, sizeof *d->shares);
    d->takers[d->taker_count] = taker;
    d->weights[d->taker_count++] = weight;
}

/* By kind without names: whether a stretch is long enough for one is chance. */
static void add_plain(const struct lines *lines, const struct profile *from, int sign, int64_t *plain)
{
    for (uint32_t i = 0; i < from->seen_count; i++)
        plain[lines->kinds[from->seen[i]].plain] += sign * from->ns[from->seen[i]];
}

/* The surplus of each kind among its names. */
static void split_names(struct delaying *d, const int64_t *plain, struct arena *scratch)
{
    const struct lines *lines = d->lines;
    const struct profile *last = &d->last;
    int64_t *more = arena_array(scratch, lines->kind_count, sizeof *more);
    for (uint32_t i = 0; i < last->seen_count; i++) {
        const uint32_t kind = last->seen[i];
        const int64_t surplus = last->ns[kind] - d->waiting.ns[kind];
        more[lines->kinds[kind].plain] += surplus > 0 ? surplus : 0;
    }
    for (uint32_t i = 0; i < last->seen_count; i++) {
        const uint32_t kind = last->seen[i], of = lines->kinds[kind].plain;
        const int64_t surplus = last->ns[kind] - d->waiting.ns[kind];
        if (surplus > 0 && plain[of] > 0)
            add_taker(d, (struct taker){kind, 0}, (int64_t)((__int128)plain[of] * surplus / more[of]));
    }
}

static void find_takers(struct delaying *d, struct arena *scratch)
{
    int64_t *plain = arena_array(scratch, d->lines->kind_count, sizeof *plain);
    d->taker_count = 0;
    add_plain(d->lines, &d->last, 1, plain);
    add_plain(d->lines, &d->waiting, -1, plain);
    split_names(d, plain, scratch);
    for (size_t i = 0; i < d->last.wait_count; i++)
        add_taker(d, (struct taker){KIND_NONE, d->last.waits[i].collective}, d->last.waits[i].ns);
}

static void share_out(struct delaying *d, uint32_t last, int64_t ns, bool first_hand)
{
    if (!ns)
        return;
    if (!d->taker_count) {
        cost(d, last, KIND_OF_NOTHING, first_hand ? ns : 0, first_hand ? 0 : ns);
        return;
    }
    line_share(ns, d->weights, (uint32_t)d->taker_count, d->shares);
    for (size_t i = 0; i < d->taker_count; i++) {
        if (!d->shares[i])
            continue;
        if (d->takers[i].kind == KIND_NONE)
            hand_on(d, last, d->takers[i].collective, d->shares[i]);
        else
            cost(d, last, d->takers[i].kind, first_hand ? d->shares[i] : 0, first_hand ? 0 : d->shares[i]);
    }
}

/* ---- one collective ---- */

static void settle(struct delaying *d, uint32_t meeting)
{
    const struct lines *lines = d->lines;
    const struct line_meeting *met = &lines->meetings[meeting];
    const struct meeting *of = &lines->ranks->meetings[meeting];
    int64_t since_ns = INT64_MIN;
    bool known = false;
    d->done[meeting] = true;
    for (uint32_t k = of->first; k < of->first + of->count; k++) {
        const struct meeting_member *member = &lines->ranks->members[k];
        const int64_t waited = met->last_ns - line_entry_ns(lines, member->rank, member->index);
        if (member->rank == met->last_rank || (!waited && !d->handed[k]))
            continue;
        struct arena scratch = {0};
        const struct since since = since_of(lines, met->last_rank, met->last_index, met->last_ns, member);
        if (!known || since.last_ns != since_ns)
            profile_of(lines, met->last_rank, met->last_index, since.last_ns, &d->last);
        known = true;
        since_ns = since.last_ns;
        profile_of(lines, member->rank, member->index, since.waiting_ns, &d->waiting);
        find_takers(d, &scratch);
        if (since.last_ns > since.waiting_ns) /* it left later what both were in: that took longer for it */
            add_taker(d, (struct taker){KIND_OF_TRANSFER, 0}, since.last_ns - since.waiting_ns);
        d->waited_ns += waited;
        share_out(d, met->last_rank, waited, true);
        share_out(d, met->last_rank, d->handed[k], false);
        arena_free(&scratch);
    }
}

/* ---- all ---- */

static const struct keyed *by_last_entry(const struct lines *lines, struct arena *scratch, size_t *count)
{
    struct keyed *order = arena_array(scratch, lines->ranks->meeting_count, sizeof *order);
    *count = 0;
    for (uint32_t i = 0; i < lines->ranks->meeting_count; i++)
        if (lines->meetings[i].blocking)
            order[(*count)++] = (struct keyed){lines->meetings[i].last_ns, i};
    sort_keyed(order, *count);
    return order;
}

static int largest_first(const void *a, const void *b)
{
    const struct delay_cost *x = a, *y = b;
    const int64_t p = x->short_ns + x->long_ns, q = y->short_ns + y->long_ns;
    if (p != q)
        return p < q ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->kind < y->kind ? -1 : 1;
}

static bool is_own(const struct line_kind *kind)
{
    return kind->class != KIND_TRANSFER && kind->class != PATH_COMMUNICATION;
}

static struct delays result_of(const struct delaying *d)
{
    struct delays out = {.count = (uint32_t)d->cost_count, .waiting_ns = d->waited_ns};
    out.at = arena_array(d->arena, out.count, sizeof *out.at);
    out.of_rank = arena_array(d->arena, d->lines->count, sizeof *out.of_rank);
    out.own = arena_array(d->arena, d->lines->count, sizeof *out.own);
    for (uint32_t i = 0; i < out.count; i++) {
        const int64_t ns = d->costs[i].short_ns + d->costs[i].long_ns;
        out.at[i] = d->costs[i];
        out.of_rank[d->costs[i].rank] += ns;
        if (is_own(&d->lines->kinds[d->costs[i].kind]))
            out.own[d->costs[i].rank] += ns;
    }
    if (out.count)
        qsort(out.at, out.count, sizeof *out.at, largest_first);
    return out;
}

struct delays delays_of(const struct lines *lines, struct arena *arena)
{
    struct arena scratch = {0};
    const struct ranks *ranks = lines->ranks;
    size_t count, members = 0;
    for (uint32_t i = 0; i < ranks->meeting_count; i++) {
        const size_t end = (size_t)ranks->meetings[i].first + ranks->meetings[i].count;
        members = end > members ? end : members;
    }
    struct delaying d = {.lines = lines, .arena = arena};
    d.handed = arena_array(&scratch, members, sizeof *d.handed);
    d.done = arena_array(&scratch, ranks->meeting_count, sizeof *d.done);
    const struct keyed *order = by_last_entry(lines, &scratch, &count);
    while (count-- > 0)
        settle(&d, order[count].row);
    const struct delays out = result_of(&d);
    map_free(&d.places);
    mem_free(d.costs);
    mem_free(d.takers);
    mem_free(d.weights);
    mem_free(d.shares);
    profile_free(&d.last);
    profile_free(&d.waiting);
    arena_free(&scratch);
    return out;
}

uint32_t delays_culprit(const struct delays *delays, uint32_t ranks)
{
    uint32_t most = 0;
    int64_t next_ns = 0;
    for (uint32_t r = 1; r < ranks; r++)
        if (delays->own[r] > delays->own[most])
            most = r;
    for (uint32_t r = 0; r < ranks; r++)
        if (r != most && delays->own[r] > next_ns)
            next_ns = delays->own[r];
    const bool stands_out = delays->own[most] / 2 >= next_ns && delays->own[most] >= delays->of_rank[most] / 2;
    return stands_out && delays->own[most] ? most : NO_RANK;
}
