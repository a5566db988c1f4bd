/* SPDX-License-Identifier: Apache-2.0 */
#include "frame_cost.h"

#include "base/mem.h"
#include "base/sort.h"

enum {
    FEWEST_FRAMES = 100, /* that say anything */
    DEAREST_NS = 250,    /* 40 to 120 were seen; more is another cause */
    LEAST_LEFT = 4       /* so large a part of each gap is always left */
};

/* ---- moments ---- */

/* row: 1 of a frame, 0 of an operator. */
static void add_moments(const struct trace *trace, struct rows rows, uint32_t of_frame, struct keyed *moments,
                        size_t *count)
{
    for (uint32_t i = 0; i < rows.count; i++) {
        moments[(*count)++] = (struct keyed){trace->start_ns[rows.at[i]], of_frame};
        moments[(*count)++] = (struct keyed){trace_end_ns(trace, rows.at[i]), of_frame};
    }
}

static struct keyed *moments_of(const struct trace *trace, uint32_t lane, size_t *count)
{
    const struct rows frames = trace_rows(trace, lane, NEST_PYTHON), calls = trace_rows(trace, lane, NEST_CALLS);
    struct keyed *const moments = mem_alloc(2 * ((size_t)frames.count + calls.count) * sizeof *moments + 1);
    *count = 0;
    add_moments(trace, frames, 1, moments, count);
    add_moments(trace, calls, 0, moments, count);
    sort_keyed(moments, *count);
    return moments;
}

/* ---- what a note cost ---- */

/* Built-in functions that call nothing: of the shortest, next to all of the time lies between their two notes. */
double frame_cost_of(const struct trace *stacks, uint32_t lane)
{
    const struct rows frames = trace_rows(stacks, lane, NEST_PYTHON);
    int64_t *const lengths = mem_alloc(frames.count * sizeof *lengths + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < frames.count; i++) {
        const bool holds = i + 1 < frames.count && stacks->parent[frames.at[i + 1]] == frames.at[i];
        if (!holds && str_starts(trace_name(stacks, frames.at[i]), S("<built-in ")))
            lengths[count++] = stacks->dur_ns[frames.at[i]];
    }
    sort_values(lengths, count);
    const int64_t cost = count >= FEWEST_FRAMES ? lengths[count / 10] : 0;
    mem_free(lengths);
    return cost > DEAREST_NS ? DEAREST_NS : (double)cost;
}

/* ---- time without ---- */

/* Between two moments lies the half of a note of each that is a frame's. */
struct warp frame_cost_without(const struct trace *stacks, uint32_t lane, const struct undisturbed *own, double note_ns)
{
    size_t count;
    struct keyed *const moments = moments_of(stacks, lane, &count);
    struct warp without = {0};
    double time = count ? undisturbed_time(own, moments[0].key) : 0;
    for (size_t i = 0; i < count; i++) {
        if (i) {
            const double gap = undisturbed_between(own, moments[i - 1].key, moments[i].key);
            const double left = gap - note_ns * (moments[i - 1].row + moments[i].row) / 2;
            time += left > gap / LEAST_LEFT ? left : gap / LEAST_LEFT;
        }
        warp_add(&without, moments[i].key, (int64_t)time);
    }
    warp_finish(&without);
    mem_free(moments);
    return without;
}
