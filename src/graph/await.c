/* SPDX-License-Identifier: Apache-2.0 */
#include "await.h"

/* ---- operators that wait ---- */

/* The outermost of a thread, by time. */
struct waiters {
    uint32_t *at; /* index among the calls of the thread */
    uint32_t count;
};

static struct waiters waiters_of(const struct trace *trace, const struct work_classes *classes, struct rows calls,
                                 struct arena *arena)
{
    struct waiters waiters = {0};
    int64_t until_ns = INT64_MIN;
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i];
        if (trace->start_ns[row] < until_ns || !work_awaits(classes, row))
            continue;
        if (!waiters.at)
            waiters.at = arena_array(arena, calls.count - i, sizeof *waiters.at);
        waiters.at[waiters.count++] = i;
        until_ns = trace_end_ns(trace, row);
    }
    return waiters;
}

/* ---- what ends in them ---- */

/* The work of another thread that ends last in an operator. */
struct closer {
    int64_t end_ns; /* INT64_MIN: nothing does */
    struct span given;
    uint32_t lane;
};

static bool is_work(const struct trace *trace, const struct work_classes *classes, uint32_t row)
{
    return trace->parent[row] == ROW_NONE &&
           (trace->kind[row] != EVENT_ANNOTATION || work_host_communication(classes, row));
}

/* Both follow each other in time, so the waiters are passed once. */
static void close_by(const struct trace *trace, const struct work_classes *classes, uint32_t lane, struct rows calls,
                     const struct waiters *waiters, struct closer *closers)
{
    const bool works = trace_rows(trace, lane, NEST_CALLS).count > 0;
    const struct rows rows = trace_rows(trace, lane, works ? NEST_CALLS : NEST_ANNOTATION);
    int64_t rested_ns = INT64_MIN;
    uint32_t w = 0;
    for (uint32_t i = 0; i < rows.count && w < waiters->count; i++) {
        if (!is_work(trace, classes, rows.at[i]))
            continue;
        const int64_t start = trace->start_ns[rows.at[i]], end = trace_end_ns(trace, rows.at[i]);
        while (w < waiters->count && trace_end_ns(trace, calls.at[waiters->at[w]]) < end)
            w++;
        if (w < waiters->count && trace->start_ns[calls.at[waiters->at[w]]] < end && end > closers[w].end_ns)
            closers[w] = (struct closer){end, {rested_ns == INT64_MIN ? start : rested_ns, start}, lane};
        rested_ns = end > rested_ns ? end : rested_ns;
    }
}

/* ---- the wait ---- */

/* Where the stretch begins in which the time lies: the last boundary of an event from the waiter on. */
static int64_t stretch_start(const struct trace *trace, struct rows calls, uint32_t waiter, int64_t time_ns)
{
    int64_t start = trace->start_ns[calls.at[waiter]];
    for (uint32_t i = waiter; i < calls.count && trace->start_ns[calls.at[i]] < time_ns; i++) {
        const int64_t end = trace_end_ns(trace, calls.at[i]);
        const int64_t boundary = end < time_ns ? end : trace->start_ns[calls.at[i]];
        start = boundary > start ? boundary : start;
    }
    return start;
}

struct awaiteds awaiteds_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena)
{
    const uint32_t main_lane = trace_main_lane(trace);
    const struct rows calls = trace_rows(trace, main_lane, NEST_CALLS);
    const struct waiters waiters = waiters_of(trace, classes, calls, arena);
    if (!waiters.count)
        return (struct awaiteds){0};
    struct closer *closers = arena_array(arena, waiters.count, sizeof *closers);
    for (uint32_t w = 0; w < waiters.count; w++)
        closers[w].end_ns = INT64_MIN;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (lane != main_lane && !trace->lanes[lane].device)
            close_by(trace, classes, lane, calls, &waiters, closers);
    struct awaited *at = arena_array(arena, waiters.count, sizeof *at);
    uint32_t count = 0;
    for (uint32_t w = 0; w < waiters.count; w++) {
        const int64_t end = closers[w].end_ns;
        if (end != INT64_MIN)
            at[count++] = (struct awaited){
                {stretch_start(trace, calls, waiters.at[w], end), end}, closers[w].given, closers[w].lane};
    }
    return (struct awaiteds){at, count};
}
