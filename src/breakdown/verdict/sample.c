/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <math.h>

#include "base/arena.h"
#include "base/order.h"

enum {
    STEPS_LEAST = 2 * SAMPLE_STEPS, /* judged steps from which a sample is worth it */
    EVENTS_LEAST = 200 * 1000,      /* of the trace: below, all steps cost little */
};

/* How far the mean step may be from that of all, and how much of all time may be in longer steps than the sample has. */
static const double alike = 0.02, longer_most = 0.01;

/* ---- what steps are compared by ---- */

enum measure { TIME, CALLS, DEVICE_WORK, MEASURES };

/* Of all steps before each of the judged ones, and before the one behind them. */
struct measures {
    double *until[MEASURES];
    struct step_range range;
};

static uint32_t calls_before(const struct trace *trace, int64_t time_ns)
{
    const uint32_t lane = trace_main_lane(trace);
    return lane == LANE_NONE ? 0 : trace_first_from(trace, trace_rows(trace, lane, NEST_CALLS), time_ns);
}

static uint64_t work_before(const struct trace *trace, int64_t time_ns)
{
    const struct rows streams = trace_streams(trace, -1);
    uint64_t count = 0;
    for (uint32_t i = 0; i < streams.count; i++)
        count += trace_first_from(trace, trace_rows(trace, streams.at[i], NEST_WORK), time_ns);
    return count;
}

static struct measures measure(const struct trace *trace, struct step_range range, struct arena *arena)
{
    struct measures measures = {.range = range};
    for (int m = 0; m < MEASURES; m++)
        measures.until[m] = arena_array(arena, range.count + 1, sizeof(double));
    for (uint32_t i = 0; i <= range.count; i++) {
        const int64_t start_ns = trace->steps[range.first + i].start_ns;
        measures.until[TIME][i] = (double)start_ns;
        measures.until[CALLS][i] = calls_before(trace, start_ns);
        measures.until[DEVICE_WORK][i] = (double)work_before(trace, start_ns);
    }
    return measures;
}

static double mean(const struct measures *measures, int m, uint32_t first, uint32_t count)
{
    return (measures->until[m][first + count] - measures->until[m][first]) / count;
}

/* Of the means of some steps from those of all the largest difference, as a share. */
static double difference(const struct measures *measures, uint32_t first, uint32_t count)
{
    double most = 0;
    for (int m = 0; m < MEASURES; m++) {
        const double all = mean(measures, m, 0, measures->range.count);
        if (all > 0)
            most = fmax(most, fabs(mean(measures, m, first, count) - all) / all);
    }
    return most;
}

/* ---- which ---- */

static int64_t step_ns(const struct trace *trace, uint32_t step)
{
    const struct step *at = &trace->steps[step];
    return (step + 1 < trace->step_count ? at[1].start_ns : at->end_ns) - at->start_ns;
}

/* What other steps take beyond the longest of the sample. Whatever comes in none of it is in there. */
static bool others_are_longer(const struct trace *trace, struct step_range all, struct step_range sample)
{
    int64_t longest_ns = 0;
    double longer_ns = 0, all_ns = 0;
    for (uint32_t i = 0; i < sample.count; i++)
        longest_ns = larger_of(longest_ns, step_ns(trace, sample.first + i));
    for (uint32_t i = 0; i < all.count; i++) {
        const int64_t ns = step_ns(trace, all.first + i);
        all_ns += (double)ns;
        longer_ns += (double)larger_of(ns - longest_ns, 0);
    }
    return longer_ns > longer_most * all_ns;
}

struct step_range sample_of_steps(const struct trace *trace, const struct selection *selection, uint32_t steps)
{
    const struct step_range all = selection_steps(trace, selection), judged = selection_judged(trace, selection);
    struct step_range sample = {judged.first, 0};
    if (selection->limited || judged.count <= steps || all.count == judged.count)
        return sample;
    struct arena scratch = {0};
    const struct measures measures = measure(trace, judged, &scratch);
    double least = alike;
    for (uint32_t first = 0; first + steps <= judged.count; first++) {
        const double off = difference(&measures, first, steps);
        if (off < least) {
            least = off;
            sample = (struct step_range){judged.first + first, steps};
        }
    }
    arena_free(&scratch);
    if (sample.count && others_are_longer(trace, all, sample))
        sample.count = 0;
    return sample;
}

struct step_range sample_of(const struct trace *trace, const struct selection *selection)
{
    if (trace->count < EVENTS_LEAST || selection_judged(trace, selection).count < STEPS_LEAST)
        return (struct step_range){0, 0};
    return sample_of_steps(trace, selection, SAMPLE_STEPS);
}
