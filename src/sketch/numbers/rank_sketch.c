/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By columns, since like numbers side by side pack well. What follows from other columns is expected there, so that in a
 * column of such numbers nothing but zeros is left.
 */
#include "rank_sketch.h"

#include "base/error.h"
#include "base/order.h"
#include "sketch/file/code.h"

/* Times of a rank are below it (breakdown/ranks/ranks_run.c), their sums below the other. */
static const int64_t latest_ns = (int64_t)1 << 59, most_ns = (int64_t)1 << 60;

/* ---- the rank ---- */

static void code_rank(struct code *code, struct rank_numbers *rank)
{
    code_kept(code, &rank->host);
    code_int(code, &rank->world_size, 0, -1, INT64_MAX);
    code_bool(code, &rank->device);
    code_u32(code, &rank->steps, 0);
    code_int(code, &rank->step_ns, 0, 0, most_ns);
    code_real(code, &rank->step_p50_ns);
    for (int time = 0; time < RANK_TIMES; time++)
        code_int(code, &rank->time_ns[time], 0, 0, most_ns);
    code_int(code, &rank->communication_ns, 0, 0, most_ns);
    code_real(code, &rank->elements);
    code_int(code, &rank->origin_ns, 0, INT64_MIN, INT64_MAX);
    code_bool(code, &rank->dated);
    code_int(code, &rank->device_low_ns, INT64_MIN, INT64_MIN, INT64_MAX);
    code_int(code, &rank->device_high_ns, INT64_MAX, INT64_MIN, INT64_MAX);
    code_u32(code, &rank->unknown_kinds, 0);
    code_kept(code, &rank->unknown_kind);
}

static void code_groups(struct code *code, struct rank_numbers *rank, uint32_t *count)
{
    code_count(code, count);
    if (code_reads(code))
        rank->groups = arena_array(code->arena, *count, sizeof *rank->groups);
    for (uint32_t i = 0; i < *count; i++) {
        code_kept(code, &rank->groups[i].name);
        code_int(code, &rank->groups[i].size, 0, 0, INT64_MAX);
        code_bits(code, &rank->groups[i].identity);
    }
}

/* ---- its collectives: when ---- */

static void code_times(struct code *code, struct rank_numbers *rank)
{
    struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        const int64_t before_ns = i ? at[i - 1].of.call_ns : 0;
        code_int(code, &at[i].of.call_ns, before_ns, before_ns, latest_ns);
    }
    for (uint32_t i = 0; i < rank->collective_count; i++)
        code_int(code, &at[i].of.start_ns, at[i].of.call_ns, 0, latest_ns);
    for (uint32_t i = 0; i < rank->collective_count; i++)
        code_int(code, &at[i].of.dur_ns, 0, -1, latest_ns);
}

/* STEP_BEFORE_ALL and STEP_AFTER_ALL lie beyond all numbers. */
static void code_steps(struct code *code, struct rank_numbers *rank)
{
    struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++)
        code_int(code, &at[i].step, i ? at[i - 1].step : 0, INT64_MIN, INT64_MAX);
    for (uint32_t i = 0; i < rank->collective_count; i++)
        code_u32(code, &at[i].of.step, i ? at[i - 1].of.step : 0);
}

/* ---- which ---- */

static void code_kinds(struct code *code, struct rank_numbers *rank, uint32_t groups)
{
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        struct collective *const of = &rank->collectives[i].of;
        uint32_t kind = of->kind, element_bytes = of->element_bytes;
        code_small(code, &of->group, groups);
        code_small(code, &kind, COLLECTIVE_KINDS);
        code_small(code, &element_bytes, UINT8_MAX + 1);
        code_bool(code, &of->on_host);
        code_bool(code, &of->queued_before);
        code_small(code, &of->of_graph, UINT32_MAX);
        of->kind = (uint8_t)kind;
        of->element_bytes = (uint8_t)element_bytes;
    }
}

/* Who sends and who receives, of messages between two. */
static void code_ends(struct code *code, struct collective *of)
{
    if (code_reads(code)) {
        of->source = of->destination = -1;
        of->call = ROW_NONE; /* nothing asks for it once the strip is made */
    }
    if (of->kind != COLLECTIVE_POINT_TO_POINT)
        return;
    code_bool(code, &of->sends);
    int64_t source = of->source, destination = of->destination;
    code_int(code, &source, 0, -1, INT32_MAX);
    code_int(code, &destination, source, -1, INT32_MAX);
    of->source = (int32_t)source;
    of->destination = (int32_t)destination;
}

static void code_messages(struct code *code, struct rank_numbers *rank)
{
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        struct collective *const of = &rank->collectives[i].of;
        code_int(code, &of->in_elements, 0, -1, INT64_MAX);
        code_int(code, &of->out_elements, of->in_elements, -1, INT64_MAX);
        code_ends(code, of);
    }
}

/* Numbers of a group count up, groups take turns. */
static void code_numbers(struct code *code, struct rank_numbers *rank, uint32_t groups)
{
    struct arena scratch = {0};
    int64_t *const next = arena_array(&scratch, groups + 1, sizeof *next);
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        struct collective *const of = &rank->collectives[i].of;
        code_int(code, &of->seq, next[of->group], -1, INT64_MAX);
        next[of->group] = of->seq >= 0 ? (int64_t)((uint64_t)of->seq + 1) : -1;
    }
    arena_free(&scratch);
}

static void code_events(struct code *code, struct rank_numbers *rank)
{
    struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++)
        code_u32(code, &at[i].of.row, i ? at[i - 1].of.row : 0);
}

/* ---- what the rank did before ---- */

static void code_after(struct code *code, struct rank_numbers *rank)
{
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        uint32_t *const after = &rank->collectives[i].after;
        int64_t behind = *after == RANK_FIRST ? 0 : (int64_t)*after + 1;
        code_int(code, &behind, i, 0, rank->collective_count);
        *after = behind ? (uint32_t)(behind - 1) : RANK_FIRST;
    }
}

/* Times of which all but `rest` are as they come, from what is expected; they add up to a sum that is expected too. */
static void code_parts(struct code *code, int64_t times[RANK_TIMES], const int64_t expected[RANK_TIMES],
                       enum rank_time rest, int64_t sum)
{
    for (int time = 0; time < RANK_TIMES; time++)
        if (time != (int)rest) {
            code_int(code, &times[time], expected[time], 0, most_ns);
            sum = (int64_t)((uint64_t)sum - (uint64_t)times[time]);
        }
    code_int(code, &times[rest], sum, 0, most_ns);
}

static int64_t sum_of(const int64_t times[RANK_TIMES])
{
    uint64_t sum = 0;
    for (int time = 0; time < RANK_TIMES; time++)
        sum += (uint64_t)times[time];
    return (int64_t)sum;
}

/* From the end of the collective that it came after. */
static void code_since_collective(struct code *code, const struct rank_numbers *rank, struct rank_before *before)
{
    static const int64_t nothing[RANK_TIMES] = {0};
    const struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        const struct collective *const after = at[i].after == RANK_FIRST ? NULL : &at[at[i].after].of;
        const int64_t from_ns = after ? smaller_of(after->start_ns + after->dur_ns, at[i].of.call_ns) : 0;
        code_parts(code, before[i].ns[SINCE_COLLECTIVE], nothing, TIME_HOST, at[i].of.call_ns - from_ns);
    }
}

/* In one step: what was before the last call, and what came between the two. */
static void code_since_step(struct code *code, const struct rank_numbers *rank, struct rank_before *before)
{
    const struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        int64_t expected[RANK_TIMES] = {0}, sum = 0;
        if (i && at[i].of.step == at[i - 1].of.step) {
            const int64_t *const last = before[i - 1].ns[SINCE_STEP];
            for (int time = 0; time < RANK_TIMES; time++)
                expected[time] = last[time] + before[i].ns[SINCE_COLLECTIVE][time];
            sum = (int64_t)((uint64_t)sum_of(last) + (uint64_t)(at[i].of.call_ns - at[i - 1].of.call_ns));
        }
        code_parts(code, before[i].ns[SINCE_STEP], expected, TIME_COMMUNICATION, sum);
    }
}

static void code_before(struct code *code, struct rank_numbers *rank)
{
    struct arena scratch = {0};
    struct rank_before *const before = arena_array(&scratch, rank->collective_count, sizeof *before);
    for (uint32_t i = 0; i < rank->collective_count && !code_reads(code); i++)
        before[i] = rank_before(&rank->befores, i);
    code_since_collective(code, rank, before);
    code_since_step(code, rank, before);
    if (code_reads(code))
        rank->befores = rank_befores_of(before, rank->collective_count, code->arena);
    arena_free(&scratch);
}

/* ---- all of it ---- */

static void code_collectives(struct code *code, struct rank_numbers *rank, uint32_t groups)
{
    code_count(code, &rank->collective_count);
    if (code_reads(code))
        rank->collectives = arena_array(code->arena, rank->collective_count, sizeof *rank->collectives);
    code_times(code, rank);
    code_steps(code, rank);
    code_kinds(code, rank, groups);
    code_messages(code, rank);
    code_numbers(code, rank, groups);
    code_events(code, rank);
    code_after(code, rank);
    code_before(code, rank);
}

static uint32_t group_count(const struct rank_numbers *rank)
{
    int64_t count = 1; /* [0] is always there */
    for (uint32_t i = 0; i < rank->collective_count; i++)
        count = larger_of(count, (int64_t)rank->collectives[i].of.group + 1);
    return (uint32_t)count;
}

str rank_sketch_write(const struct rank_numbers *numbers, struct arena *arena)
{
    struct rank_numbers rank = *numbers;
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    uint32_t groups = group_count(&rank);
    code_rank(&code, &rank);
    code_groups(&code, &rank, &groups);
    code_collectives(&code, &rank, groups);
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return section;
}

bool rank_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct rank_numbers *out,
                      struct steptime_error *err)
{
    const str section = sketch->sections[SKETCH_RANKS];
    struct code code = sketch_section(sketch, SKETCH_RANKS, arena);
    uint32_t groups = 0;
    *out = (struct rank_numbers){.rank = rank, .path = str_copy(arena, sketch->trace.path)};
    code_rank(&code, out);
    code_groups(&code, out, &groups);
    code_collectives(&code, out, groups);
    if (!section.len || !groups || !code_whole(&code)) /* [0] is always there */
        return fail(err, STEPTIME_INPUT, section.len ? "is a damaged sketch" : "is a sketch without collectives");
    return true;
}
