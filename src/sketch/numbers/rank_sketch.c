/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is alike in each step goes by columns, which pack well. Times are noise (noise.h), from what other columns let
 * expect, so that of what follows from them nothing is left.
 */
#include "rank_sketch.h"

#include "base/error.h"
#include "base/order.h"
#include "sketch/file/code.h"
#include "times_code.h"

/* Times of a rank are below it (breakdown/ranks/ranks_run.c), their sums below the other. */
static const int64_t latest_ns = (int64_t)1 << 59, most_ns = (int64_t)1 << 60;

enum { MOST_GRAIN_NS = 1 << 20 };

/* Columns of noise. */
enum {
    COLUMN_BITS,
    COLUMN_CALL, /* by the bits of the collective, as the next two */
    COLUMN_START = COLUMN_CALL + TIMES_BITS,
    COLUMN_DURATION = COLUMN_START + TIMES_BITS,
    COLUMN_ODD = COLUMN_DURATION + TIMES_BITS, /* what is left below the bits */
    COLUMN_ROW,
    COLUMN_SINCE,
    COLUMN_STEP = COLUMN_SINCE + RANK_TIMES,
    COLUMNS = COLUMN_STEP + RANK_TIMES,
};

/* ---- the rank ---- */

static void code_rank(struct code *code, struct rank_numbers *rank)
{
    uint32_t rest = rank->rounding.rest;
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
    code_int(code, &rank->rounding.grain_ns, 1, 1, MOST_GRAIN_NS);
    code_small(code, &rank->rounding.spent_bits, TIMES_BITS);
    code_small(code, &rest, RANK_TIMES);
    rank->rounding.rest = (enum rank_time)rest;
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

/* Whether any is rounded, and then of each how far. */
static void code_bits_of(struct code *code, struct rank_numbers *rank)
{
    struct rank_collective *const at = rank->collectives;
    bool any = rank->rounding.rounded > 0;
    code_bool(code, &any);
    if (code_reads(code))
        rank->rounding.rounded = rank->rounding.entry_bits = 0;
    for (uint32_t i = 0; i < rank->collective_count && any; i++) {
        int64_t bits = at[i].bits;
        code_noise(code, COLUMN_BITS, &bits, 0, (struct code_bounds){0, TIMES_BITS - 1});
        at[i].bits = (uint8_t)bits;
        if (code_reads(code)) {
            rank->rounding.rounded += bits > 0;
            rank->rounding.entry_bits = (uint32_t)larger_of(rank->rounding.entry_bits, bits);
        }
    }
}

static int64_t end_of(const struct collective *of)
{
    return of->start_ns + of->dur_ns;
}

/* Of times that are rounded to so many bits. */
static struct times_code times_of(struct code *code, const struct rank_numbers *rank, uint32_t bits)
{
    return (struct times_code){code, bits ? (int64_t)1 << bits : rank->rounding.grain_ns, COLUMN_ODD};
}

/* It came to the next when it was done with one. */
static int64_t expected_call(const struct rank_numbers *rank, uint32_t i)
{
    const struct rank_collective *const at = rank->collectives;
    const int64_t before_ns = i ? at[i - 1].of.call_ns : 0;
    return at[i].after < i ? larger_of(before_ns, end_of(&at[at[i].after].of)) : before_ns;
}

static void code_times(struct code *code, struct rank_numbers *rank)
{
    struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        struct collective *const of = &at[i].of;
        const struct times_code times = times_of(code, rank, at[i].bits);
        const int64_t before_ns = i ? at[i - 1].of.call_ns : 0;
        times_code(&times, COLUMN_CALL + at[i].bits, &of->call_ns, expected_call(rank, i),
                   (struct code_bounds){before_ns, latest_ns});
        times_code(&times, COLUMN_START + at[i].bits, &of->start_ns, of->call_ns, (struct code_bounds){0, latest_ns});
        times_code(&times, COLUMN_DURATION + at[i].bits, &of->dur_ns, 0, (struct code_bounds){-1, latest_ns});
    }
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
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        int64_t row = at[i].of.row;
        code_noise(code, COLUMN_ROW, &row, i ? at[i - 1].of.row : 0, (struct code_bounds){0, UINT32_MAX});
        at[i].of.row = (uint32_t)row;
    }
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
static void code_parts(const struct times_code *code, uint32_t column, int64_t times[RANK_TIMES],
                       const int64_t expected[RANK_TIMES], enum rank_time rest, int64_t sum)
{
    for (int time = 0; time < RANK_TIMES; time++)
        if (time != (int)rest) {
            times_code(code, column + (uint32_t)time, &times[time], expected[time], (struct code_bounds){0, most_ns});
            sum = (int64_t)((uint64_t)sum - (uint64_t)times[time]);
        }
    code_noise(code->code, column + rest, &times[rest], sum, (struct code_bounds){0, most_ns});
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
    const struct times_code times = times_of(code, rank, rank->rounding.spent_bits);
    const struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        const struct collective *const after = at[i].after == RANK_FIRST ? NULL : &at[at[i].after].of;
        const int64_t from_ns = after ? smaller_of(end_of(after), at[i].of.call_ns) : 0;
        code_parts(&times, COLUMN_SINCE, before[i].ns[SINCE_COLLECTIVE], nothing, rank->rounding.rest,
                   at[i].of.call_ns - from_ns);
    }
}

/* In one step: what was before the last call, and what came between the two. */
static void code_since_step(struct code *code, const struct rank_numbers *rank, struct rank_before *before)
{
    const struct times_code times = times_of(code, rank, 0);
    const struct rank_collective *const at = rank->collectives;
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        int64_t expected[RANK_TIMES] = {0}, sum = 0;
        if (i && at[i].of.step == at[i - 1].of.step) {
            const int64_t *const last = before[i - 1].ns[SINCE_STEP];
            for (int time = 0; time < RANK_TIMES; time++)
                expected[time] = last[time] + before[i].ns[SINCE_COLLECTIVE][time];
            sum = (int64_t)((uint64_t)sum_of(last) + (uint64_t)(at[i].of.call_ns - at[i - 1].of.call_ns));
        }
        code_parts(&times, COLUMN_STEP, before[i].ns[SINCE_STEP], expected, TIME_COMMUNICATION, sum);
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
    code_steps(code, rank);
    code_kinds(code, rank, groups);
    code_messages(code, rank);
    code_numbers(code, rank, groups);
    code_after(code, rank);
    code_bits_of(code, rank);
    code_times(code, rank);
    code_events(code, rank);
    code_before(code, rank);
}

static uint32_t group_count(const struct rank_numbers *rank)
{
    int64_t count = 1; /* [0] is always there */
    for (uint32_t i = 0; i < rank->collective_count; i++)
        count = larger_of(count, (int64_t)rank->collectives[i].of.group + 1);
    return (uint32_t)count;
}

/* What passes through the code is handed places to write to. */
static struct rank_numbers copy_of(const struct rank_numbers *numbers, struct arena *arena)
{
    struct rank_numbers copy = *numbers;
    copy.collectives = arena_array(arena, copy.collective_count, sizeof *copy.collectives);
    for (uint32_t i = 0; i < copy.collective_count; i++)
        copy.collectives[i] = numbers->collectives[i];
    copy.rounding.grain_ns = times_grain(numbers);
    if (!copy.rounding.spent_bits)
        copy.rounding.rest = times_largest(numbers);
    return copy;
}

void rank_sketch_write(const struct rank_numbers *numbers, struct arena *arena, struct sketch *sketch)
{
    struct arena scratch = {0};
    struct rank_numbers rank = copy_of(numbers, &scratch);
    struct buf bytes = {0};
    struct code code = sketch_writer(sketch, &bytes);
    uint32_t groups = group_count(&rank);
    code_begin_noise(&code, COLUMNS, &scratch);
    code_rank(&code, &rank);
    code_groups(&code, &rank, &groups);
    code_collectives(&code, &rank, groups);
    sketch->sections[SKETCH_RANKS] = code_end(&code, arena);
    arena_free(&scratch);
}

bool rank_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct rank_numbers *out,
                      struct steptime_error *err)
{
    const str section = sketch->sections[SKETCH_RANKS];
    struct arena scratch = {0};
    struct code code = sketch_section(sketch, SKETCH_RANKS, arena);
    uint32_t groups = 0;
    *out = (struct rank_numbers){.rank = rank, .path = str_copy(arena, sketch->trace.path)};
    code_begin_noise(&code, COLUMNS, &scratch);
    code_rank(&code, out);
    code_groups(&code, out, &groups);
    code_collectives(&code, out, groups);
    const bool whole = code_whole(&code);
    arena_free(&scratch);
    if (!section.len || !groups || !whole) /* [0] is always there */
        return fail(err, STEPTIME_INPUT, section.len ? "is a damaged sketch" : "is a sketch without collectives");
    return true;
}
