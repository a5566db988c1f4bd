/* SPDX-License-Identifier: Apache-2.0 */
#include "collective_match.h"

#include "base/hash.h"
#include "base/sort.h"

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
};

struct matching {
    const struct collective_line *lines;
    uint32_t ranks;
    struct place *places; /* by class, then rank, then in order */
    uint32_t count;
    struct list *lists; /* by class, then rank */
    uint32_t list_count;
    int64_t *offset_ns; /* by rank: its clock less that of the first rank */
};

static struct collective_point *point_at(const struct matching *m, uint32_t place)
{
    return &m->lines[m->places[place].rank].at[m->places[place].index];
}

static void sort_places(struct matching *m, struct arena *scratch)
{
    uint32_t room = 0;
    for (uint32_t r = 0; r < m->ranks; r++)
        room += m->lines[r].count;
    struct place *listed = arena_array(scratch, room, sizeof *listed);
    struct keyed *order = arena_array(scratch, room, sizeof *order);
    m->places = arena_array(scratch, room, sizeof *m->places);
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

static void find_lists(struct matching *m, struct arena *scratch)
{
    m->lists = arena_array(scratch, m->count, sizeof *m->lists);
    for (uint32_t i = 0; i < m->count; i++) {
        struct list *last = m->list_count ? &m->lists[m->list_count - 1] : NULL;
        if (last && last->rank == m->places[i].rank && point_at(m, last->first)->class == point_at(m, i)->class)
            last->count++;
        else
            m->lists[m->list_count++] = (struct list){m->places[i].rank, i, 1};
        point_at(m, i)->number = (int32_t)(i - m->lists[m->list_count - 1].first);
    }
}

/* The lists of the class that begins at `first`: up to the returned one. */
static uint32_t class_end(const struct matching *m, uint32_t first)
{
    const uint64_t class = point_at(m, m->lists[first].first)->class;
    uint32_t end = first + 1;
    while (end < m->list_count && point_at(m, m->lists[end].first)->class == class)
        end++;
    return end;
}

static bool as_many(const struct matching *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++)
        if (m->lists[i].count != m->lists[first].count)
            return false;
    return true;
}

/* ---- clocks ---- */

/* Differences of ends to the rank before all others of its class, whose own clock is set already. */
static void add_differences(const struct matching *m, uint32_t first, uint32_t end, struct keyed *differences,
                            uint32_t *count)
{
    const struct list *reference = &m->lists[first];
    for (uint32_t i = first + 1; reference->rank == 0 && i < end; i++)
        for (uint32_t k = 0; k < reference->count; k++) {
            const int64_t ns = point_at(m, m->lists[i].first + k)->end_ns - point_at(m, reference->first + k)->end_ns;
            differences[(*count)++] = (struct keyed){ns, m->lists[i].rank};
        }
}

/* The middle difference of each rank to the first; 0 where they have no class with as many. */
static void set_clocks(struct matching *m, struct arena *scratch)
{
    struct keyed *all = arena_array(scratch, m->count, sizeof *all);
    uint32_t *seen = arena_array(scratch, m->ranks, sizeof *seen),
             *total = arena_array(scratch, m->ranks, sizeof *total);
    uint32_t count = 0;
    m->offset_ns = arena_array(scratch, m->ranks, sizeof *m->offset_ns);
    for (uint32_t first = 0, end; first < m->list_count; first = end) {
        end = class_end(m, first);
        if (as_many(m, first, end))
            add_differences(m, first, end, all, &count);
    }
    for (uint32_t i = 0; i < count; i++)
        total[all[i].row]++;
    sort_keyed(all, count);
    for (uint32_t i = 0; i < count; i++)
        if (seen[all[i].row]++ == total[all[i].row] / 2)
            m->offset_ns[all[i].row] = all[i].key;
}

/* ---- lists of different lengths ---- */

static double apart(const struct matching *m, const struct list *shorter, const struct list *longer, uint32_t shift)
{
    const int64_t offset_ns = m->offset_ns[longer->rank] - m->offset_ns[shorter->rank];
    double sum = 0;
    for (uint32_t k = 0; k < shorter->count; k++) {
        const double ns = (double)point_at(m, longer->first + shift + k)->end_ns -
                          (double)point_at(m, shorter->first + k)->end_ns - (double)offset_ns;
        sum += ns < 0 ? -ns : ns;
    }
    return sum;
}

enum { SHIFTS = 64 }; /* looked at from either end; further apart lists are of other recordings */

/* Numbers the longer list so that it lies best along the shorter one. */
static void lay_along(const struct matching *m, const struct list *shorter, const struct list *longer)
{
    const uint32_t most = longer->count - shorter->count;
    uint32_t best = 0;
    double least = apart(m, shorter, longer, 0);
    for (uint32_t shift = 1; shift <= most; shift++) {
        if (shift == SHIFTS && most > 2 * SHIFTS)
            shift = most - SHIFTS;
        const double here = apart(m, shorter, longer, shift);
        if (here < least) {
            least = here;
            best = shift;
        }
    }
    for (uint32_t k = 0; k < longer->count; k++)
        point_at(m, longer->first + k)->number = (int32_t)k - (int32_t)best;
}

static void match_class(const struct matching *m, uint32_t first, uint32_t end)
{
    uint32_t shortest = first;
    for (uint32_t i = first + 1; i < end; i++)
        shortest = m->lists[i].count < m->lists[shortest].count ? i : shortest;
    for (uint32_t i = first; i < end; i++)
        if (m->lists[i].count > m->lists[shortest].count)
            lay_along(m, &m->lists[shortest], &m->lists[i]);
}

void collectives_match(const struct collective_line *lines, uint32_t ranks)
{
    struct arena scratch = {0};
    struct matching m = {.lines = lines, .ranks = ranks};
    sort_places(&m, &scratch);
    find_lists(&m, &scratch);
    set_clocks(&m, &scratch);
    for (uint32_t first = 0, end; first < m.list_count; first = end) {
        end = class_end(&m, first);
        match_class(&m, first, end);
    }
    arena_free(&scratch);
}
