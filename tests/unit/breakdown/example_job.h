/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs whose strips are written down by hand: of each rank what it does, one after another, and the collectives between.
 * Times are in milliseconds, so that none is a tie.
 */
#ifndef EXAMPLE_JOB_H
#define EXAMPLE_JOB_H

#include "unit/cmocka_first.h"

#include <stdlib.h>
#include <string.h>

#include "breakdown/job/job.h"
#include "ops/rows/phase.h"

enum { EXAMPLE_RANKS = 4, EXAMPLE_ITEMS = 8, NO_GROUP = 0 };

static const int64_t EXAMPLE_MS = 1000 * 1000;

/* Work of a class, or where `group` is set a collective of it. */
struct item {
    enum path_class class;
    uint64_t group;
    int64_t ms;     /* of work */
    int64_t end_ms; /* of a collective: when this rank leaves it */
    const char *name;
};

struct example {
    struct arena arena;
    uint32_t count;
    struct job_rank ranks[EXAMPLE_RANKS];
    struct rank_numbers numbers[EXAMPLE_RANKS];
    struct strip strips[EXAMPLE_RANKS];
    struct ranks merged;
    struct lines lines;
};

static inline void example_work(struct example *e, uint32_t r, const struct item *item, int64_t *now_ns,
                                struct strip_link *before, struct strip_packing *packing)
{
    struct strip *strip = &e->strips[r];
    const uint8_t phase = item->class == PATH_BACKWARD    ? PHASE_BACKWARD
                          : item->class == PATH_OPTIMIZER ? PHASE_OPTIMIZER
                                                          : PHASE_FORWARD;
    const int64_t ns = item->ms * EXAMPLE_MS;
    uint32_t name = 0;
    if (item->name) {
        name = strip->name_count++;
        strip->names[name] = str_of(item->name);
    }
    const struct strip_piece piece = {ns, {name, (uint8_t)item->class, CAUSE_NONE, phase}};
    struct strip_stretch *stretch = &strip->stretches[strip->stretch_count];
    *stretch = (struct strip_stretch){*now_ns + ns, *before, 0};
    strip_pack(packing, &piece, 1, stretch);
    *before = (struct strip_link){STRIP_STRETCH, strip->stretch_count++};
    *now_ns += ns;
}

static inline void example_collective(struct example *e, uint32_t r, const struct item *item, int64_t *now_ns,
                                      struct strip_link *before)
{
    struct rank_numbers *numbers = &e->numbers[r];
    const uint32_t index = numbers->collective_count++;
    numbers->groups[item->group] = (struct collective_group){S(""), 2, item->group, S("")};
    numbers->collectives[index] = (struct rank_collective){
        .of = {.call_ns = *now_ns,
               .start_ns = *now_ns,
               .dur_ns = item->end_ms * EXAMPLE_MS - *now_ns,
               .seq = 0,
               .in_elements = 64,
               .out_elements = 64,
               .row = index,
               .call = ROW_NONE,
               .group = (uint32_t)item->group,
               .kind = COLLECTIVE_ALL_REDUCE},
        .after = RANK_FIRST,
    };
    e->strips[r].ways[index] = *before;
    *before = (struct strip_link){STRIP_COLLECTIVE, index};
    *now_ns = item->end_ms * EXAMPLE_MS;
}

static inline void example_rank(struct example *e, const struct item *items, uint32_t count)
{
    const uint32_t r = e->count++;
    struct rank_numbers *numbers = &e->numbers[r];
    struct strip *strip = &e->strips[r];
    int64_t now_ns = 0;
    struct strip_link before = {STRIP_START, 0};
    *numbers = (struct rank_numbers){.rank = r, .world_size = -1, .host = S("node7"), .device = true, .steps = 1};
    numbers->path = S("");
    numbers->collectives = arena_array(&e->arena, EXAMPLE_ITEMS, sizeof *numbers->collectives);
    numbers->groups = arena_array(&e->arena, EXAMPLE_ITEMS, sizeof *numbers->groups);
    strip->ways = arena_array(&e->arena, EXAMPLE_ITEMS, sizeof *strip->ways);
    strip->stretches = arena_array(&e->arena, EXAMPLE_ITEMS, sizeof *strip->stretches);
    strip->names = arena_array(&e->arena, EXAMPLE_ITEMS, sizeof *strip->names);
    strip->name_count = 1;
    struct strip_packing packing = {0};
    for (uint32_t i = 0; i < count; i++)
        if (items[i].group)
            example_collective(e, r, &items[i], &now_ns, &before);
        else
            example_work(e, r, &items[i], &now_ns, &before, &packing);
    strip_packed(&packing, &e->arena, strip);
    const struct rank_before nothing[EXAMPLE_ITEMS] = {0};
    numbers->befores = rank_befores_of(nothing, numbers->collective_count, &e->arena);
    strip->ways[numbers->collective_count] = before;
    strip->way_count = numbers->collective_count + 1;
    strip->last_ns = numbers->step_ns = now_ns;
    assert_true(strip_check(strip));
    e->ranks[r] = (struct job_rank){.numbers = numbers, .strip = strip};
}

static inline void example_merge(struct example *e)
{
    const struct rank_numbers **at = arena_array(&e->arena, e->count, sizeof *at);
    for (uint32_t r = 0; r < e->count; r++)
        at[r] = &e->numbers[r];
    ranks_merge(at, e->count, &e->arena, &e->merged);
    assert_true(lines_of(e->ranks, e->count, &e->merged, &e->arena, &e->lines));
}

static inline void example_free(struct example *e)
{
    arena_free(&e->arena);
    free(e);
}

/* Three ranks and two collectives: A of 0 and 1, which moves its bytes in 100 ms, B of 1 and 2 in 50. */
static inline struct example *worked_example(void)
{
    struct example *e = calloc(1, sizeof *e);
    const struct item rank_0[] = {{PATH_FORWARD, .ms = 900},
                                  {.group = 1, .end_ms = 1000},
                                  {PATH_BACKWARD, .ms = 100},
                                  {PATH_OPTIMIZER, .ms = 150}};
    const struct item rank_1[] = {{PATH_FORWARD, .ms = 300},
                                  {.group = 1, .end_ms = 1000},
                                  {PATH_BACKWARD, .ms = 200},
                                  {.group = 2, .end_ms = 1250},
                                  {PATH_OPTIMIZER, .ms = 100}};
    const struct item rank_2[] = {{PATH_FORWARD, .ms = 750}, {.group = 2, .end_ms = 1250}, {PATH_OPTIMIZER, .ms = 200}};
    example_rank(e, rank_0, 4);
    example_rank(e, rank_1, 5);
    example_rank(e, rank_2, 3);
    example_merge(e);
    return e;
}

#endif
