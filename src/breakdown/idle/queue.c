/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

/* Number of rows that start at or before the time. */
static uint32_t begun_by(const struct trace *trace, struct rows rows, int64_t time_ns)
{
    uint32_t low = 0, high = rows.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->start_ns[rows.at[middle]] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* When the host put the work into its stream; where that is not recorded, when the work started. */
static int64_t enqueued_ns(const struct trace *trace, uint32_t work)
{
    const uint32_t launch = trace->cause[work];
    return trace->start_ns[launch == ROW_NONE ? work : launch];
}

/* The same of the work before it on its stream; INT64_MIN if it is the first. */
static int64_t predecessor_enqueued_ns(const struct trace *trace, uint32_t work)
{
    const struct rows works = trace_rows(trace, trace->lane[work], NEST_WORK);
    const uint32_t before = begun_by(trace, works, trace->start_ns[work] - 1);
    return before ? enqueued_ns(trace, works.at[before - 1]) : INT64_MIN;
}

/* A wait row lies where the host made the call, between the launches that it separates. */
static bool wait_before(const struct trace *trace, uint32_t work)
{
    const struct rows syncs = trace_rows(trace, trace->lane[work], NEST_SYNC);
    if (!syncs.count)
        return false;
    const int64_t since = predecessor_enqueued_ns(trace, work);
    for (uint32_t i = begun_by(trace, syncs, enqueued_ns(trace, work)); i > 0; i--) {
        const uint32_t row = syncs.at[i - 1];
        if (trace->start_ns[row] < since)
            return false;
        if (str_eq(trace_name(trace, row), S("Stream Wait Event")))
            return true;
    }
    return false;
}

bool queue_behind_event(const struct trace *trace, const struct sweep_piece *gap)
{
    const uint32_t launch = trace->cause[gap->next];
    if (gap->previous == ROW_NONE || launch == ROW_NONE ||
        trace_end_ns(trace, launch) > trace_end_ns(trace, gap->previous))
        return false;
    return trace->lane[gap->previous] != trace->lane[gap->next] || wait_before(trace, gap->next);
}
