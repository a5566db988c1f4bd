/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

/* So far ahead the partner of a call is looked for where one recording has calls that the other has not. */
enum { AHEAD = 64 };

/* The calls of a thread in a step, by start; a call before those inside it. */
static struct rows calls_in(const struct trace *trace, uint32_t lane, const struct step *step)
{
    const struct rows all = trace_rows(trace, lane, NEST_CALLS);
    const uint32_t first = trace_first_from(trace, all, step->start_ns);
    const uint32_t end = trace_first_from(trace, all, step->end_ns);
    return (struct rows){all.at + first, end - first};
}

static bool same_name(const struct both_lanes *lanes, uint32_t a, uint32_t b)
{
    return str_eq(trace_name(lanes->times, a), trace_name(lanes->stacks, b));
}

/* Moves to the nearest two of one name, counting what is passed over on both sides. False where there are none. */
static bool find_next(const struct both_lanes *lanes, struct rows a, struct rows b, uint32_t *i, uint32_t *j)
{
    for (uint32_t over = 0; over <= 2 * AHEAD; over++)
        for (uint32_t of_a = 0; of_a <= over; of_a++) {
            const uint32_t x = *i + of_a, y = *j + (over - of_a);
            if (of_a > AHEAD || over - of_a > AHEAD || x >= a.count || y >= b.count)
                continue;
            if (same_name(lanes, a.at[x], b.at[y])) {
                *i = x;
                *j = y;
                return true;
            }
        }
    return false;
}

static void add_pair(const struct both_lanes *lanes, uint32_t a, uint32_t b, struct warp *warp)
{
    warp_add(warp, lanes->stacks->start_ns[b], lanes->times->start_ns[a]);
    warp_add(warp, trace_end_ns(lanes->stacks, b), trace_end_ns(lanes->times, a));
}

static uint64_t pair_step(const struct both_lanes *lanes, struct rows a, struct rows b, struct warp *warp)
{
    uint64_t paired = 0;
    for (uint32_t i = 0, j = 0; i < a.count && j < b.count && find_next(lanes, a, b, &i, &j); i++, j++) {
        add_pair(lanes, a.at[i], b.at[j], warp);
        paired++;
    }
    return paired;
}

uint64_t pairs_find(struct both_lanes lanes, struct warp *warp, uint64_t *calls)
{
    const struct trace *const times = lanes.times, *const stacks = lanes.stacks;
    const uint32_t steps = times->step_count < stacks->step_count ? times->step_count : stacks->step_count;
    uint64_t paired = 0;
    *calls = 0;
    for (uint32_t i = 0; i < steps; i++) {
        const struct rows a = calls_in(times, lanes.in_times, &times->steps[i]);
        const struct rows b = calls_in(stacks, lanes.in_stacks, &stacks->steps[i]);
        warp_add(warp, stacks->steps[i].start_ns, times->steps[i].start_ns);
        paired += pair_step(&lanes, a, b, warp);
        warp_add(warp, stacks->steps[i].end_ns, times->steps[i].end_ns);
        *calls += a.count;
    }
    warp_finish(warp);
    return paired;
}
