/* SPDX-License-Identifier: Apache-2.0 */
#include "collective_match.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "collective_align.h"

static uint64_t not_zero(uint64_t hash)
{
    return hash ? hash : 1;
}

uint64_t collective_class(const struct collective *of, const struct collective_group *group, int64_t step)
{
    if (of->kind == COLLECTIVE_POINT_TO_POINT && group->size > 2)
        return 0; /* which two is not recorded */
    uint64_t hash = hash_add(group->identity, of->on_host);
    hash = hash_add(hash, of->seq >= 0);
    hash = hash_add(hash, (uint64_t)(of->seq >= 0 ? of->seq : step));
    hash = hash_add(hash, of->kind);
    if (collective_is_even((enum collective_kind)of->kind))
        hash = hash_add(hash, (uint64_t)collective_elements(of, 1));
    return not_zero(hash);
}

uint64_t collective_point_key(const struct collective_point *point)
{
    return point->class ? not_zero(hash_add(point->class, (uint64_t)(int64_t)point->number)) : 0;
}

/* ---- classes ---- */

struct place {
    uint32_t rank, index;
};

/* Those of one class and rank, side by side. */
struct list {
    uint32_t rank, first, count; /* of places */
    uint32_t class;
};

/* What ranks so far have of a class, in the order of the calls, by the first rank's clock. */
struct known {
    struct collective_span *at;
    int32_t *number;
    uint32_t count;
    int32_t numbers; /* given so far */
    bool numbered;
};

struct matching {
    const struct collective_line *lines;
    uint32_t ranks;
    bool dated;           /* all times are since one epoch */
    struct place *places; /* by class, then rank, then in order */
    uint32_t count;
    struct list *lists; /* by rank, then class */
    uint32_t list_count;
    struct known *classes;
    struct collective_span *spans; /* by place */
    uint32_t *mate;                /* by place; room for the trial under way */
    struct match_doubt doubt;
    struct arena *scratch;
};

static struct collective_point *point_at(const struct matching *m, uint32_t place)
{
    return &m->lines[m->places[place].rank].at[m->places[place].index];
}

static void sort_places(struct matching *m)
{
    uint32_t room = 0;
    m->dated = true;
    for (uint32_t r = 0; r < m->ranks; r++) {
        room += m->lines[r].count;
        m->dated = m->dated && m->lines[r].dated;
    }
    struct place *listed = arena_array(m->scratch, room, sizeof *listed);
    struct keyed *order = arena_array(m->scratch, room, sizeof *order);
    m->places = arena_array(m->scratch, room, sizeof *m->places);
    for (uint32_t r = 0; r < m->ranks; r++)
        for (uint32_t i = 0; i < m->lines[r].count; i++)
            if (m->lines[r].at[i].class) {
                order[m->count] = (struct keyed){(int64_t)m->lines[r].at[i].class, m->count};
                listed[m->count++] = (struct place){r, i};
            }
    sort_keyed(order, m->count);
    for (uint32_t i = 0; i < m->count; i++)
        m->places[i] = listed[order[i].row];
}

static void find_spans(struct matching *m)
{
    m->spans = arena_array(m->scratch, m->count, sizeof *m->spans);
    m->mate = arena_array(m->scratch, m->count, sizeof *m->mate);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct collective_point *point = point_at(m, i);
        const struct collective_line *line = &m->lines[m->places[i].rank];
        const int64_t origin = m->dated ? line->origin_ns - m->lines[0].origin_ns : 0;
        m->spans[i] = (struct collective_span){point->start_ns + origin, point->end_ns + origin, point->blocking};
    }
}

/* Opens the class of the list at hand, with room for all of its places. */
static void open_class(struct matching *m, uint32_t first, uint32_t class)
{
    uint32_t end = first + 1;
    while (end < m->count && point_at(m, end)->class == point_at(m, first)->class)
        end++;
    m->classes[class] = (struct known){.at = arena_array(m->scratch, end - first, sizeof *m->classes->at),
                                       .number = arena_array(m->scratch, end - first, sizeof(int32_t)),
                                       .numbered = point_at(m, first)->numbered};
}

static void find_lists(struct matching *m)
{
    struct list *lists = arena_array(m->scratch, m->count, sizeof *lists);
    struct keyed *order = arena_array(m->scratch, m->count, sizeof *order);
    m->classes = arena_array(m->scratch, m->count, sizeof *m->classes);
    uint32_t classes = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const bool same = i && point_at(m, i - 1)->class == point_at(m, i)->class;
        if (!same)
            open_class(m, i, classes++);
        if (!same || m->places[i].rank != m->places[i - 1].rank)
            lists[m->list_count++] = (struct list){m->places[i].rank, i, 0, classes - 1};
        lists[m->list_count - 1].count++;
    }
    for (uint32_t i = 0; i < m->list_count; i++)
        order[i] = (struct keyed){lists[i].rank, i};
    sort_keyed(order, m->list_count);
    m->lists = arena_array(m->scratch, m->list_count, sizeof *m->lists);
    for (uint32_t i = 0; i < m->list_count; i++)
        m->lists[i] = lists[order[i].row];
}

/* ---- one rank against those before it ---- */

/* The lists of a rank. */
struct rank_lists {
    const struct list *at;
    uint32_t count, points;
};

static struct collective_spans own_of(const struct matching *m, const struct list *list)
{
    return (struct collective_spans){m->spans + list->first, list->count};
}

static struct collective_spans known_of(const struct matching *m, const struct list *list)
{
    return (struct collective_spans){m->classes[list->class].at, m->classes[list->class].count};
}

/* A sequence number says which is which, whatever the time. */
static struct alignment align_numbered(struct collective_spans own, struct collective_spans known, uint32_t *mate)
{
    for (uint32_t i = 0; i < own.count; i++)
        mate[i] = i < known.count ? i : ALIGN_NONE;
    return (struct alignment){own.count < known.count ? own.count : known.count, 0};
}

static struct alignment align_list(const struct matching *m, const struct list *list, int64_t offset_ns)
{
    const struct collective_spans own = own_of(m, list), known = known_of(m, list);
    uint32_t *mate = m->mate + list->first;
    return m->classes[list->class].numbered ? align_numbered(own, known, mate)
                                            : collectives_align(own, known, offset_ns, mate);
}

static struct alignment align_rank(const struct matching *m, struct rank_lists rank, int64_t offset_ns)
{
    struct alignment all = {0, 0};
    for (uint32_t i = 0; i < rank.count; i++) {
        const struct alignment one = align_list(m, &rank.at[i], offset_ns);
        all.pairs += one.pairs;
        all.apart_ns += one.apart_ns;
    }
    return all;
}

/* ---- how far the clock of a rank is off ---- */

enum {
    SHIFTS = 6,              /* n-th with (n + k)-th, k from -SHIFTS to SHIFTS */
    LOOKED_AT_CLOSELY = 512, /* so many collectives: all candidates are tried, even where the first one pairs all */
    NEAR = 32,               /* of longer lists those so many places apart are paired for the densest window */
};

struct trial {
    const struct matching *m;
    struct rank_lists rank;
    struct keyed *differences;
    size_t count, room;
    int64_t tried[2 * SHIFTS + 4];
    uint32_t tried_count;
    int64_t offset_ns; /* the best so far */
    struct alignment best;
    uint32_t next; /* pairs of the next best */
};

/* Most pairs win, then the first tried, which is none; then the least difference. */
static void try_offset(struct trial *t, int64_t offset_ns)
{
    for (uint32_t i = 0; i < t->tried_count; i++)
        if (llabs(offset_ns - t->tried[i]) <= COLLECTIVE_ENDS_NS)
            return;
    const struct alignment found = align_rank(t->m, t->rank, offset_ns);
    const bool first = !t->tried_count, none = !first && !t->offset_ns && t->m->dated;
    t->tried[t->tried_count++] = offset_ns;
    const bool better = first || found.pairs > t->best.pairs ||
                        (found.pairs == t->best.pairs && !none && found.apart_ns < t->best.apart_ns);
    const uint32_t lesser = better ? t->best.pairs : found.pairs;
    t->next = !first && lesser > t->next ? lesser : t->next;
    if (better) {
        t->best = found;
        t->offset_ns = offset_ns;
    }
}

static void add_difference(struct trial *t, const struct collective_span *own, const struct collective_span *known)
{
    t->differences = mem_grow(t->differences, &t->room, t->count + 1, sizeof *t->differences);
    t->differences[t->count++] = (struct keyed){own->end_ns - known->end_ns, 0};
}

/* Of each class the n-th with the (n + k)-th, for all k from `least` to `most`. */
static void gather(struct trial *t, int64_t least, int64_t most)
{
    t->count = 0;
    for (uint32_t l = 0; l < t->rank.count; l++) {
        const struct collective_spans own = own_of(t->m, &t->rank.at[l]), known = known_of(t->m, &t->rank.at[l]);
        for (int64_t i = 0; i < own.count; i++)
            for (int64_t j = i + least < 0 ? 0 : i + least; j <= i + most && j < known.count; j++)
                add_difference(t, &own.at[i], &known.at[j]);
    }
    sort_keyed(t->differences, t->count);
}

static void try_shift(struct trial *t, int64_t shift)
{
    gather(t, shift, shift);
    if (t->count)
        try_offset(t, t->differences[(t->count - 1) / 2].key);
}

/* The middle of the window that holds most differences of ends. */
static void try_densest(struct trial *t)
{
    size_t most = 0, from = 0;
    gather(t, -NEAR, NEAR);
    for (size_t i = 0, j = 0; i < t->count; i++) {
        while (j < t->count && t->differences[j].key - t->differences[i].key <= COLLECTIVE_ENDS_NS)
            j++;
        if (j - i > most) {
            most = j - i;
            from = i;
        }
    }
    if (most)
        try_offset(t, t->differences[from + (most - 1) / 2].key);
}

/* How many could be paired at most. */
static uint32_t comparable(const struct trial *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->rank.count; i++) {
        const uint32_t known = t->m->classes[t->rank.at[i].class].count;
        count += known < t->rank.at[i].count ? known : t->rank.at[i].count;
    }
    return count;
}

static int64_t find_offset(struct matching *m, struct rank_lists rank)
{
    struct trial t = {.m = m, .rank = rank};
    const uint32_t most = comparable(&t);
    if (m->dated)
        try_offset(&t, 0);
    if (t.best.pairs < most)
        try_shift(&t, 0);
    if (t.best.pairs < most || rank.points <= LOOKED_AT_CLOSELY) {
        try_densest(&t);
        for (int64_t shift = -SHIFTS; shift <= SHIFTS; shift++)
            try_shift(&t, shift);
    }
    if (most && (uint64_t)t.next * m->doubt.pairs >= (uint64_t)m->doubt.next * t.best.pairs)
        m->doubt = (struct match_doubt){rank.at[0].rank, t.best.pairs, t.next};
    mem_free(t.differences);
    return t.offset_ns;
}

/* ---- joining ---- */

static void add_known(struct known *known, struct collective_span span, int32_t number)
{
    uint32_t at = known->count++;
    for (; at && known->at[at - 1].start_ns > span.start_ns; at--) {
        known->at[at] = known->at[at - 1];
        known->number[at] = known->number[at - 1];
    }
    known->at[at] = span;
    known->number[at] = number;
}

/* What nobody before had is known from here on. */
static void join_list(struct matching *m, const struct list *list, int64_t offset_ns)
{
    struct known *known = &m->classes[list->class];
    align_list(m, list, offset_ns);
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t mate = m->mate[list->first + i];
        point_at(m, list->first + i)->number = mate == ALIGN_NONE ? known->numbers++ : known->number[mate];
    }
    for (uint32_t i = 0; i < list->count; i++) {
        struct collective_span span = m->spans[list->first + i];
        span.start_ns -= offset_ns;
        span.end_ns -= offset_ns;
        if (m->mate[list->first + i] == ALIGN_NONE)
            add_known(known, span, point_at(m, list->first + i)->number);
    }
}

struct match_doubt collectives_match(const struct collective_line *lines, uint32_t ranks)
{
    struct arena scratch = {0};
    struct matching m = {.lines = lines, .ranks = ranks, .scratch = &scratch};
    sort_places(&m);
    find_spans(&m);
    find_lists(&m);
    for (uint32_t first = 0, end; first < m.list_count; first = end) {
        struct rank_lists rank = {m.lists + first, 0, 0};
        for (end = first; end < m.list_count && m.lists[end].rank == m.lists[first].rank; end++)
            rank.points += m.lists[end].count;
        rank.count = end - first;
        const int64_t offset_ns = first ? find_offset(&m, rank) : 0;
        for (uint32_t i = first; i < end; i++)
            join_list(&m, &m.lists[i], offset_ns);
    }
    arena_free(&scratch);
    return m.doubt;
}
