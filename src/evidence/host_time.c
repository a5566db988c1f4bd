/* SPDX-License-Identifier: Apache-2.0 */
#include "host_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* What of a time is the program's own. */
static double own_ns(const struct host_clock *clock, int64_t start_ns, int64_t end_ns)
{
    const double own =
        undisturbed_between(&clock->own, start_ns, end_ns) - recorder_cost_between(&clock->cost, start_ns, end_ns);
    return own > 0 ? own : 0;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *sorted, uint32_t count)
{
    return count ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : 0;
}

static double median_step(const struct host_clock *clock)
{
    const uint32_t steps = clock->trace->step_count;
    double *const lengths = mem_alloc((steps + (size_t)1) * sizeof *lengths);
    for (uint32_t i = 0; i < steps; i++)
        lengths[i] = own_ns(clock, clock->trace->steps[i].start_ns, clock->trace->steps[i].end_ns);
    qsort(lengths, steps, sizeof *lengths, by_value);
    const double middle = median(lengths, steps);
    mem_free(lengths);
    return middle;
}

struct host_clock host_clock_open(const struct trace *trace, const struct host_pace *pace, struct arena *arena)
{
    struct host_clock clock = {.trace = trace, .lane = trace_main_lane(trace)};
    const bool is_timed = pace->bare_ns > 0 && pace->recorded_ns > 0;
    if (pace->waited_ns && clock.lane != LANE_NONE && pace->waited_count == trace->step_count)
        clock.own =
            undisturbed_of(trace, &(struct undisturbed_of){clock.lane, pace->waited_ns, trace->info.stack}, arena);
    const double added_ns = is_timed ? fmax(0, pace->recorded_ns - pace->bare_ns) : -1;
    clock.cost = recorder_cost_of(trace, clock.lane, added_ns, arena);
    clock.step_ns = pace->bare_ns > 0 ? pace->bare_ns : median_step(&clock);
    return clock;
}

/* What of a step lies in the set, at most all of it. */
static double within_step(const struct host_clock *clock, const struct spans *time, const struct step *step)
{
    double ns = 0;
    for (size_t i = spans_find(time, step->start_ns); i < time->count && time->at[i].start_ns < step->end_ns; i++) {
        const int64_t start = time->at[i].start_ns > step->start_ns ? time->at[i].start_ns : step->start_ns;
        const int64_t end = time->at[i].end_ns < step->end_ns ? time->at[i].end_ns : step->end_ns;
        ns += own_ns(clock, start, end);
    }
    return fmin(ns, own_ns(clock, step->start_ns, step->end_ns));
}

/* How many of the smallest and of the greatest values may lie outside so that the others hold the median with 95 %. */
static uint32_t outside(uint32_t count, double *confidence)
{
    double probability = pow(0.5, count), tail = probability; /* that exactly k of them lie below it; and at most k */
    uint32_t out = 0;
    *confidence = 1 - 2 * tail;
    for (uint32_t k = 1; k < count / 2; k++) {
        probability *= (double)(count - k + 1) / k;
        tail += probability;
        if (1 - 2 * tail < 0.95)
            break;
        *confidence = 1 - 2 * tail;
        out = k;
    }
    return out;
}

struct host_time host_time_of(const struct host_clock *clock, const struct spans *time)
{
    const uint32_t steps = clock->trace->step_count;
    struct host_time out = {.steps = steps};
    if (!steps)
        return out;
    double *const parts = mem_alloc(steps * sizeof *parts);
    double in_set = 0, in_steps = 0;
    for (uint32_t i = 0; i < steps; i++) {
        const struct step *const step = &clock->trace->steps[i];
        const double whole = own_ns(clock, step->start_ns, step->end_ns), within = within_step(clock, time, step);
        parts[i] = whole > 0 ? within / whole : 0;
        in_set += within;
        in_steps += whole;
    }
    qsort(parts, steps, sizeof *parts, by_value);
    const uint32_t out_of = outside(steps, &out.confidence);
    out.ns = in_steps > 0 ? clock->step_ns * in_set / in_steps : 0;
    out.low = fmin(out.ns, clock->step_ns * parts[out_of]);
    out.high = fmax(out.ns, clock->step_ns * parts[steps - 1 - out_of]);
    mem_free(parts);
    return out;
}
