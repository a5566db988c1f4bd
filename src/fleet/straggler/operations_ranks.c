/* SPDX-License-Identifier: Apache-2.0 */
#include "operations_trace.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "operations_kinds.h"

/* All ranks of one joining. */
struct join {
    const struct rank_operations *ranks;
    uint32_t count;
    const uint32_t *by_rank; /* ranks in ascending order of their numbers */
    int64_t *steps;          /* numbers of those that all ranks have */
    uint32_t step_count;
    struct map step_of;                     /* number to place */
    uint64_t **key;                         /* by place and operation: of a collective that all have; 0: none */
    double *offset_s;                       /* of each rank's clock, by its place */
    uint32_t type_of[RANK_OPERATION_KINDS]; /* of each kind */
};

/* A collective among some of the ranks is work of each. */
static bool is_of_all(const struct join *join, const struct rank_operation *operation)
{
    return operation->kind >= KIND_COLLECTIVE && join->count > 1 &&
           (operation->group_size <= 0 || operation->group_size >= join->count);
}

/* ---- steps that all have ---- */

static void count_steps(const struct rank_operations *rank, struct map *seen)
{
    for (uint32_t i = 0; i < rank->count; i++)
        if (!i || rank->at[i].step != rank->at[i - 1].step) {
            const uint32_t had = map_get(seen, rank->at[i].step);
            map_put(seen, rank->at[i].step, had == MAP_NONE ? 1 : had + 1);
        }
}

static void common_steps(struct join *join, struct arena *scratch)
{
    struct map seen = {0};
    for (uint32_t i = 0; i < join->count; i++)
        count_steps(&join->ranks[i], &seen);
    const struct rank_operations *first = &join->ranks[0];
    join->steps = arena_array(scratch, first->count, sizeof *join->steps);
    for (uint32_t i = 0; i < first->count; i++) {
        const int64_t step = first->at[i].step;
        if ((i && step == first->at[i - 1].step) || map_get(&seen, step) < join->count)
            continue;
        map_put(&join->step_of, step, join->step_count);
        join->steps[join->step_count++] = step;
    }
    map_free(&seen);
}

/* ---- which collectives all have ---- */

static const struct rank_operations *at_place(const struct join *join, uint32_t place)
{
    return &join->ranks[join->by_rank[place]];
}

static bool can_meet(const struct join *join, const struct rank_operation *operation)
{
    return is_of_all(join, operation) && map_get(&join->step_of, operation->step) != MAP_NONE;
}

static int64_t end_ns(const struct rank_operation *operation)
{
    return operation->start_ns + operation->dur_ns;
}

/* The collectives of a rank as points, and where they stand among its operations. */
static struct collective_line line_of(const struct join *join, uint32_t place, uint32_t *at, struct arena *scratch)
{
    const struct rank_operations *rank = at_place(join, place);
    struct collective_line line = {
        .at = arena_array(scratch, rank->count, sizeof *line.at), .origin_ns = rank->origin_ns, .dated = rank->dated};
    for (uint32_t i = 0; i < rank->count; i++) {
        if (!can_meet(join, &rank->at[i]))
            continue;
        at[line.count] = i;
        line.at[line.count++] = (struct collective_point){.class = rank->at[i].class,
                                                          .start_ns = rank->at[i].start_ns,
                                                          .end_ns = end_ns(&rank->at[i]),
                                                          .blocking = true,
                                                          .numbered = rank->at[i].numbered,
                                                          .step = rank->at[i].step};
    }
    return line;
}

/* How many ranks have a key. */
static void count_key(struct map *seen, uint64_t key)
{
    const uint32_t had = map_get(seen, (int64_t)key);
    if (key)
        map_put(seen, (int64_t)key, had == MAP_NONE ? 1 : had + 1);
}

static void find_meetings(struct join *join, struct match_doubt *doubt, struct arena *scratch)
{
    struct collective_line *lines = arena_array(scratch, join->count, sizeof *lines);
    uint32_t **at = arena_array(scratch, join->count, sizeof *at);
    struct map seen = {0};
    join->key = arena_array(scratch, join->count, sizeof *join->key);
    for (uint32_t i = 0; i < join->count; i++) {
        at[i] = arena_array(scratch, at_place(join, i)->count, sizeof **at);
        join->key[i] = arena_array(scratch, at_place(join, i)->count, sizeof **join->key);
        lines[i] = line_of(join, i, at[i], scratch);
    }
    *doubt = collectives_match(lines, join->count);
    doubt->rank = join->by_rank[doubt->rank];
    for (uint32_t i = 0; i < join->count; i++)
        for (uint32_t k = 0; k < lines[i].count; k++)
            count_key(&seen, lines[i].at[k].key);
    for (uint32_t i = 0; i < join->count; i++)
        for (uint32_t k = 0; k < lines[i].count; k++) {
            const uint64_t key = lines[i].at[k].key;
            if (key && map_get(&seen, (int64_t)key) == join->count)
                join->key[i][at[i][k]] = key;
        }
    map_free(&seen);
}

/* ---- clocks ---- */

typedef void met(void *context, uint64_t key, const struct rank_operation *operation);

static void each_meeting(const struct join *join, uint32_t place, met *take, void *context)
{
    const struct rank_operations *rank = at_place(join, place);
    for (uint32_t i = 0; i < rank->count; i++)
        if (join->key[place][i])
            take(context, join->key[place][i], &rank->at[i]);
}

/* Ends of meetings, of the first rank; then how far another's are off them. */
struct ends {
    struct map place; /* of a key in ends */
    struct keyed *at;
    size_t count, room;
    const struct ends *reference;
};

static void keep_end(void *context, uint64_t key, const struct rank_operation *operation)
{
    struct ends *ends = context;
    ends->at = mem_grow(ends->at, &ends->room, ends->count + 1, sizeof *ends->at);
    ends->at[ends->count] = (struct keyed){end_ns(operation), 0};
    map_put(&ends->place, (int64_t)key, (uint32_t)ends->count++);
}

static void keep_difference(void *context, uint64_t key, const struct rank_operation *operation)
{
    struct ends *ends = context;
    const uint32_t at = map_get(&ends->reference->place, (int64_t)key);
    if (at == MAP_NONE)
        return;
    ends->at = mem_grow(ends->at, &ends->room, ends->count + 1, sizeof *ends->at);
    ends->at[ends->count++] = (struct keyed){end_ns(operation) - ends->reference->at[at].key, 0};
}

/* The middle difference; 0 where ranks have no meeting in common. */
static double clock_offset_s(const struct join *join, uint32_t place, const struct ends *reference)
{
    struct ends differences = {.reference = reference};
    each_meeting(join, place, keep_difference, &differences);
    sort_keyed(differences.at, differences.count);
    const double offset_s = differences.count ? (double)differences.at[differences.count / 2].key / 1e9 : 0;
    mem_free(differences.at);
    return offset_s;
}

static void set_clocks(struct join *join, struct arena *scratch)
{
    struct ends reference = {0};
    join->offset_s = arena_array(scratch, join->count, sizeof *join->offset_s);
    each_meeting(join, 0, keep_end, &reference);
    for (uint32_t i = 1; i < join->count; i++)
        join->offset_s[i] = clock_offset_s(join, i, &reference);
    map_free(&reference.place);
    mem_free(reference.at);
}

/* ---- joining ---- */

static const uint32_t *in_order(const struct rank_operations *ranks, uint32_t count, struct arena *scratch)
{
    struct keyed *keys = arena_array(scratch, count, sizeof *keys);
    uint32_t *order = arena_array(scratch, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct keyed){ranks[i].rank, i};
    sort_keyed(keys, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = keys[i].row;
    return order;
}

static enum operation_role role_of(const struct join *join, uint8_t kind)
{
    if (kind == KIND_HOST)
        return ROLE_HOST;
    return kind >= KIND_COLLECTIVE && join->count > 1 ? ROLE_EXCHANGE : ROLE_WORK;
}

/* Those kinds that occur, as types. */
static const struct operation_type *types_of(struct join *join, struct arena *arena, uint32_t *count)
{
    struct operation_type *types = arena_array(arena, RANK_OPERATION_KINDS, sizeof *types);
    bool occurs[RANK_OPERATION_KINDS] = {[KIND_OTHER] = true};
    for (uint32_t i = 0; i < join->count; i++)
        for (uint32_t j = 0; j < join->ranks[i].count; j++)
            occurs[join->ranks[i].at[j].kind] = true;
    *count = 0;
    for (uint8_t kind = 0; kind < RANK_OPERATION_KINDS; kind++) {
        if (!occurs[kind])
            continue;
        join->type_of[kind] = *count;
        types[*count].name = rank_operation_word(kind);
        types[(*count)++].role = role_of(join, kind);
    }
    return types;
}

/*
 * Work is numbered from the collective before it, so that ranks of which one launched more or less than the others agree
 * again behind the next one.
 */
enum { BETWEEN_MEETINGS = 1 << 16 }; /* launches of a kind; no step has as many, nor as many meetings */

struct numbers {
    uint32_t meetings, since[RANK_OPERATION_KINDS], order;
};

static uint32_t next_number(struct numbers *numbers, uint8_t kind, bool meets)
{
    const uint32_t number = numbers->since[kind]++ % BETWEEN_MEETINGS + numbers->meetings * BETWEEN_MEETINGS;
    if (meets) {
        numbers->meetings++;
        memset(numbers->since, 0, sizeof numbers->since);
    }
    return number;
}

/* Appends the operations of one rank's common steps. */
static uint32_t append(const struct join *join, uint32_t place, struct operation *out)
{
    const struct rank_operations *rank = &join->ranks[join->by_rank[place]];
    struct numbers numbers = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct rank_operation *from = &rank->at[i];
        if (i && from->step != rank->at[i - 1].step)
            numbers = (struct numbers){0};
        const uint32_t step = map_get(&join->step_of, from->step);
        if (step == MAP_NONE)
            continue;
        const bool meets = join->key[place][i] != 0;
        if (!meets && is_of_all(join, from))
            continue; /* the others have not recorded it */
        const uint8_t kind = from->kind >= KIND_COLLECTIVE && !meets ? KIND_OTHER : from->kind;
        out[count++] = (struct operation){.start_s = (double)from->start_ns / 1e9 - join->offset_s[place],
                                          .duration_s = (double)from->dur_ns / 1e9,
                                          .type = join->type_of[kind],
                                          .step = step,
                                          .replica = place,
                                          .sequence = next_number(&numbers, kind, meets),
                                          .chunk = -1,
                                          .model_chunk = -1,
                                          .launch = (int32_t)numbers.order++};
    }
    return count;
}

static int by_step(const void *left, const void *right)
{
    const struct operation *a = left, *b = right;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->replica != b->replica)
        return a->replica < b->replica ? -1 : 1;
    return (a->launch > b->launch) - (a->launch < b->launch);
}

static const int64_t *copy_numbers(const int64_t *numbers, uint32_t count, struct arena *arena)
{
    int64_t *copy = arena_array(arena, count, sizeof *copy);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

static void put_together(struct join *join, struct arena *arena, struct operations *operations)
{
    size_t room = 0;
    uint32_t type_count;
    const struct operation_type *types = types_of(join, arena, &type_count);
    for (uint32_t i = 0; i < join->count; i++)
        room += join->ranks[i].count;
    struct operation *at = arena_array(arena, room, sizeof *at);
    uint32_t count = 0;
    int64_t *numbers = arena_array(arena, join->count, sizeof *numbers);
    for (uint32_t i = 0; i < join->count; i++) {
        count += append(join, i, at + count);
        numbers[i] = join->ranks[join->by_rank[i]].rank;
    }
    qsort(at, count, sizeof *at, by_step);
    static const int64_t only_stage = 0;
    *operations = (struct operations){.at = at,
                                      .count = count,
                                      .types = types,
                                      .type_count = type_count,
                                      .unlike = true,
                                      .steps = join->step_count,
                                      .stages = 1,
                                      .replicas = join->count,
                                      .step_numbers = copy_numbers(join->steps, join->step_count, arena),
                                      .stage_numbers = &only_stage,
                                      .replica_numbers = numbers};
}

bool operations_of_ranks(const struct rank_operations *ranks, uint32_t count, struct arena *arena,
                         struct operations *operations, struct match_doubt *doubt, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct join join = {.ranks = ranks, .count = count, .by_rank = in_order(ranks, count, &scratch)};
    common_steps(&join, &scratch);
    const bool good = join.step_count || fail(err, STEPTIME_INPUT, "no step with work that all ranks have recorded");
    if (good) {
        find_meetings(&join, doubt, &scratch);
        set_clocks(&join, &scratch);
        put_together(&join, arena, operations);
    }
    map_free(&join.step_of);
    arena_free(&scratch);
    return good;
}
