/* SPDX-License-Identifier: Apache-2.0 */
#include "collective_match.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "collective_align.h"

/* The numbers of one class, as far as they are known. */
struct counted {
    uint32_t first_rank;
    uint32_t own, others; /* of the rank that is met first, and of the other */
    uint32_t shared;      /* that both have, while both were inside */
};

struct counting {
    const struct collective_line *lines;
    uint32_t ranks;
    struct map classes; /* what the ends agree on: index into at */
    struct map numbers; /* of the rank that is met first: class and number to index of the point */
    struct counted *at;
    uint32_t count;
};

static uint64_t with_number(const struct collective_point *point)
{
    return hash_add(point->class.agreed, (uint64_t)point->number + 1);
}

static bool has_number(const struct collective_point *point)
{
    return point->message && point->class.agreed && point->number >= 0;
}

/* Times from one epoch; without one they tell nothing. */
static bool were_inside(const struct counting *c, uint32_t a, const struct collective_point *x, uint32_t b,
                        const struct collective_point *y)
{
    if (!c->lines[a].dated || !c->lines[b].dated || !x->blocking || !y->blocking)
        return true;
    const int64_t ahead = c->lines[a].origin_ns - c->lines[b].origin_ns;
    return x->start_ns + ahead <= y->end_ns + COLLECTIVE_ENDS_NS &&
           y->start_ns <= x->end_ns + ahead + COLLECTIVE_ENDS_NS;
}

static struct counted *counted_of(struct counting *c, uint32_t rank, const struct collective_point *point)
{
    uint32_t index = map_get(&c->classes, (int64_t)point->class.agreed);
    if (index == MAP_NONE) {
        index = c->count++;
        c->at[index] = (struct counted){.first_rank = rank};
        map_put(&c->classes, (int64_t)point->class.agreed, index);
    }
    return &c->at[index];
}

static void count_point(struct counting *c, uint32_t rank, uint32_t i)
{
    const struct collective_point *point = &c->lines[rank].at[i];
    struct counted *counted = counted_of(c, rank, point);
    const int64_t key = (int64_t)with_number(point);
    if (counted->first_rank == rank) {
        counted->own++;
        map_put(&c->numbers, key, i);
        return;
    }
    const uint32_t other = map_get(&c->numbers, key), first = counted->first_rank;
    counted->others++;
    counted->shared += other != MAP_NONE && were_inside(c, rank, point, first, &c->lines[first].at[other]);
}

static bool count_alike(const struct counted *counted)
{
    const uint32_t fewer = counted->own < counted->others ? counted->own : counted->others;
    return fewer && 4 * (uint64_t)counted->shared >= 3 * (uint64_t)fewer;
}

static uint32_t numbered_points(const struct counting *c)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < c->ranks; r++)
        for (uint32_t i = 0; i < c->lines[r].count; i++)
            count += has_number(&c->lines[r].at[i]);
    return count;
}

static void take_number(const struct counting *c, struct collective_point *point)
{
    const uint32_t index = map_get(&c->classes, (int64_t)point->class.agreed);
    if (!count_alike(&c->at[index]))
        return;
    point->class.agreed = with_number(point);
    point->numbered = true;
}

void collective_number_messages(const struct collective_line *lines, uint32_t ranks)
{
    struct arena scratch = {0};
    struct counting c = {.lines = lines, .ranks = ranks};
    const uint32_t points = numbered_points(&c);
    c.at = arena_array(&scratch, points, sizeof *c.at);
    for (uint32_t r = 0; r < ranks && points; r++)
        for (uint32_t i = 0; i < lines[r].count; i++)
            if (has_number(&lines[r].at[i]))
                count_point(&c, r, i);
    for (uint32_t r = 0; r < ranks && points; r++)
        for (uint32_t i = 0; i < lines[r].count; i++)
            if (has_number(&lines[r].at[i]))
                take_number(&c, &lines[r].at[i]);
    map_free(&c.classes);
    map_free(&c.numbers);
    arena_free(&scratch);
}
