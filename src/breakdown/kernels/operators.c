/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators nest, so what lies inside is found by two passes over each lane: from
 * the back, where a row's content is complete when the row comes; and from the
 * front with a stack of the open calls, which tells whether a call lies inside
 * another of its own group.
 */
#include "operators.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sum.h"
#include "kernels_busy.h"
#include "kernels_peaks.h"
#include "kernels_select.h"
#include "operators_origin.h"
#include "ops/operators/op_costs.h"
#include "ops/rows/phase.h"
#include "ops/words/family.h"

enum { NO_GROUP = SAMPLES_NO_GROUP, MIXED = UINT8_MAX - 1, NOTHING = UINT8_MAX };

struct group {
    uint32_t name, shape;  /* text ids */
    uint8_t family, phase; /* enum values; MIXED, NOTHING */
    uint32_t open;         /* calls of the group that are open on the lane that is being read */
    uint32_t lane;         /* on which the group was met last */
    int64_t covered_ns;    /* until when its calls cover that lane */
    struct operator_group sums;
};

struct reading {
    const struct trace *trace;
    const struct operators_asked *asked;
    struct picked picked;
    const struct op_costs *costs;
    const uint8_t *phases;
    struct origins *origins;
    struct peaks peaks;
    bool device;             /* the trace has device work */
    uint8_t *families;       /* by text id: 1 + enum family; 0: not judged */
    uint32_t *group_of_name; /* by text id: 1 + group, of calls grouped without shapes; 0: none yet */
    uint32_t *group_of_row;  /* NO_GROUP: not an operator, or not picked */
    int64_t *inside_ns;      /* by row: device work launched inside; NULL where there is none at all */
    uint8_t *rounds_fp32;    /* by row: a kernel inside rounds fp32 matrices */
    struct map by_key;
    struct group *groups;
    size_t group_count, group_room;
    struct operators *into;
};

enum operator_grouping operator_grouping_of(str word)
{
    str rest = S(OPERATOR_GROUPINGS), part;
    for (int i = 0; str_cut(&rest, '|', &part); i++)
        if (str_eq(part, word))
            return (enum operator_grouping)i;
    return OPERATORS_BY_NAME;
}

/* ---- groups ---- */

static uint32_t key_name(struct reading *r, uint32_t row)
{
    switch (r->asked->by) {
    case OPERATORS_BY_MODULE:
        return origin_module(r->origins, row);
    case OPERATORS_BY_PYTHON:
        return origin_line(r->origins, row);
    default:
        return r->trace->name[row];
    }
}

static uint32_t find_group(struct reading *r, uint32_t name, uint32_t shape)
{
    const int64_t key = (int64_t)((uint64_t)name << 32 | shape);
    const uint32_t found = map_get(&r->by_key, key);
    if (found != MAP_NONE)
        return found;
    map_put(&r->by_key, key, (uint32_t)r->group_count);
    r->groups = mem_grow(r->groups, &r->group_room, r->group_count + 1, sizeof *r->groups);
    r->groups[r->group_count] =
        (struct group){.name = name, .shape = shape, .family = NOTHING, .phase = NOTHING, .lane = LANE_NONE};
    return (uint32_t)r->group_count++;
}

static uint32_t group_of(struct reading *r, uint32_t row)
{
    const uint32_t name = key_name(r, row);
    if (r->asked->by == OPERATORS_BY_SHAPE)
        return find_group(r, name, (uint32_t)trace_attr_or(r->trace, row, ATTR_INPUT_DIMS, 0));
    uint32_t *known = &r->group_of_name[name];
    if (!*known)
        *known = 1 + find_group(r, name, 0);
    return *known - 1;
}

static void put_into_groups(struct reading *r)
{
    const struct trace *trace = r->trace;
    for (uint32_t row = 0; row < trace->count; row++) {
        const bool wanted = trace->kind[row] == EVENT_OPERATOR && picks(&r->picked, row);
        r->group_of_row[row] = wanted ? group_of(r, row) : NO_GROUP;
    }
}

/* ---- device work ---- */

static void add_device_work(struct reading *r, struct arena *scratch)
{
    const struct trace *trace = r->trace;
    uint32_t count;
    const uint32_t *rows = picked_device_work(&r->picked, scratch, &count);
    r->into->busy_ns = busy_ns_of(&r->picked);
    if (!r->device)
        return;
    r->inside_ns = arena_array(scratch, trace->count, sizeof *r->inside_ns);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = rows[i], cause = trace->cause[row];
        if (cause == ROW_NONE)
            continue;
        r->inside_ns[cause] += trace->dur_ns[row];
        r->rounds_fp32[cause] |= trace->kind[row] == EVENT_KERNEL && r->peaks.rounds_fp32[trace->name[row]];
        const uint32_t op = trace_operator(trace, row);
        const uint32_t group = op == ROW_NONE ? NO_GROUP : r->group_of_row[op];
        if (group == NO_GROUP)
            continue;
        r->groups[group].sums.device_self_ns += trace->dur_ns[row];
        r->groups[group].sums.launches++;
    }
}

static void sum_up_inside(const struct reading *r, struct rows calls)
{
    if (!r->device)
        return;
    for (uint32_t i = calls.count; i-- > 0;) {
        const uint32_t row = calls.at[i], parent = r->trace->parent[row];
        if (parent == ROW_NONE)
            continue;
        r->inside_ns[parent] += r->inside_ns[row];
        r->rounds_fp32[parent] |= r->rounds_fp32[row];
    }
}

/* ---- one call ---- */

static uint8_t family_of(struct reading *r, uint32_t name)
{
    uint8_t *family = &r->families[name];
    if (!*family)
        *family = (uint8_t)(1 + operator_family(trace_text(r->trace, name)));
    return *family - 1;
}

static void keep(uint8_t *kept, uint8_t value)
{
    *kept = *kept == NOTHING || *kept == value ? value : MIXED;
}

/* A group of names has its operators' own costs; modules and lines hold operators inside each other, so each cost once. */
static bool has_cost(const struct reading *r, uint32_t row)
{
    const bool by_name = r->asked->by == OPERATORS_BY_NAME || r->asked->by == OPERATORS_BY_SHAPE;
    return by_name || op_costs_counts(r->costs, row);
}

static void add_cost(struct reading *r, struct group *group, uint32_t row)
{
    const struct op_cost cost = op_costs_at(r->costs, row);
    if (!has_cost(r, row))
        return;
    const struct hardware *gpu = r->peaks.common;
    const int64_t ns = r->device ? r->inside_ns[row] : r->trace->dur_ns[row];
    if (cost.flops > 0)
        rate_count(&group->sums.flops, cost.flops, ns,
                   r->device ? peak_flop_per_s(gpu, &cost, r->rounds_fp32[row]) : 0);
    if (cost.bytes > 0)
        rate_count(&group->sums.bytes, cost.bytes, ns, r->device && gpu ? gpu->figure[HW_MEMORY_RATE] : 0);
}

static void add_total(struct operators *operators, struct op_cost cost)
{
    int64_t sum;
    if (cost.flops >= 0 && !__builtin_add_overflow(operators->flops < 0 ? 0 : operators->flops, cost.flops, &sum))
        operators->flops = sum;
    if (cost.bytes >= 0 && !__builtin_add_overflow(operators->bytes < 0 ? 0 : operators->bytes, cost.bytes, &sum))
        operators->bytes = sum;
}

static void add_ideal(const struct reading *r, uint32_t row)
{
    const struct op_cost cost = op_costs_at(r->costs, row);
    const double peak = r->device && cost.flops > 0 ? peak_flop_per_s(r->peaks.common, &cost, r->rounds_fp32[row]) : 0;
    if (peak > 0)
        r->into->ideal_ns += (double)cost.flops / peak * 1e9;
}

/* Calls of a group may overlap in part: what they cover together counts once. */
static void cover(struct group *group, const struct trace *trace, uint32_t row)
{
    const int64_t start_ns = trace->start_ns[row], end_ns = trace_end_ns(trace, row);
    const bool begins = group->lane != trace->lane[row] || group->covered_ns < start_ns;
    const int64_t from_ns = begins ? start_ns : group->covered_ns;
    group->lane = trace->lane[row];
    group->covered_ns = end_ns > from_ns ? end_ns : from_ns;
    group->sums.host_total_ns += group->covered_ns - from_ns;
}

static void add_call(struct reading *r, struct group *group, uint32_t row)
{
    const struct trace *trace = r->trace;
    keep(&group->family, family_of(r, trace->name[row]));
    keep(&group->phase, r->phases[row]);
    cover(group, trace, row);
    r->into->calls++;
    if (op_costs_counts(r->costs, row)) {
        add_total(r->into, op_costs_at(r->costs, row));
        add_ideal(r, row);
    }
    if (!group->open++ && r->device)
        sum_to(&group->sums.device_total_ns, r->inside_ns[row]);
}

/* The lane that is being read: the current call and those around it, and until when time was given to calls. */
struct stack {
    uint32_t *open;
    uint32_t depth;
    int64_t given_ns;
};

/* Time is the innermost call's own, also where that one sticks out of the one around it. */
static void give_time(const struct reading *r, struct stack *stack, int64_t until_ns)
{
    for (uint32_t depth = stack->depth; depth && stack->given_ns < until_ns;) {
        const uint32_t row = stack->open[depth - 1], group = r->group_of_row[row];
        const int64_t end_ns = trace_end_ns(r->trace, row), stop_ns = end_ns < until_ns ? end_ns : until_ns;
        if (stop_ns > stack->given_ns) {
            if (group != NO_GROUP)
                r->groups[group].sums.host_self_ns += stop_ns - stack->given_ns;
            stack->given_ns = stop_ns;
        }
        depth -= end_ns <= until_ns;
    }
    stack->given_ns = until_ns;
}

static void close_call(const struct reading *r, uint32_t row)
{
    if (r->group_of_row[row] != NO_GROUP)
        r->groups[r->group_of_row[row]].open--;
}

static void read_lane(struct reading *r, struct rows calls, uint32_t *open)
{
    const struct trace *trace = r->trace;
    struct stack stack = {.open = open};
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i], group = r->group_of_row[row];
        give_time(r, &stack, trace->start_ns[row]);
        while (stack.depth && open[stack.depth - 1] != trace->parent[row])
            close_call(r, open[--stack.depth]);
        open[stack.depth++] = row;
        if (group == NO_GROUP)
            continue;
        add_call(r, &r->groups[group], row);
        add_cost(r, &r->groups[group], row);
    }
    give_time(r, &stack, INT64_MAX);
    while (stack.depth)
        close_call(r, open[--stack.depth]);
}

static void read_lanes(struct reading *r, struct arena *scratch)
{
    const struct trace *trace = r->trace;
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows calls = trace_rows(trace, lane, NEST_CALLS);
        sum_up_inside(r, calls);
        most = calls.count > most ? calls.count : most;
    }
    uint32_t *open = arena_array(scratch, most, sizeof *open);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        read_lane(r, trace_rows(trace, lane, NEST_CALLS), open);
}

/* ---- the result ---- */

static str name_of(const struct reading *r, uint32_t name, struct arena *arena)
{
    str text = trace_text(r->trace, name), first = text;
    if (r->asked->by == OPERATORS_BY_PYTHON && str_cut(&text, ';', &first))
        text = first;
    if (first.len)
        return str_copy(arena, first);
    return r->asked->by == OPERATORS_BY_MODULE   ? S("(no module recorded)")
           : r->asked->by == OPERATORS_BY_PYTHON ? S("(no line recorded)")
                                                 : S("(no name)");
}

static void finish(struct reading *r, struct arena *arena)
{
    const struct samples *durations = (r->asked->counts_only ? samples_count : samples_deal)(
        r->trace->dur_ns, r->group_of_row, r->trace->count, (uint32_t)r->group_count, arena);
    struct operators *into = r->into;
    into->count = (uint32_t)r->group_count;
    into->groups = arena_array(arena, into->count, sizeof *into->groups);
    for (uint32_t i = 0; i < into->count; i++) {
        const struct group *from = &r->groups[i];
        struct operator_group *to = &into->groups[i];
        *to = from->sums;
        to->name = name_of(r, from->name, arena);
        to->title = r->asked->by == OPERATORS_BY_PYTHON ? line_title(to->name) : to->name;
        to->shape = from->shape ? str_copy(arena, trace_text(r->trace, from->shape)) : S("");
        to->family = from->family < FAMILIES ? family_word((enum family)from->family) : S("");
        to->phase = from->phase < PHASES ? phase_word((enum phase)from->phase) : S("");
        to->dur_ns = durations[i];
        into->host_self_ns += to->host_self_ns;
    }
}

void operators_run_judged(const struct trace *trace, const struct judgements *judgements,
                          const struct operators_asked *asked, struct arena *arena, struct operators *operators)
{
    struct arena scratch = {0};
    struct reading r = {
        .trace = trace,
        .asked = asked,
        .picked = picked_by(trace, asked->selection),
        .costs = judgements->costs,
        .phases = judgements->phases,
        .origins = origins_new(trace, &scratch),
        .peaks = peaks_new(trace, asked->device, &scratch),
        .device = device_work_count(trace) > 0,
        .families = arena_array(&scratch, trace_text_count(trace), 1),
        .group_of_name = arena_array(&scratch, trace_text_count(trace), sizeof *r.group_of_name),
        .group_of_row = arena_array(&scratch, trace->count, sizeof *r.group_of_row),
        .rounds_fp32 = arena_array(&scratch, trace->count, 1),
        .into = operators,
    };
    *operators = (struct operators){
        .rank = trace->info.rank,
        .recorded = r.device,
        .flops = -1,
        .bytes = -1,
        .device = str_copy(arena, r.peaks.device),
        .closest = str_copy(arena, r.peaks.closest),
    };
    put_into_groups(&r);
    add_device_work(&r, &scratch);
    read_lanes(&r, &scratch);
    finish(&r, arena);
    map_free(&r.by_key);
    mem_free(r.groups);
    arena_free(&scratch);
}

void operators_run(const struct trace *trace, const struct operators_asked *asked, struct arena *arena,
                   struct operators *operators)
{
    struct arena scratch = {0};
    const struct judgements judgements = {.phases = phases_of(trace, &scratch), .costs = op_costs_new(trace, &scratch)};
    operators_run_judged(trace, &judgements, asked, arena, operators);
    arena_free(&scratch);
}
