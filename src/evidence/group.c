/* SPDX-License-Identifier: Apache-2.0 */
#include "group.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"

struct grouping {
    const struct trace *trace;
    const struct movement *movement;
    struct stacks *stacks;
    struct arena *arena;
    struct map index; /* a key to the place among `groups` */
    struct move_group *groups;
    uint32_t *last_step; /* by group: 1 + the step of its last move */
    size_t count, room, steps_room;
};

/* ---- which group a move belongs to ---- */

static uint64_t mix_text(uint64_t hash, str text)
{
    return hash_mix(hash * 31 ^ hash_bytes(text.at, text.len));
}

static uint64_t mix_frame(uint64_t hash, const struct frame *frame)
{
    return hash_mix(mix_text(mix_text(hash, frame->file), frame->name) ^ (uint64_t)frame->line);
}

static int64_t key_of(const struct move_group *group)
{
    const struct place *place = &group->place;
    uint64_t hash = mix_frame(mix_frame(1, &place->function), &place->callee);
    hash = mix_text(mix_text(hash, place->builtin), place->op);
    hash = hash_mix(hash ^ (uint64_t)place->line ^ (uint64_t)place->order << 40);
    hash = mix_text(mix_text(hash, group->operators), group->annotation);
    return (int64_t)hash_mix(hash ^ (uint64_t)(group->direction * HOST_MEMORIES + group->memory));
}

static bool alike(const struct move_group *a, const struct move_group *b)
{
    return a->direction == b->direction && a->memory == b->memory && a->place.line == b->place.line &&
           a->place.order == b->place.order && same_function(&a->place.function, &b->place.function) &&
           same_function(&a->place.callee, &b->place.callee) && str_eq(a->place.builtin, b->place.builtin) &&
           str_eq(a->place.op, b->place.op) && str_eq(a->operators, b->operators) &&
           str_eq(a->annotation, b->annotation);
}

static struct move_group described(const struct grouping *grouping, const struct move *move)
{
    const uint32_t row = move_row(move);
    struct move_group group = {.place = place_of(grouping->stacks, row),
                               .operators = S(""),
                               .annotation = S(""),
                               .direction = move->direction,
                               .memory = move->memory};
    if (group.place.of > ORDERS_KEPT || group.place.line >= 0)
        group.place.order = ORDER_NONE;
    if (place_known(&group.place))
        return group;
    group.operators = place_operators(grouping->trace, row, grouping->arena);
    group.annotation = place_annotation(grouping->trace, row);
    if (!group.operators.len && !move_is_copy(move))
        group.operators = trace_name(grouping->trace, move->sync);
    return group;
}

static uint32_t find(struct grouping *grouping, const struct move_group *like)
{
    for (int64_t key = key_of(like);; key = (int64_t)((uint64_t)key + 1)) {
        const uint32_t at = map_get(&grouping->index, key);
        if (at != MAP_NONE && alike(&grouping->groups[at], like))
            return at;
        if (at != MAP_NONE)
            continue;
        map_put(&grouping->index, key, (uint32_t)grouping->count);
        const size_t need = grouping->count + 1;
        grouping->groups = mem_grow(grouping->groups, &grouping->room, need, sizeof *grouping->groups);
        grouping->last_step = mem_grow(grouping->last_step, &grouping->steps_room, need, sizeof(uint32_t));
        grouping->groups[grouping->count] = *like;
        grouping->last_step[grouping->count] = 0;
        return (uint32_t)grouping->count++;
    }
}

/* ---- sums ---- */

static void sum(struct grouping *grouping, uint32_t at, uint32_t index)
{
    struct move_group *group = &grouping->groups[at];
    const struct move *move = &grouping->movement->at[index];
    if (!group->count || move->blocked_ns > grouping->movement->at[group->example].blocked_ns)
        group->example = index;
    group->count++;
    if (move->step == STEP_NONE)
        return;
    group->in_steps++;
    group->steps += grouping->last_step[at] != move->step + 1;
    grouping->last_step[at] = move->step + 1;
    group->bytes += move->bytes > 0 ? move->bytes : 0;
    group->call_ns += move->call_ns;
    group->sync_ns += move->sync_ns;
    group->device_ns += move->device_ns;
    group->blocked_ns += move->blocked_ns;
    group->bubble_ns += move->bubble_ns;
    group->exposed_ns += move->exposed_ns;
}

/* The moves of every group, as slices of one array. */
static void list_moves(struct grouping *grouping, const uint32_t *group_of)
{
    uint32_t *all = arena_array(grouping->arena, grouping->movement->count, sizeof *all);
    struct arena scratch = {0};
    uint32_t *next = arena_array(&scratch, grouping->count, sizeof *next);
    uint32_t begin = 0;
    for (size_t g = 0; g < grouping->count; g++) {
        grouping->groups[g].moves = all + begin;
        next[g] = begin;
        begin += grouping->groups[g].count;
    }
    for (uint32_t i = 0; i < grouping->movement->count; i++)
        all[next[group_of[i]]++] = i;
    arena_free(&scratch);
}

static struct move_groups ranked(const struct grouping *grouping)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, grouping->count, sizeof *order);
    for (size_t g = 0; g < grouping->count; g++)
        order[g] = (struct keyed){-grouping->groups[g].blocked_ns, (uint32_t)g};
    sort_keyed(order, grouping->count);
    struct move_groups groups = {arena_array(grouping->arena, grouping->count, sizeof *groups.at),
                                 (uint32_t)grouping->count};
    for (size_t g = 0; g < grouping->count; g++)
        groups.at[g] = grouping->groups[order[g].row];
    arena_free(&scratch);
    return groups;
}

struct move_groups groups_of(const struct movement *movement, struct stacks *stacks, const struct trace *trace,
                             struct arena *arena)
{
    struct arena scratch = {0};
    struct grouping grouping = {.trace = trace, .movement = movement, .stacks = stacks, .arena = arena};
    uint32_t *group_of = arena_array(&scratch, movement->count, sizeof *group_of);
    for (uint32_t i = 0; i < movement->count; i++) {
        const struct move_group like = described(&grouping, &movement->at[i]);
        group_of[i] = find(&grouping, &like);
        sum(&grouping, group_of[i], i);
    }
    list_moves(&grouping, group_of);
    const struct move_groups groups = ranked(&grouping);
    map_free(&grouping.index);
    mem_free(grouping.groups);
    mem_free(grouping.last_step);
    arena_free(&scratch);
    return groups;
}
