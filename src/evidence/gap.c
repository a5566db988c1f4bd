/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bubble is the gap that begins where the move let the host go: at the end of
 * the copy, or for a synchronisation alone at the end of the work it waited for.
 * Where the device still worked then, or the host had not waited, there is none.
 */
#include "gap.h"

struct gaps {
    const struct graph *graph;
    const struct device_times *times;
    bool **taken; /* by device, then span: the gap behind it has been counted */
};

static int64_t exposed(const struct device_time *time, int64_t start_ns, int64_t end_ns)
{
    return end_ns - start_ns - spans_length_within(&time->kernels, start_ns, end_ns);
}

/* The span that ended within [from, to] as the last; busy.count where the device worked at `to`, or none ended. */
static size_t ended_in(const struct spans *busy, int64_t from_ns, int64_t to_ns)
{
    const size_t next = spans_find(busy, to_ns);
    const bool at_work = next < busy->count && busy->at[next].start_ns <= to_ns;
    if (!next || at_work || busy->at[next - 1].end_ns < from_ns)
        return busy->count;
    return next - 1;
}

static int64_t bubble_behind(struct gaps *gaps, const struct device_time *time, size_t span)
{
    const struct spans *busy = &time->busy;
    bool *taken = gaps->taken[time - gaps->times->at];
    if (span + 1 >= busy->count || taken[span])
        return 0;
    taken[span] = true;
    const int64_t gap = busy->at[span + 1].start_ns - busy->at[span].end_ns - gaps->graph->launch_floor_ns;
    return gap > 0 ? gap : 0;
}

static void look_at_copy(struct gaps *gaps, struct move *move)
{
    const struct trace *trace = gaps->graph->trace;
    const struct device_time *time = device_times_of(gaps->times, trace->lanes[move->lane].process);
    if (!time)
        return;
    const int64_t start = trace->start_ns[move->copy], end = trace_end_ns(trace, move->copy);
    move->exposed_ns = exposed(time, start, end);
    const size_t span = ended_in(&time->busy, end, end);
    if (move->blocking && span < time->busy.count)
        move->bubble_ns = bubble_behind(gaps, time, span);
}

static void look_at_sync(struct gaps *gaps, struct move *move)
{
    const struct trace *trace = gaps->graph->trace;
    for (uint32_t i = 0; i < gaps->times->count; i++) {
        const struct device_time *time = &gaps->times->at[i];
        const size_t span = ended_in(&time->busy, trace->start_ns[move->sync], trace_end_ns(trace, move->sync));
        const int64_t ns = span < time->busy.count ? bubble_behind(gaps, time, span) : 0;
        if (ns > move->bubble_ns)
            move->bubble_ns = ns;
    }
}

void find_gaps(const struct graph *graph, const struct device_times *times, struct move *moves, uint32_t count)
{
    struct arena scratch = {0};
    struct gaps gaps = {graph, times, arena_array(&scratch, times->count, sizeof(bool *))};
    for (uint32_t i = 0; i < times->count; i++)
        gaps.taken[i] = arena_array(&scratch, times->at[i].busy.count, sizeof(bool));
    for (uint32_t i = 0; i < count; i++) {
        if (move_is_copy(&moves[i]))
            look_at_copy(&gaps, &moves[i]);
        else
            look_at_sync(&gaps, &moves[i]);
    }
    arena_free(&scratch);
}
