/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_group.h"

#include "base/map.h"
#include "base/mem.h"
#include "kernels_rate.h"
#include "ops/rows/kernel_title.h"

/* ---- words ---- */

/* Dense numbers for what a piece of work is, so that a group can tell whether all its pieces are the same. */
enum {
    WORD_COPIES = KERNEL_CLASSES,
    WORD_MEMSET = WORD_COPIES + COPY_DIRECTIONS,
    WORDS,
    WORD_NONE = UINT8_MAX,
    WORD_MIXED = WORDS
};

static uint8_t work_word(const struct kernel_work *work, uint32_t row)
{
    switch (work_class(work->classes, row)) {
    case WORK_COPY:
        return (uint8_t)(WORD_COPIES + work_copy_direction(work->classes, row));
    case WORK_MEMSET:
        return WORD_MEMSET;
    default:
        return (uint8_t)work_kernel_class(work->classes, row);
    }
}

static str word_text(uint8_t word, struct arena *arena)
{
    if (word >= WORDS)
        return S("");
    if (word == WORD_MEMSET)
        return S("memset");
    if (word < WORD_COPIES)
        return kernel_class_word((enum kernel_class)word);
    const str direction = copy_direction_word((enum copy_direction)(word - WORD_COPIES));
    return str_printf(arena, "copy %.*s", (int)direction.len, direction.at);
}

bool kernel_is_matrix(const struct work_classes *classes, const struct trace *trace, uint32_t row)
{
    if (trace->kind[row] != EVENT_KERNEL)
        return false;
    const enum kernel_class class = work_kernel_class(classes, row);
    return class == KERNEL_GEMM || class == KERNEL_CONVOLUTION || class == KERNEL_ATTENTION;
}

/* ---- keys ---- */

struct group_key {
    uint32_t name, shape; /* text ids; for streams and classes: a lane, a word */
};

static uint32_t operator_name(const struct trace *trace, uint32_t row)
{
    const uint32_t op = trace_operator(trace, row);
    return op == ROW_NONE ? 0 : trace->name[op];
}

static uint32_t operator_shape(const struct trace *trace, uint32_t row)
{
    const uint32_t op = trace_operator(trace, row);
    return op == ROW_NONE ? 0 : (uint32_t)trace_attr_or(trace, op, ATTR_INPUT_DIMS, 0);
}

static struct group_key key_of(const struct kernel_work *work, enum kernel_grouping by, struct origins *origins,
                               uint32_t row)
{
    const struct trace *trace = work->trace;
    switch (by) {
    case KERNELS_BY_NAME:
        return (struct group_key){trace->name[row], 0};
    case KERNELS_BY_CLASS:
        return (struct group_key){work_word(work, row), 0};
    case KERNELS_BY_SHAPE:
        return (struct group_key){trace->name[row], operator_shape(trace, row)};
    case KERNELS_BY_MODULE:
        return (struct group_key){origin_module(origins, row), 0};
    case KERNELS_BY_PYTHON:
        return (struct group_key){origin_line(origins, row), 0};
    case KERNELS_BY_OPERATOR:
        return (struct group_key){operator_name(trace, row), 0};
    case KERNELS_BY_STREAM:
        return (struct group_key){trace->lane[row], 0};
    }
    return (struct group_key){0, 0};
}

static str stream_text(const struct lane *lane, struct arena *arena)
{
    return lane->id < 0 ? str_printf(arena, "device %lld", (long long)lane->process)
                        : str_printf(arena, "device %lld stream %lld", (long long)lane->process, (long long)lane->id);
}

/* A text of the trace, or the words for having none. The part of a recorded stack after the innermost frame is dropped. */
static str text_or(const struct trace *trace, uint32_t id, str none, char end, struct arena *arena)
{
    str text = trace_text(trace, id);
    str first = text;
    if (end && str_cut(&text, end, &first))
        text = first;
    return first.len ? str_copy(arena, first) : none;
}

static str group_name(const struct kernel_work *work, enum kernel_grouping by, struct group_key key,
                      struct arena *arena)
{
    switch (by) {
    case KERNELS_BY_CLASS:
        return word_text((uint8_t)key.name, arena);
    case KERNELS_BY_STREAM:
        return stream_text(&work->trace->lanes[key.name], arena);
    case KERNELS_BY_MODULE:
        return text_or(work->trace, key.name, S("(no module recorded)"), 0, arena);
    case KERNELS_BY_PYTHON:
        return text_or(work->trace, key.name, S("(no line recorded)"), ';', arena);
    case KERNELS_BY_OPERATOR:
        return text_or(work->trace, key.name, S("(no operator recorded)"), 0, arena);
    default:
        return text_or(work->trace, key.name, S("(no name)"), 0, arena);
    }
}

static str group_title(enum kernel_grouping by, uint8_t word, str name, struct arena *arena)
{
    if (by == KERNELS_BY_PYTHON)
        return line_title(name);
    return (by == KERNELS_BY_NAME || by == KERNELS_BY_SHAPE) && word < WORD_COPIES ? kernel_title(name, arena) : name;
}

/* ---- groups under construction ---- */

enum { TEXT_NONE = UINT32_MAX, TEXT_MIXED = UINT32_MAX - 1 };

struct group {
    struct group_key key;
    uint8_t word;
    uint32_t grid, block; /* text ids; TEXT_NONE, TEXT_MIXED */
    struct kernel_group sums;
};

struct grouping {
    const struct kernel_work *work;
    struct map by_key;
    struct group *groups;
    size_t count, room;
};

static uint32_t group_of(struct grouping *grouping, struct group_key key)
{
    const int64_t packed = (int64_t)((uint64_t)key.name << 32 | key.shape);
    const uint32_t found = map_get(&grouping->by_key, packed);
    if (found != MAP_NONE)
        return found;
    map_put(&grouping->by_key, packed, (uint32_t)grouping->count);
    grouping->groups = mem_grow(grouping->groups, &grouping->room, grouping->count + 1, sizeof *grouping->groups);
    grouping->groups[grouping->count] = (struct group){.key = key,
                                                       .word = WORD_NONE,
                                                       .grid = TEXT_NONE,
                                                       .block = TEXT_NONE,
                                                       .sums = {.registers = -1, .shared_memory_bytes = -1}};
    return (uint32_t)grouping->count++;
}

/* ---- rates ---- */

/* The operator's arithmetic is this kernel's if no other of its kernels could have done a part of it. */
static bool does_all_arithmetic(const struct kernel_work *work, const struct op_cost *cost, struct cost_share share,
                                uint32_t row)
{
    if (share.work == 1)
        return true;
    return cost->matrix && share.matrix == 1 && kernel_is_matrix(work->classes, work->trace, row);
}

static void add_kernel_rates(const struct kernel_work *work, struct kernel_group *sums, uint32_t row)
{
    const struct trace *trace = work->trace;
    const uint32_t owner = op_costs_owner(work->costs, row);
    if (owner == ROW_NONE)
        return;
    const struct op_cost cost = op_costs_at(work->costs, owner);
    const struct cost_share share = work->shares[owner];
    const struct hardware *gpu = work->peaks.by_lane[trace->lane[row]];
    const int64_t ns = trace->dur_ns[row];
    if (cost.flops > 0 && does_all_arithmetic(work, &cost, share, row))
        rate_count(&sums->flops, cost.flops, ns,
                   peak_flop_per_s(gpu, &cost, work->peaks.rounds_fp32[trace->name[row]]));
    if (cost.bytes > 0 && share.work == 1)
        rate_count(&sums->bytes, cost.bytes, ns, gpu ? gpu->figure[HW_MEMORY_RATE] : 0);
}

/* ---- what the device recorded ---- */

static void add_mean(struct kernel_mean *mean, const struct trace *trace, uint32_t row, enum attr attr, double scale)
{
    int64_t value;
    if (!trace_attr(trace, row, attr, &value))
        return;
    mean->sum += (double)value * scale * (double)trace->dur_ns[row];
    mean->ns += trace->dur_ns[row];
}

static void keep_most(int64_t *most, const struct trace *trace, uint32_t row, enum attr attr)
{
    const int64_t value = trace_attr_or(trace, row, attr, -1);
    *most = value > *most ? value : *most;
}

static void keep_text(uint32_t *text, const struct trace *trace, uint32_t row, enum attr attr)
{
    int64_t value;
    if (!trace_attr(trace, row, attr, &value))
        return;
    if (*text == TEXT_NONE)
        *text = (uint32_t)value;
    else if (*text != (uint32_t)value)
        *text = TEXT_MIXED;
}

static void add_recorded(struct group *group, const struct trace *trace, uint32_t row)
{
    add_mean(&group->sums.occupancy, trace, row, ATTR_OCCUPANCY, 0.01);
    add_mean(&group->sums.blocks_per_sm, trace, row, ATTR_BLOCKS_PER_SM, 0.001);
    add_mean(&group->sums.warps_per_sm, trace, row, ATTR_WARPS_PER_SM, 0.001);
    keep_most(&group->sums.registers, trace, row, ATTR_REGISTERS);
    keep_most(&group->sums.shared_memory_bytes, trace, row, ATTR_SHARED_MEMORY);
    keep_text(&group->grid, trace, row, ATTR_GRID);
    keep_text(&group->block, trace, row, ATTR_BLOCK);
}

static void add_row(const struct kernel_work *work, struct group *group, uint32_t row)
{
    const struct trace *trace = work->trace;
    const uint8_t word = work_word(work, row);
    group->word = group->word == WORD_NONE || group->word == word ? word : WORD_MIXED;
    group->sums.total_ns += trace->dur_ns[row];
    if (trace->kind[row] == EVENT_KERNEL) {
        add_kernel_rates(work, &group->sums, row);
        add_recorded(group, trace, row);
    } else {
        rate_count(&group->sums.bytes, trace_attr_or(trace, row, ATTR_BYTES, -1), trace->dur_ns[row], 0);
    }
}

/* From the end of the launch call to the start of the work; -1 where no call is recorded. */
static int64_t launch_delay_ns(const struct trace *trace, uint32_t row)
{
    const uint32_t cause = trace->cause[row];
    if (cause == ROW_NONE || trace->kind[cause] != EVENT_RUNTIME)
        return -1;
    const int64_t delay = trace->start_ns[row] - trace_end_ns(trace, cause);
    return delay > 0 ? delay : 0;
}

static struct samples *deal(const struct grouping *grouping, const uint32_t *group, bool delays, struct arena *arena)
{
    const struct kernel_work *work = grouping->work;
    int64_t *values = mem_alloc((work->count + (size_t)1) * sizeof *values);
    for (uint32_t i = 0; i < work->count; i++)
        values[i] = delays ? launch_delay_ns(work->trace, work->rows[i]) : work->trace->dur_ns[work->rows[i]];
    struct samples *samples = (work->counts_only ? samples_count : samples_deal)(values, group, work->count,
                                                                                 (uint32_t)grouping->count, arena);
    mem_free(values);
    return samples;
}

static str one_text(const struct trace *trace, uint32_t text, struct arena *arena)
{
    return text >= TEXT_MIXED ? S("") : str_copy(arena, trace_text(trace, text));
}

static struct kernel_groups finish(const struct grouping *grouping, const uint32_t *group, enum kernel_grouping by,
                                   struct arena *arena)
{
    const struct trace *trace = grouping->work->trace;
    const struct samples *durations = deal(grouping, group, false, arena), *delays = deal(grouping, group, true, arena);
    struct kernel_groups groups = {arena_array(arena, grouping->count, sizeof *groups.at), (uint32_t)grouping->count};
    for (uint32_t i = 0; i < groups.count; i++) {
        const struct group *from = &grouping->groups[i];
        struct kernel_group *to = &groups.at[i];
        *to = from->sums;
        to->name = group_name(grouping->work, by, from->key, arena);
        to->shape = by == KERNELS_BY_SHAPE ? str_copy(arena, trace_text(trace, from->key.shape)) : S("");
        to->title = group_title(by, from->word, to->name, arena);
        to->class = word_text(from->word, arena);
        to->dur_ns = durations[i];
        to->delay_ns = delays[i];
        to->grid = one_text(trace, from->grid, arena);
        to->block = one_text(trace, from->block, arena);
    }
    return groups;
}

struct kernel_groups kernel_groups_of(const struct kernel_work *work, enum kernel_grouping by, struct arena *arena)
{
    struct arena scratch = {0};
    struct grouping grouping = {.work = work};
    struct origins *origins =
        by == KERNELS_BY_MODULE || by == KERNELS_BY_PYTHON ? origins_new(work->trace, &scratch) : NULL;
    uint32_t *group = arena_array(&scratch, work->count, sizeof *group);
    for (uint32_t i = 0; i < work->count; i++) {
        const uint32_t row = work->rows[i];
        group[i] = group_of(&grouping, key_of(work, by, origins, row));
        add_row(work, &grouping.groups[group[i]], row);
    }
    const struct kernel_groups groups = finish(&grouping, group, by, arena);
    map_free(&grouping.by_key);
    mem_free(grouping.groups);
    arena_free(&scratch);
    return groups;
}
