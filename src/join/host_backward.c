/* SPDX-License-Identifier: Apache-2.0 */
#include "host_backward.h"

static uint32_t outermost_backward(const struct trace *trace, uint32_t row)
{
    while (trace->parent[row] != ROW_NONE && str_starts(trace_name(trace, trace->parent[row]), S("autograd::engine")))
        row = trace->parent[row];
    return row;
}

/* The engine's own work for a node is behind it: until it begins the next one, where that is what comes next. */
static int64_t end_of_backward(const struct trace *trace, struct rows rows, uint32_t row)
{
    const int64_t end = trace_end_ns(trace, row);
    const uint32_t next = trace_first_from(trace, rows, end);
    const bool follows = next < rows.count && trace->parent[rows.at[next]] == ROW_NONE &&
                         trace_step(trace, rows.at[next]) == trace_step(trace, row) &&
                         str_starts(trace_name(trace, rows.at[next]), S("autograd::engine"));
    return follows ? trace->start_ns[rows.at[next]] : end;
}

static bool holds(const struct spans *set, int64_t time_ns)
{
    const size_t i = spans_find(set, time_ns);
    return i < set->count && set->at[i].start_ns <= time_ns;
}

void host_backward_on(const struct trace *trace, uint32_t lane, const struct spans *forward, struct spans *out)
{
    const struct rows rows = trace_rows(trace, lane, NEST_CALLS);
    for (uint32_t i = 0; forward->count && i < rows.count; i++) {
        const uint32_t from = trace_forward(trace, rows.at[i]);
        if (from == ROW_NONE || !holds(forward, trace->start_ns[from]))
            continue;
        const uint32_t row = outermost_backward(trace, rows.at[i]);
        spans_add(out, trace->start_ns[row], end_of_backward(trace, rows, row));
    }
    spans_tidy(out);
}

void host_add_backward(const struct trace *trace, uint32_t lane, struct spans *time)
{
    struct spans both = {0};
    spans_tidy(time);
    host_backward_on(trace, lane, time, &both);
    for (size_t i = 0; i < both.count; i++)
        spans_add(time, both.at[i].start_ns, both.at[i].end_ns);
    spans_free(&both);
    spans_tidy(time);
}
