/* SPDX-License-Identifier: Apache-2.0 */
#include "ideal.h"

#include "base/map.h"
#include "base/order.h"
#include "base/sort.h"
#include "lines_replay.h"

/* Steps are told apart as far as there is room for a number each, of every kind on every rank. */
enum { CELLS_MOST = 1 << 24 };

struct ideal {
    const struct lines *lines;
    struct replay *replay;
    uint32_t **step;        /* by rank and stretch: which step it leads through */
    uint32_t steps, kinds;  /* kinds: those without names */
    const uint32_t *column; /* by kind: the place of its plain one */
    int64_t *own;           /* by rank, step and column: its time */
    int64_t *typical;       /* by step and column: of the typical rank */
    int64_t *compute; /* by rank and step: compute of the device before the last collective, on the way or beside it */
    int64_t *typical_compute; /* by step */
    int64_t as_is_ns, all_ns;
    bool by_step; /* false: all steps are one */

    /* the current experiment */
    uint32_t rank, stage, class, kind; /* that alone; NO_RANK: all */
    bool all_but;                      /* all but the rank */
};

static int64_t *own_of(const struct ideal *d, uint32_t rank, uint32_t step, uint32_t column)
{
    return &d->own[((size_t)rank * d->steps + step) * d->kinds + column];
}

/* ---- which step ---- */

/* Each step number that any rank has, in order of first sight. */
static uint32_t number_steps(struct ideal *d, struct map *steps)
{
    for (uint32_t r = 0; r < d->lines->count; r++)
        for (uint32_t i = 0; i < d->lines->at[r].numbers->collective_count; i++) {
            const int64_t step = d->lines->at[r].numbers->collectives[i].step;
            if (map_get(steps, step) == MAP_NONE)
                map_put(steps, step, (uint32_t)steps->count);
        }
    return steps->count ? (uint32_t)steps->count : 1;
}

/* That of the first collective it leads to; at the end that of the last. */
static void place_stretches(struct ideal *d, uint32_t r, const struct map *steps, struct arena *arena)
{
    const struct line *line = &d->lines->at[r];
    const uint32_t collectives = line->numbers->collective_count;
    d->step[r] = arena_array(arena, line->strip->stretch_count, sizeof *d->step[r]);
    memset(d->step[r], 0xFF, line->strip->stretch_count * sizeof *d->step[r]);
    for (uint32_t i = 0; i < line->strip->way_count; i++) {
        const uint32_t of = i < collectives ? i : collectives - 1;
        const uint32_t step = d->steps > 1 && collectives ? map_get(steps, line->numbers->collectives[of].step) : 0;
        for (struct strip_link at = line->strip->ways[i];
             at.from == STRIP_STRETCH && d->step[r][at.index] == UINT32_MAX;
             at = line->strip->stretches[at.index].before)
            d->step[r][at.index] = step;
    }
    for (uint32_t s = 0; s < line->strip->stretch_count; s++)
        if (d->step[r][s] == UINT32_MAX)
            d->step[r][s] = 0;
}

/* ---- the typical rank ---- */

static void add_rank(struct ideal *d, uint32_t r)
{
    const struct line *line = &d->lines->at[r];
    for (uint32_t s = 0; s < line->strip->stretch_count; s++) {
        const struct strip_stretch *stretch = &line->strip->stretches[s];
        for (struct strip_walk walk = strip_walk(line->strip, stretch); strip_next(&walk);)
            *own_of(d, r, d->step[r][s], d->column[line->kind[walk.kind]]) += walk.ns;
    }
}

/* What a rank computes behind the last collective of a step: the mean, for the steps that are told apart. */
static void add_compute_behind(struct ideal *d, uint32_t r)
{
    const struct rank_numbers *numbers = d->lines->at[r].numbers;
    int64_t *compute = &d->compute[(size_t)r * d->steps], before = 0, steps = 0;
    for (uint32_t step = 0; step < d->steps; step++) {
        before += compute[step];
        steps += compute[step] > 0;
    }
    const int64_t behind = numbers->time_ns[TIME_COMPUTE] - before;
    for (uint32_t step = 0; step < d->steps && steps > 0 && behind > 0 && d->by_step; step++)
        compute[step] += compute[step] ? behind / steps : 0;
}

/* Of a rank that waits little of its compute is on its ways. So compute of devices is compared as a whole, in a step. */
static void measure_compute(struct ideal *d, uint32_t r, const struct map *steps)
{
    const struct rank_numbers *numbers = d->lines->at[r].numbers;
    for (uint32_t i = 0; numbers->device && i < numbers->collective_count; i++) {
        const uint32_t step = d->steps > 1 ? map_get(steps, numbers->collectives[i].step) : 0;
        int64_t *most = &d->compute[(size_t)r * d->steps + step];
        *most = larger_of(*most, rank_before(&numbers->befores, i).ns[SINCE_STEP][TIME_COMPUTE]);
    }
}

static int64_t middle_of(int64_t *values, uint32_t count)
{
    sort_values(values, count);
    return values[(count - 1) / 2];
}

static int64_t mean_of(const int64_t *values, uint32_t count)
{
    __int128 sum = 0;
    uint32_t some = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i];
        some += values[i] > 0;
    }
    return some ? (int64_t)(sum / some) : 0;
}

static int64_t typical_of(int64_t *values, uint32_t count, enum ideal_rule rule)
{
    return rule == IDEAL_MEAN ? mean_of(values, count) : middle_of(values, count);
}

static void find_typical(struct ideal *d, enum ideal_rule rule, struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t count = d->lines->count;
    int64_t *values = arena_array(&scratch, count, sizeof *values);
    d->typical = arena_array(arena, (size_t)d->steps * d->kinds, sizeof *d->typical);
    d->typical_compute = arena_array(arena, d->steps, sizeof *d->typical_compute);
    for (uint32_t step = 0; step < d->steps; step++) {
        for (uint32_t column = 0; column < d->kinds; column++) {
            for (uint32_t r = 0; r < count; r++)
                values[r] = *own_of(d, r, step, column);
            d->typical[(size_t)step * d->kinds + column] = typical_of(values, count, rule);
        }
        for (uint32_t r = 0; r < count; r++)
            values[r] = d->compute[(size_t)r * d->steps + step];
        d->typical_compute[step] = typical_of(values, count, rule);
    }
    arena_free(&scratch);
}

/* ---- experiments ---- */

static bool is_ideal(const void *of, uint32_t rank, uint32_t kind)
{
    const struct ideal *d = of;
    if (d->all_but)
        return rank != d->rank;
    if (d->stage != NO_RANK && d->lines->ranks->stages.of_rank[rank] != d->stage)
        return false;
    return (d->rank == NO_RANK || d->rank == rank) &&
           (d->class == NO_RANK || d->class == d->lines->kinds[kind].class) && (d->kind == NO_RANK || d->kind == kind);
}

/* By how much longer a piece takes where it is ideal. Kinds that nobody can work on stay as they are. */
static int64_t longer(const void *of, uint32_t rank, uint32_t stretch, uint32_t kind, int64_t ns)
{
    const struct ideal *d = of;
    const uint32_t column = d->column[kind], step = d->step[rank][stretch];
    int64_t own = *own_of(d, rank, step, column), typical = d->typical[(size_t)step * d->kinds + column];
    if (d->lines->kinds[kind].class == PATH_COMPUTE && d->compute[(size_t)rank * d->steps + step]) {
        own = d->compute[(size_t)rank * d->steps + step];
        typical = d->typical_compute[step];
    }
    if (own <= 0 || d->lines->kinds[kind].class == PATH_UNKNOWN)
        return 0;
    return (int64_t)((__int128)ns * typical / own) - ns;
}

static int64_t nothing(const void *of, uint32_t meeting, int64_t ns)
{
    return 0;
}

static int64_t without_link(const void *of, uint32_t meeting, int64_t ns)
{
    const struct ideal *d = of;
    return smaller_of(ns, d->lines->ranks->link.usual_ns[meeting]);
}

static int64_t run(struct ideal *d, uint32_t rank, uint32_t class, uint32_t kind, bool all_but)
{
    d->rank = rank;
    d->class = class;
    d->kind = kind;
    d->all_but = all_but;
    return lines_replay_run(d->replay, &(struct replay_change){.wants = is_ideal, .of = d});
}

struct ideal *ideal_new(const struct lines *lines, enum ideal_rule rule, struct arena *arena)
{
    struct map steps = {0};
    struct ideal *d = arena_alloc(arena, sizeof *d);
    *d = (struct ideal){.lines = lines, .stage = NO_RANK};
    uint32_t *column = arena_array(arena, lines->kind_count, sizeof *column);
    for (uint32_t kind = 0; kind < lines->kind_count; kind++)
        column[kind] = lines->kinds[kind].plain == kind ? d->kinds++ : column[lines->kinds[kind].plain];
    d->column = column;
    d->steps = number_steps(d, &steps);
    d->by_step = (uint64_t)lines->count * d->steps * d->kinds <= CELLS_MOST;
    if (!d->by_step)
        d->steps = 1;
    d->step = arena_array(arena, lines->count, sizeof *d->step);
    d->own = arena_array(arena, (size_t)lines->count * d->steps * d->kinds, sizeof *d->own);
    d->compute = arena_array(arena, (size_t)lines->count * d->steps, sizeof *d->compute);
    for (uint32_t r = 0; r < lines->count; r++) {
        place_stretches(d, r, &steps, arena);
        add_rank(d, r);
        measure_compute(d, r, &steps);
        add_compute_behind(d, r);
    }
    find_typical(d, rule, arena);
    d->replay = lines_replay_new(lines, &(struct way_changes){longer, d}, arena);
    d->as_is_ns = lines_replay_run(d->replay, &(struct replay_change){0});
    d->all_ns = run(d, NO_RANK, NO_RANK, NO_RANK, false);
    map_free(&steps);
    return d;
}

bool ideal_by_step(const struct ideal *ideal)
{
    return ideal->by_step;
}

int64_t ideal_as_is_ns(struct ideal *ideal)
{
    return ideal->as_is_ns;
}

int64_t ideal_all_ns(struct ideal *ideal)
{
    return ideal->all_ns;
}

int64_t ideal_rank_ns(struct ideal *ideal, uint32_t rank)
{
    return run(ideal, rank, NO_RANK, NO_RANK, false);
}

int64_t ideal_all_but_ns(struct ideal *ideal, uint32_t rank)
{
    return run(ideal, rank, NO_RANK, NO_RANK, true);
}

int64_t ideal_kind_ns(struct ideal *ideal, uint32_t plain, uint32_t rank)
{
    return run(ideal, rank, NO_RANK, plain, false);
}

int64_t ideal_class_ns(struct ideal *ideal, uint8_t class)
{
    return run(ideal, NO_RANK, class, NO_RANK, false);
}

int64_t ideal_stage_ns(struct ideal *ideal, uint32_t stage)
{
    ideal->stage = stage;
    const int64_t ns = run(ideal, NO_RANK, NO_RANK, NO_RANK, false);
    ideal->stage = NO_RANK;
    return ns;
}

int64_t ideal_link_ns(struct ideal *ideal)
{
    return lines_replay_run(ideal->replay, &(struct replay_change){.transfer = without_link, .of = ideal});
}

int64_t ideal_transfers_ns(struct ideal *ideal)
{
    return lines_replay_run(ideal->replay, &(struct replay_change){.transfer = nothing});
}
