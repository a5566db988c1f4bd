/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern.h"

#include "base/map.h"

enum {
    SMALL_BYTES = 64 * 1024,
    MANY = 4,             /* small copies in a row */
    IN_A_ROW_NS = 300000, /* from one to the next */
    LOOPING = 10,         /* moves in one run of a function */
    TRIP_BYTES = 64,      /* fewer bytes are alike by chance */
};

static void mark(struct move_group *group, enum pattern pattern)
{
    group->patterns |= 1U << pattern;
}

static const struct move *move_at(const struct movement *movement, const struct move_group *group, uint32_t i)
{
    return &movement->at[group->moves[i]];
}

/* ---- the same in every step ---- */

/* The moves of the group that lie in the step that its i-th lies in: [i, end). */
static uint32_t end_of_step(const struct movement *movement, const struct move_group *group, uint32_t i)
{
    uint32_t end = i;
    while (end < group->count && move_at(movement, group, end)->step == move_at(movement, group, i)->step)
        end++;
    return end;
}

static bool same_sizes(const struct movement *movement, const struct move_group *group, uint32_t a, uint32_t b,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (move_at(movement, group, a + i)->bytes != move_at(movement, group, b + i)->bytes)
            return false;
    return true;
}

static bool is_repeated(const struct movement *movement, const struct move_group *group, const struct trace *trace)
{
    if (group_is_sync(group) || group->steps < 2 || group->steps < trace->step_count)
        return false;
    uint32_t first = 0;
    while (move_at(movement, group, first)->step == STEP_NONE)
        first++;
    const uint32_t each = end_of_step(movement, group, first) - first;
    for (uint32_t i = first; i < group->count; i += each) {
        if (move_at(movement, group, i)->step == STEP_NONE)
            break;
        if (end_of_step(movement, group, i) - i != each || !same_sizes(movement, group, first, i, each))
            return false;
    }
    return true;
}

/* ---- there and back ---- */

/* What was moved last in a step, by its size. */
struct trips {
    struct map last; /* (step, bytes) to the group of the move */
    struct move_groups *groups;
    uint32_t *group_of; /* by move */
};

static int64_t trip_key(const struct move *move, enum copy_direction direction)
{
    return (int64_t)(((uint64_t)move->step << 40 ^ (uint64_t)move->bytes) << 1 | (direction == COPY_H2D));
}

static void look_back(struct trips *trips, const struct move *move, struct move_group *group)
{
    const bool up = move->direction == COPY_H2D;
    const uint32_t other = map_get(&trips->last, trip_key(move, up ? COPY_D2H : COPY_H2D));
    if (other == MAP_NONE)
        return;
    const enum pattern pattern = up ? PATTERN_ROUND_TRIP : PATTERN_ECHO;
    mark(group, pattern);
    mark(&trips->groups->at[other], pattern);
}

static void find_trips(struct trips *trips, const struct movement *movement)
{
    for (uint32_t i = 0; i < movement->count; i++) {
        const struct move *move = &movement->at[i];
        if (move->step == STEP_NONE || move->bytes < TRIP_BYTES ||
            (move->direction != COPY_H2D && move->direction != COPY_D2H))
            continue;
        look_back(trips, move, &trips->groups->at[trips->group_of[i]]);
        map_put(&trips->last, trip_key(move, move->direction), trips->group_of[i]);
    }
}

/* ---- many in a row ---- */

static bool is_small(const struct move *move)
{
    return move_is_copy(move) && move->bytes >= 0 && move->bytes <= SMALL_BYTES &&
           (move->direction == COPY_H2D || move->direction == COPY_D2H);
}

static int64_t end_ns(const struct move *move)
{
    return move->start_ns + move->call_ns + move->sync_ns;
}

static void find_runs(const struct movement *movement, const struct trips *trips, struct arena *arena)
{
    uint32_t *in_runs = arena_array(arena, trips->groups->count, sizeof *in_runs);
    for (uint32_t i = 0; i < movement->count;) {
        uint32_t end = i + 1;
        const struct move *first = &movement->at[i];
        while (is_small(first) && end < movement->count && is_small(&movement->at[end]) &&
               movement->at[end].direction == first->direction &&
               movement->at[end].start_ns - end_ns(&movement->at[end - 1]) <= IN_A_ROW_NS)
            end++;
        for (uint32_t k = i; k < end && end - i >= MANY; k++)
            in_runs[trips->group_of[k]]++;
        i = end;
    }
    for (uint32_t g = 0; g < trips->groups->count; g++)
        if (in_runs[g] * 2 > trips->groups->at[g].count)
            mark(&trips->groups->at[g], PATTERN_MANY_SMALL);
}

/* ---- what the operators say ---- */

static bool within(const struct trace *trace, const struct move *move, const char *const *names)
{
    for (uint32_t at = trace_operator(trace, move_row(move)); at != ROW_NONE; at = trace->parent[at])
        for (size_t i = 0; names[i]; i++)
            if (str_eq(trace_name(trace, at), str_of(names[i])))
                return true;
    return false;
}

static const char *const scalars[] = {"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", "aten::equal",
                                      NULL};

/* Operators that need a size on the host before they can make their result. */
static const char *const dynamic[] = {"aten::nonzero",
                                      "aten::_unique",
                                      "aten::_unique2",
                                      "aten::unique_dim",
                                      "aten::unique_consecutive",
                                      "aten::masked_select",
                                      "aten::repeat_interleave",
                                      "aten::bincount",
                                      "aten::nonzero_numpy",
                                      NULL};

static const char *const joining[] = {"aten::cat", "aten::_cat", "aten::stack", NULL};

static bool grows(const struct movement *movement, const struct move_group *group)
{
    uint32_t larger = 0, pairs = 0;
    for (uint32_t i = 1; i < group->count; i++) {
        const struct move *before = move_at(movement, group, i - 1), *move = move_at(movement, group, i);
        if (move->step != before->step)
            continue;
        pairs++;
        larger += move->bytes > before->bytes;
    }
    return pairs >= LOOPING - 1 && larger * 10 >= pairs * 8;
}

static void look_at_operators(struct move_group *group, const struct movement *movement, const struct trace *trace)
{
    const struct move *example = move_at(movement, group, 0);
    if (within(trace, example, dynamic))
        mark(group, PATTERN_DYNAMIC_SHAPE);
    else if (within(trace, example, scalars))
        mark(group, PATTERN_SCALAR);
    if (group->direction == COPY_D2D && within(trace, example, joining) && grows(movement, group))
        mark(group, PATTERN_GROWING);
}

/* ---- whole ---- */

/* Of a function that makes so many calls of a name, or without frames, so many moves of one kind in a step. */
static bool loops(const struct move_group *group)
{
    if (place_known(&group->place) && group->place.of)
        return group->place.of >= LOOPING && group->count >= LOOPING;
    return group->steps && group->in_steps / group->steps >= LOOPING;
}

void find_patterns(struct move_groups *groups, const struct movement *movement, const struct trace *trace)
{
    struct arena scratch = {0};
    struct trips trips = {.groups = groups, .group_of = arena_array(&scratch, movement->count, sizeof(uint32_t))};
    for (uint32_t g = 0; g < groups->count; g++) {
        struct move_group *group = &groups->at[g];
        for (uint32_t i = 0; i < group->count; i++)
            trips.group_of[group->moves[i]] = g;
        if (is_repeated(movement, group, trace))
            mark(group, PATTERN_REPEATED);
        if (loops(group))
            mark(group, PATTERN_LOOP);
        look_at_operators(group, movement, trace);
    }
    find_trips(&trips, movement);
    find_runs(movement, &trips, &scratch);
    map_free(&trips.last);
    arena_free(&scratch);
}
