/* SPDX-License-Identifier: Apache-2.0 */
#include "collective_align.h"

#include "base/arena.h"
#include "base/mem.h"

enum { PARTNERS_MOST = 128 }; /* looked at for one collective */

/* Those that do not block may end so far apart: who leaves first is not known. */
#define LOOSE_ENDS_NS (100 * COLLECTIVE_ENDS_NS)

struct aligning {
    struct collective_spans own, others;
    int64_t offset_ns;
    int64_t reach_ns; /* those that are farther apart are no pair */
};

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t ends_apart(const struct aligning *a, uint32_t i, uint32_t j)
{
    const int64_t ns = a->own.at[i].end_ns - a->offset_ns - a->others.at[j].end_ns;
    return ns < 0 ? -ns : ns;
}

/* How long both were inside; below 0 where they were not at once. */
static int64_t overlap_ns(const struct aligning *a, uint32_t i, uint32_t j)
{
    const struct collective_span *x = &a->own.at[i], *y = &a->others.at[j];
    return earlier(x->end_ns - a->offset_ns, y->end_ns) - later(x->start_ns - a->offset_ns, y->start_ns);
}

static bool is_possible(const struct aligning *a, uint32_t i, uint32_t j)
{
    const struct collective_span *x = &a->own.at[i], *y = &a->others.at[j];
    const int64_t apart = ends_apart(a, i, j);
    if (apart <= COLLECTIVE_ENDS_NS)
        return true;
    if (!x->blocking || !y->blocking)
        return apart <= LOOSE_ENDS_NS;
    return 2 * overlap_ns(a, i, j) >= earlier(x->end_ns - x->start_ns, y->end_ns - y->start_ns);
}

/* ---- equally many, all possible: no other way has as many pairs ---- */

static bool all_in_order(const struct aligning *a, uint32_t *mate)
{
    if (a->own.count != a->others.count)
        return false;
    for (uint32_t i = 0; i < a->own.count; i++) {
        if (!is_possible(a, i, i))
            return false;
        mate[i] = i;
    }
    return true;
}

/* ---- most pairs in order ---- */

struct pair {
    uint32_t own, other, before; /* the pair before in its chain; ALIGN_NONE */
};

struct chain {
    uint32_t pairs, last; /* its last pair; ALIGN_NONE: of no pairs */
    int64_t apart_ns;
};

struct search {
    struct chain *best; /* a Fenwick tree (1994) over the others: the best chain that ends below */
    struct pair *pairs;
    size_t count, room;
};

static bool is_better(const struct chain *a, const struct chain *b)
{
    return a->pairs != b->pairs ? a->pairs > b->pairs : a->apart_ns < b->apart_ns;
}

/* The best chain of which all end below `other`. */
static struct chain best_below(const struct search *s, uint32_t other)
{
    struct chain best = {0, ALIGN_NONE, 0};
    for (uint32_t at = other; at; at &= at - 1)
        if (is_better(&s->best[at], &best))
            best = s->best[at];
    return best;
}

static void offer(struct search *s, uint32_t others, uint32_t other, struct chain chain)
{
    for (uint32_t at = other + 1; at <= others; at += at & -at)
        if (is_better(&chain, &s->best[at]))
            s->best[at] = chain;
}

static void try_pair(const struct aligning *a, struct search *s, uint32_t i, uint32_t j)
{
    const struct chain before = best_below(s, j);
    s->pairs = mem_grow(s->pairs, &s->room, s->count + 1, sizeof *s->pairs);
    s->pairs[s->count] = (struct pair){i, j, before.last};
    offer(s, a->others.count, j,
          (struct chain){before.pairs + 1, (uint32_t)s->count, before.apart_ns + ends_apart(a, i, j)});
    s->count++;
}

/* Those of the others that may be the i-th: latest first, so that none of its pairs stands before another. */
static void try_partners(const struct aligning *a, struct search *s, uint32_t i, uint32_t *first)
{
    const int64_t start = a->own.at[i].start_ns - a->offset_ns, end = a->own.at[i].end_ns - a->offset_ns;
    while (*first < a->others.count && a->others.at[*first].end_ns < start - a->reach_ns)
        ++*first;
    uint32_t stop = *first;
    while (stop < a->others.count && stop - *first < PARTNERS_MOST && a->others.at[stop].start_ns <= end + a->reach_ns)
        stop++;
    for (uint32_t j = stop; j-- > *first;)
        if (is_possible(a, i, j))
            try_pair(a, s, i, j);
}

static void find_chain(const struct aligning *a, uint32_t *mate)
{
    struct arena scratch = {0};
    struct search s = {.best = arena_array(&scratch, (size_t)a->others.count + 1, sizeof *s.best)};
    uint32_t first = 0;
    for (uint32_t i = 0; i <= a->others.count; i++)
        s.best[i].last = ALIGN_NONE;
    for (uint32_t i = 0; i < a->own.count; i++) {
        mate[i] = ALIGN_NONE;
        try_partners(a, &s, i, &first);
    }
    for (uint32_t at = best_below(&s, a->others.count).last; at != ALIGN_NONE; at = s.pairs[at].before)
        mate[s.pairs[at].own] = s.pairs[at].other;
    mem_free(s.pairs);
    arena_free(&scratch);
}

/* ---- between two pairs ---- */

static void fill_gap(const struct aligning *a, uint32_t from, uint32_t to, uint32_t other, uint32_t *mate)
{
    for (uint32_t i = from; i < to; i++) {
        const uint32_t j = other + (i - from);
        if (!a->own.at[i].blocking || !a->others.at[j].blocking || overlap_ns(a, i, j) > 0)
            mate[i] = j;
    }
}

static void fill_gaps(const struct aligning *a, uint32_t *mate)
{
    uint32_t from = 0, other = 0;
    for (uint32_t i = 0; i <= a->own.count; i++) {
        if (i < a->own.count && mate[i] == ALIGN_NONE)
            continue;
        const uint32_t next = i < a->own.count ? mate[i] : a->others.count;
        if (i - from == next - other)
            fill_gap(a, from, i, other, mate);
        from = i + 1;
        other = next + 1;
    }
}

static bool all_block(struct collective_spans spans)
{
    for (uint32_t i = 0; i < spans.count; i++)
        if (!spans.at[i].blocking)
            return false;
    return true;
}

static bool may_be_of_one_step(const struct collective_span *a, const struct collective_span *b)
{
    return a->step == b->step || a->step < 0 || b->step < 0;
}

struct alignment collectives_align(struct collective_spans own, struct collective_spans others, int64_t offset_ns,
                                   uint32_t *mate)
{
    struct aligning a = {own, others, offset_ns, COLLECTIVE_ENDS_NS};
    if (!all_in_order(&a, mate)) {
        a.reach_ns = all_block(own) && all_block(others) ? COLLECTIVE_ENDS_NS : LOOSE_ENDS_NS;
        find_chain(&a, mate);
        fill_gaps(&a, mate);
    }
    struct alignment found = {0};
    for (uint32_t i = 0; i < own.count; i++)
        if (mate[i] != ALIGN_NONE) {
            found.pairs++;
            found.same_step += may_be_of_one_step(&own.at[i], &others.at[mate[i]]);
            found.apart_ns += ends_apart(&a, i, mate[i]);
            found.pairing += align_mark(i, mate[i]);
        }
    return found;
}
