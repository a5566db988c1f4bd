/* SPDX-License-Identifier: Apache-2.0 */
#include "collective_match.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "collective_align.h"

static uint64_t not_zero(uint64_t hash)
{
    return hash ? hash : 1;
}

static bool ends_known(const struct collective *of)
{
    return of->kind == COLLECTIVE_POINT_TO_POINT && of->source >= 0 && of->destination >= 0 &&
           of->source != of->destination;
}

static struct collective_class class_of_message(const struct collective *of, const struct collective_group *group)
{
    uint64_t hash = hash_add(group->identity, of->on_host);
    hash = hash_add(hash, COLLECTIVE_KINDS + of->kind);
    hash = hash_add(hash, (uint64_t)of->source);
    hash = hash_add(hash, (uint64_t)of->destination);
    return (struct collective_class){not_zero(hash), of->in_elements};
}

struct collective_class collective_class(const struct collective *of, const struct collective_group *group)
{
    if (ends_known(of))
        return class_of_message(of, group);
    if (of->kind == COLLECTIVE_POINT_TO_POINT && group->size > 2)
        return (struct collective_class){0, -1}; /* which two is not recorded */
    uint64_t hash = hash_add(group->identity, of->on_host);
    hash = hash_add(hash, of->seq >= 0);
    hash = hash_add(hash, (uint64_t)(of->seq >= 0 ? of->seq : 0));
    hash = hash_add(hash, of->kind);
    if (of->of_graph)
        hash = hash_add(hash, of->of_graph);
    const bool even = of->seq < 0 && collective_is_even((enum collective_kind)of->kind);
    return (struct collective_class){not_zero(hash), even ? collective_elements(of, 1) : -1};
}

/* Nobody leaves before all have come. A send waits for its receive beyond what may be sent ahead: NCCL and gloo always do. */
static bool holds_all(const struct collective *of)
{
    return of->dur_ns >= 0 &&
           (collective_is_blocking((enum collective_kind)of->kind) || of->kind == COLLECTIVE_POINT_TO_POINT);
}

struct collective_point collective_point(const struct collective *of, const struct collective_group *group,
                                         int64_t step)
{
    const bool message = ends_known(of);
    return (struct collective_point){.class = collective_class(of, group),
                                     .start_ns = of->start_ns,
                                     .end_ns = of->start_ns + (of->dur_ns > 0 ? of->dur_ns : 0),
                                     .blocking = holds_all(of),
                                     .numbered = of->seq >= 0 && !message,
                                     .message = message,
                                     .number = of->seq,
                                     .step = step};
}

/* ---- classes ---- */

struct place {
    uint32_t rank, index;
};

/* Those of one class and rank, side by side. */
struct list {
    uint32_t rank, first, count; /* of places */
    uint32_t class;
    uint32_t span; /* its first among those of the rank */
};

/* What ranks so far have of a class, in the order of the calls, by the first rank's clock. */
struct known {
    struct collective_span *at; /* grows with what is new, which is little: most of a class is the same on all ranks */
    uint32_t *number;
    size_t room;
    uint32_t count;
    uint32_t numbers; /* given so far */
    bool numbered;
};

struct matching {
    const struct collective_line *lines;
    uint32_t ranks;
    bool dated;           /* all times are since one epoch */
    struct place *places; /* by class, then rank, then in order */
    uint64_t *class;      /* by place: what the ranks agree on, and the size where all of them tell it */
    uint32_t count;
    struct list *lists; /* by rank, then class */
    uint32_t list_count;
    struct known *classes;
    uint32_t class_count;
    struct collective_span *spans; /* of the rank under way, list by list */
    uint32_t *mate;                /* beside them; room for the trial under way */
    struct match_doubt doubt;
    struct arena *scratch;
};

static struct collective_point *point_at(const struct matching *m, uint32_t place)
{
    return &m->lines[m->places[place].rank].at[m->places[place].index];
}

/* Lists all that can be matched, rank by rank. */
static void list_places(struct matching *m, struct arena *scratch)
{
    uint32_t room = 0;
    m->dated = true;
    for (uint32_t r = 0; r < m->ranks; r++) {
        room += m->lines[r].count;
        m->dated = m->dated && m->lines[r].dated;
    }
    struct place *places = arena_array(scratch, room, sizeof *places);
    for (uint32_t r = 0; r < m->ranks; r++)
        for (uint32_t i = 0; i < m->lines[r].count; i++) {
            m->lines[r].at[i].key = 0;
            if (m->lines[r].at[i].class.agreed)
                places[m->count++] = (struct place){r, i};
        }
    m->places = places;
}

/* Where one of them has no size, sizes tell none of them apart. */
static void find_classes(struct matching *m)
{
    struct map unsized = {0};
    m->class = arena_array(m->scratch, m->count, sizeof *m->class);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct collective_class *class = &point_at(m, i)->class;
        if (class->elements < 0)
            map_put(&unsized, (int64_t) class->agreed, 1);
    }
    for (uint32_t i = 0; i < m->count; i++) {
        const struct collective_class *class = &point_at(m, i)->class;
        const bool sized = map_get(&unsized, (int64_t) class->agreed) == MAP_NONE;
        m->class[i] = sized ? not_zero(hash_add(class->agreed, (uint64_t) class->elements)) : class->agreed;
    }
    map_free(&unsized);
}

static void sort_places(struct matching *m)
{
    struct arena scratch = {0};
    list_places(m, &scratch);
    struct keyed *order = arena_array(&scratch, m->count, sizeof *order);
    struct place *sorted = arena_array(m->scratch, m->count, sizeof *sorted);
    find_classes(m);
    for (uint32_t i = 0; i < m->count; i++)
        order[i] = (struct keyed){(int64_t)m->class[i], i};
    sort_keyed(order, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        sorted[i] = m->places[order[i].row];
        m->class[i] = (uint64_t)order[i].key;
    }
    m->places = sorted;
    arena_free(&scratch);
}

static bool begins_class(const struct matching *m, uint32_t place)
{
    return !place || m->class[place - 1] != m->class[place];
}

static bool begins_list(const struct matching *m, uint32_t place)
{
    return begins_class(m, place) || m->places[place - 1].rank != m->places[place].rank;
}

static void find_known(struct matching *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        m->class_count += begins_class(m, i);
    m->classes = arena_array(m->scratch, m->class_count, sizeof *m->classes);
    for (uint32_t i = 0, class = 0; i < m->count; i++)
        if (begins_class(m, i))
            m->classes[class ++].numbered = point_at(m, i)->numbered;
}

/* By rank: where its lists begin; one more behind the last. */
static uint32_t *lists_of_ranks(const struct matching *m, struct arena *scratch)
{
    uint32_t *first = arena_array(scratch, (size_t)m->ranks + 1, sizeof *first);
    for (uint32_t i = 0; i < m->count; i++)
        first[m->places[i].rank + 1] += begins_list(m, i);
    for (uint32_t r = 0; r < m->ranks; r++)
        first[r + 1] += first[r];
    return first;
}

static void find_lists(struct matching *m)
{
    struct arena scratch = {0};
    uint32_t *next = lists_of_ranks(m, &scratch);
    uint32_t *spans = arena_array(&scratch, m->ranks, sizeof *spans);
    m->list_count = next[m->ranks];
    m->lists = arena_array(m->scratch, m->list_count, sizeof *m->lists);
    for (uint32_t i = 0, end, class = 0; i < m->count; i = end) {
        const uint32_t rank = m->places[i].rank;
        for (end = i + 1; end < m->count && !begins_list(m, end);)
            end++;
        class += i && begins_class(m, i);
        m->lists[next[rank]++] = (struct list){rank, i, end - i, class, spans[rank]};
        spans[rank] += end - i;
    }
    arena_free(&scratch);
}

/* Room for the spans of any one rank. */
static void open_spans(struct matching *m)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < m->ranks; r++)
        most = m->lines[r].count > most ? m->lines[r].count : most;
    m->spans = arena_array(m->scratch, most, sizeof *m->spans);
    m->mate = arena_array(m->scratch, most, sizeof *m->mate);
}

static void find_spans(const struct matching *m, const struct list *list)
{
    const int64_t origin = m->dated ? m->lines[list->rank].origin_ns - m->lines[0].origin_ns : 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct collective_point *point = point_at(m, list->first + i);
        m->spans[list->span + i] =
            (struct collective_span){point->start_ns + origin, point->end_ns + origin, point->step, point->blocking};
    }
}

static void close_known(struct matching *m)
{
    for (uint32_t i = 0; i < m->class_count; i++) {
        mem_free(m->classes[i].at);
        mem_free(m->classes[i].number);
    }
}

/* ---- one rank against those before it ---- */

/* The lists of a rank. */
struct rank_lists {
    const struct list *at;
    uint32_t count;
};

static struct collective_spans own_of(const struct matching *m, const struct list *list)
{
    return (struct collective_spans){m->spans + list->span, list->count};
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
    const uint32_t pairs = own.count < known.count ? own.count : known.count;
    return (struct alignment){.pairs = pairs, .same_step = pairs};
}

static struct alignment align_list(const struct matching *m, const struct list *list, int64_t offset_ns)
{
    const struct collective_spans own = own_of(m, list), known = known_of(m, list);
    uint32_t *mate = m->mate + list->span;
    return m->classes[list->class].numbered ? align_numbered(own, known, mate)
                                            : collectives_align(own, known, offset_ns, mate);
}

static struct alignment align_rank(const struct matching *m, struct rank_lists rank, int64_t offset_ns)
{
    struct alignment all = {0};
    for (uint32_t i = 0; i < rank.count; i++) {
        const struct alignment one = align_list(m, &rank.at[i], offset_ns);
        all.pairs += one.pairs;
        all.same_step += one.same_step;
        all.apart_ns += one.apart_ns;
        all.pairing += one.pairing * (2 * (uint64_t)i + 1); /* an odd factor a list: which list it was counts */
    }
    return all;
}

/* ---- how far the clock of a rank is off ---- */

enum {
    SHIFTS = 6, /* n-th with (n + k)-th, k from -SHIFTS to SHIFTS */
    NEAR = 32,  /* of longer lists those so many places apart are paired for the densest window */
};

struct tried {
    int64_t offset_ns;
    struct alignment found;
};

struct trial {
    const struct matching *m;
    struct rank_lists rank;
    struct keyed *differences;
    size_t count, room;
    struct tried tried[2 * SHIFTS + 4];
    uint32_t tried_count;
    int64_t offset_ns; /* the best so far */
    struct alignment best;
};

/* Most pairs win, then the clock as it is, then most of one step, then the least difference. */
static bool is_better(const struct trial *t, const struct alignment *found)
{
    if (!t->tried_count || found->pairs != t->best.pairs)
        return !t->tried_count || found->pairs > t->best.pairs;
    if (!t->offset_ns && t->m->dated)
        return false;
    return found->same_step != t->best.same_step ? found->same_step > t->best.same_step
                                                 : found->apart_ns < t->best.apart_ns;
}

static void try_offset(struct trial *t, int64_t offset_ns)
{
    for (uint32_t i = 0; i < t->tried_count; i++)
        if (llabs(offset_ns - t->tried[i].offset_ns) <= COLLECTIVE_ENDS_NS)
            return;
    const struct alignment found = align_rank(t->m, t->rank, offset_ns);
    if (is_better(t, &found)) {
        t->best = found;
        t->offset_ns = offset_ns;
    }
    t->tried[t->tried_count++] = (struct tried){offset_ns, found};
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

/* Of the next best that pairs others. Where the steps bear the best one out, what it pairs of unlike steps speaks for none of the others. */
static uint32_t rival_pairs(const struct trial *t)
{
    const bool borne_out = t->best.same_step == t->best.pairs;
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->tried_count; i++) {
        const struct alignment *found = &t->tried[i].found;
        const uint32_t pairs = borne_out ? found->same_step : found->pairs;
        if (found->pairing != t->best.pairing && pairs > most)
            most = pairs;
    }
    return most;
}

static int64_t find_offset(struct matching *m, struct rank_lists rank)
{
    struct trial t = {.m = m, .rank = rank};
    if (m->dated)
        try_offset(&t, 0);
    try_shift(&t, 0);
    try_densest(&t);
    for (int64_t shift = -SHIFTS; shift <= SHIFTS; shift++)
        try_shift(&t, shift);
    const uint32_t next = rival_pairs(&t);
    if (t.best.pairs && (uint64_t)next * m->doubt.pairs >= (uint64_t)m->doubt.next * t.best.pairs)
        m->doubt = (struct match_doubt){rank.at[0].rank, t.best.pairs, next};
    mem_free(t.differences);
    return t.offset_ns;
}

/* ---- joining ---- */

/* Of the first rank as much as it has, since most classes stay as they are; then twice as much. */
static void make_room(struct known *known, uint32_t more)
{
    const size_t need = (size_t)known->count + more;
    if (need <= known->room)
        return;
    known->room = need > 2 * known->room ? need : 2 * known->room;
    known->at = mem_resize(known->at, known->room * sizeof *known->at);
    known->number = mem_resize(known->number, known->room * sizeof *known->number);
}

/* Puts what nobody before had among the known, which stay in order: from the last one down, each moves at most once. */
static void add_known(struct matching *m, const struct list *list, const uint32_t *number, uint32_t more,
                      int64_t offset_ns)
{
    struct known *known = &m->classes[list->class];
    make_room(known, more);
    uint32_t old = known->count, to = known->count += more;
    for (uint32_t i = list->count; i-- && more;) {
        if (m->mate[list->span + i] != ALIGN_NONE)
            continue;
        struct collective_span span = m->spans[list->span + i];
        span.start_ns -= offset_ns;
        span.end_ns -= offset_ns;
        for (; old && known->at[old - 1].start_ns > span.start_ns; old--) {
            known->at[--to] = known->at[old - 1];
            known->number[to] = known->number[old - 1];
        }
        known->at[--to] = span;
        known->number[to] = number[i];
        more--;
    }
}

static void join_list(struct matching *m, const struct list *list, int64_t offset_ns)
{
    struct known *known = &m->classes[list->class];
    uint32_t *number = mem_alloc((list->count + (size_t)1) * sizeof *number), more = 0;
    align_list(m, list, offset_ns);
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t mate = m->mate[list->span + i];
        number[i] = mate == ALIGN_NONE ? known->numbers++ : known->number[mate];
        more += mate == ALIGN_NONE;
        point_at(m, list->first + i)->key = not_zero(hash_add(m->class[list->first + i], number[i]));
    }
    add_known(m, list, number, more, offset_ns);
    mem_free(number);
}

struct match_doubt collectives_match(const struct collective_line *lines, uint32_t ranks)
{
    struct arena scratch = {0};
    struct matching m = {.lines = lines, .ranks = ranks, .scratch = &scratch};
    collective_number_messages(lines, ranks);
    sort_places(&m);
    find_known(&m);
    find_lists(&m);
    open_spans(&m);
    for (uint32_t first = 0, end; first < m.list_count; first = end) {
        struct rank_lists rank = {m.lists + first, 0};
        for (end = first; end < m.list_count && m.lists[end].rank == m.lists[first].rank;)
            end++;
        rank.count = end - first;
        for (uint32_t i = first; i < end; i++)
            find_spans(&m, &m.lists[i]);
        const int64_t offset_ns = first ? find_offset(&m, rank) : 0;
        for (uint32_t i = first; i < end; i++)
            join_list(&m, &m.lists[i], offset_ns);
    }
    close_known(&m);
    arena_free(&scratch);
    return m.doubt;
}

str match_doubt_words(const struct match_doubt *doubt, struct arena *arena)
{
    if (!doubt->next || 4 * (uint64_t)doubt->next < 3 * (uint64_t)doubt->pairs)
        return S("");
    return str_printf(
        arena,
        "which collective is which is doubtful: %u are found on the other ranks, with its clock set otherwise %u",
        doubt->pairs, doubt->next);
}
