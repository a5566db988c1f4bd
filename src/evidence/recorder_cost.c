/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder_cost.h"

#include <math.h>

#include "base/sort.h"
#include "base/stat.h"

enum { FEWEST_CALLERS = 20 }; /* operators that call one other: of fewer a decile says nothing */

/* ---- what the thread did ---- */

static const int64_t *starts_of(const struct trace *trace, struct rows rows, enum event_kind kind, struct arena *arena,
                                uint32_t *count)
{
    int64_t *const starts = arena_array(arena, rows.count, sizeof *starts);
    *count = 0;
    for (uint32_t i = 0; i < rows.count; i++)
        if (trace->kind[rows.at[i]] == kind)
            starts[(*count)++] = trace->start_ns[rows.at[i]];
    return starts;
}

/* ---- what recording an operator takes ---- */

/* Of the operators that hold one other alone, but for what lies in that one. */
static double least_difference(const struct trace *trace, struct rows rows)
{
    struct arena scratch = {0};
    int64_t *const differences = arena_array(&scratch, rows.count, sizeof *differences);
    size_t count = 0;
    for (uint32_t i = 1; i + 1 < rows.count; i++) {
        const uint32_t row = rows.at[i], caller = trace->parent[row];
        const bool first = caller != ROW_NONE && rows.at[i - 1] == caller;
        if (!first || trace->kind[caller] != EVENT_OPERATOR || trace->kind[row] != EVENT_OPERATOR)
            continue;
        uint32_t next = i + 1; /* behind all that lies in it */
        while (next < rows.count && trace->start_ns[rows.at[next]] < trace_end_ns(trace, row))
            next++;
        if (next == rows.count || trace->parent[rows.at[next]] != caller)
            differences[count++] = trace->dur_ns[caller] - trace->dur_ns[row];
    }
    sort_values(differences, count);
    const double least = count < FEWEST_CALLERS ? 0 : stat_quantile(differences, count, 0.1);
    arena_free(&scratch);
    return least > 0 ? least : 0;
}

/* ---- both ---- */

static uint32_t first_from(const int64_t *starts, uint32_t count, int64_t time_ns)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (starts[middle] < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double count_between(const int64_t *starts, uint32_t count, int64_t start_ns, int64_t end_ns)
{
    return (double)first_from(starts, count, end_ns) - (double)first_from(starts, count, start_ns);
}

struct in_steps {
    double operators, frames;
};

static struct in_steps in_steps_of(const struct recorder_cost *cost, const struct trace *trace)
{
    struct in_steps all = {0};
    for (uint32_t i = 0; i < trace->step_count; i++) {
        const int64_t start = trace->steps[i].start_ns, end = trace->steps[i].end_ns;
        all.operators += count_between(cost->operators, cost->operator_count, start, end);
        all.frames += count_between(cost->frames, cost->frame_count, start, end);
    }
    return all;
}

/* No more than what it added. */
static void limit(struct recorder_cost *cost, const struct in_steps *all, double added_ns, bool frames_cost)
{
    if (all->operators > 0)
        cost->operator_ns = fmin(cost->operator_ns, added_ns / all->operators);
    if (frames_cost && all->frames > 0)
        cost->frame_ns = fmin(FRAME_NS, (added_ns - cost->operator_ns * all->operators) / all->frames);
}

struct recorder_cost recorder_cost_of(const struct trace *trace, uint32_t lane, double added_ns, struct arena *arena)
{
    struct recorder_cost cost = {0};
    if (lane == LANE_NONE)
        return cost;
    const struct rows calls = trace_rows(trace, lane, NEST_CALLS), frames = trace_rows(trace, lane, NEST_PYTHON);
    cost.operators = starts_of(trace, calls, EVENT_OPERATOR, arena, &cost.operator_count);
    cost.frames = starts_of(trace, frames, EVENT_PYTHON, arena, &cost.frame_count);
    cost.operator_ns = least_difference(trace, calls);
    const struct in_steps all = in_steps_of(&cost, trace);
    if (added_ns >= 0)
        limit(&cost, &all, added_ns * trace->step_count, trace->info.stack);
    return cost;
}

double recorder_cost_between(const struct recorder_cost *cost, int64_t start_ns, int64_t end_ns)
{
    return cost->operator_ns * count_between(cost->operators, cost->operator_count, start_ns, end_ns) +
           cost->frame_ns * count_between(cost->frames, cost->frame_count, start_ns, end_ns);
}
