/* SPDX-License-Identifier: Apache-2.0 */
/* Every promise of trace.h, of a trace that was read from any bytes. */
#ifndef FUZZ_TRACE_PROMISES_H
#define FUZZ_TRACE_PROMISES_H

#include <assert.h>

#include "trace/trace.h"

static inline bool row_or_none(const struct trace *trace, uint32_t row)
{
    return row == ROW_NONE || row < trace->count;
}

static inline void check_row(const struct trace *trace, uint32_t row)
{
    assert(trace->start_ns[row] >= 0 && trace->dur_ns[row] >= 0);
    assert(trace_end_ns(trace, row) <= trace->end_ns);
    assert(trace->name[row] < trace_text_count(trace));
    assert(trace->lane[row] < trace->lane_count);
    assert(trace->kind[row] < EVENT_KINDS);
    assert(trace->lanes[trace->lane[row]].device == event_on_device(trace->kind[row]) ||
           !event_is_device_work(trace->kind[row]));
}

/* A parent lies on the lane of its child and begins no later, so chains of parents end. */
static inline void check_parent(const struct trace *trace, uint32_t row)
{
    const uint32_t parent = trace->parent[row];
    assert(row_or_none(trace, parent));
    if (parent == ROW_NONE)
        return;
    assert(parent != row && trace->lane[parent] == trace->lane[row]);
    assert(trace->start_ns[parent] <= trace->start_ns[row]);
}

static inline void check_links(const struct trace *trace, uint32_t row)
{
    const uint32_t cause = trace->cause[row];
    assert(row_or_none(trace, cause));
    if (event_is_device_work(trace->kind[row]) && cause != ROW_NONE)
        assert(!event_on_device(trace->kind[cause]));
    const struct rows caused = trace_caused(trace, row);
    for (uint32_t i = 0; i < caused.count; i++)
        assert(trace->cause[caused.at[i]] == row);
    assert(row_or_none(trace, trace_operator(trace, row)));
    assert(row_or_none(trace, trace_frame(trace, row)));
    assert(row_or_none(trace, trace_forward(trace, row)));
    const uint32_t step = trace_step(trace, row);
    assert(step == STEP_NONE || step < trace->step_count);
}

static inline void check_lanes(const struct trace *trace)
{
    uint64_t rows = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        for (int nest = 0; nest < NESTS; nest++) {
            const struct rows of = trace_rows(trace, lane, nest);
            for (uint32_t i = 1; i < of.count; i++)
                assert(trace->start_ns[of.at[i - 1]] <= trace->start_ns[of.at[i]]);
            rows += of.count;
        }
    assert(rows == trace->count);
}

static inline void check_steps(const struct trace *trace)
{
    assert(trace->step_count > 0 || trace->count == 0);
    for (uint32_t i = 0; i < trace->step_count; i++) {
        assert(trace->steps[i].start_ns <= trace->steps[i].end_ns);
        assert(row_or_none(trace, trace->steps[i].row));
        assert(i == 0 || trace->steps[i - 1].end_ns <= trace->steps[i].start_ns);
    }
}

/* Children of a nest do not overlap: they never cover more than their parent. */
static inline void check_self(const struct trace *trace)
{
    struct arena scratch = {0};
    int64_t *self_ns = arena_array(&scratch, trace->count, sizeof *self_ns);
    for (uint32_t row = 0; row < trace->count; row++) {
        const uint32_t parent = trace->parent[row];
        self_ns[row] += trace->dur_ns[row];
        if (parent == ROW_NONE)
            continue;
        const int64_t end_ns = trace_end_ns(trace, row), parent_end_ns = trace_end_ns(trace, parent);
        self_ns[parent] -= (end_ns < parent_end_ns ? end_ns : parent_end_ns) - trace->start_ns[row];
    }
    for (uint32_t row = 0; row < trace->count; row++)
        assert(self_ns[row] >= 0 && self_ns[row] <= trace->dur_ns[row]);
    arena_free(&scratch);
}

static inline void check_promises(const struct trace *trace)
{
    uint64_t kinds = 0;
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        kinds += trace->kinds[kind];
    assert(kinds == trace->count);
    for (uint32_t row = 0; row < trace->count; row++) {
        check_row(trace, row);
        check_parent(trace, row);
        check_links(trace, row);
    }
    check_lanes(trace);
    check_steps(trace);
    check_self(trace);
}

#endif
