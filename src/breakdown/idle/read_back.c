/* SPDX-License-Identifier: Apache-2.0 */
#include "read_back.h"

#include "graph/runtime.h"

struct reading {
    const struct trace *trace;
    const struct work_classes *classes;
    const uint8_t *calls;
};

/* What is launched in an operator. */
struct launched {
    bool back, other, waits; /* copies to the host; anything else; waits for the device, or a copy blocks */
};

static void note_work(const struct reading *r, uint32_t work, struct launched *out)
{
    if (r->trace->kind[work] != EVENT_COPY || work_copy_direction(r->classes, work) != COPY_D2H) {
        out->other = true;
        return;
    }
    out->back = true;
    out->waits |= work_copy_memory(r->classes, work) == HOST_PAGEABLE;
}

/* Up to the first work that is no copy to the host. */
static struct launched launched_in(const struct reading *r, uint32_t operator)
{
    const struct trace *trace = r->trace;
    const struct rows rows = trace_rows(trace, trace->lane[operator], NEST_CALLS);
    const int64_t end = trace_end_ns(trace, operator);
    struct launched out = {0};
    for (uint32_t i = trace_first_from(trace, rows, trace->start_ns[operator]);
         i < rows.count && trace->start_ns[rows.at[i]] < end && !out.other; i++) {
        const struct rows work = trace_caused(trace, rows.at[i]);
        out.waits |= trace->kind[rows.at[i]] == EVENT_RUNTIME && runtime_is_sync(r->calls[trace->name[rows.at[i]]]);
        for (uint32_t w = 0; w < work.count; w++)
            note_work(r, work.at[w], &out);
    }
    return out;
}

/* The outermost operator around a copy to the host that does nothing else; ROW_NONE. */
static uint32_t outermost(const struct reading *r, uint32_t copy)
{
    const struct trace *trace = r->trace;
    uint32_t found = ROW_NONE;
    for (uint32_t row = trace->cause[copy]; row != ROW_NONE; row = trace->parent[row]) {
        if (trace->kind[row] == EVENT_RUNTIME)
            continue;
        const struct launched launched = launched_in(r, row);
        if (trace->kind[row] != EVENT_OPERATOR || !str_starts(trace_name(trace, row), S("aten::")) || launched.other)
            break;
        found = launched.back && launched.waits ? row : found;
    }
    return found;
}

static void flag(const struct trace *trace, uint32_t operator, bool * flags)
{
    const struct rows rows = trace_rows(trace, trace->lane[operator], NEST_CALLS);
    const int64_t end = trace_end_ns(trace, operator);
    for (uint32_t i = trace_first_from(trace, rows, trace->start_ns[operator]);
         i < rows.count && trace->start_ns[rows.at[i]] < end; i++) {
        uint32_t at = rows.at[i];
        while (at != ROW_NONE && at != operator)
            at = trace->parent[at];
        flags[rows.at[i]] |= at == operator;
    }
}

const bool *read_backs_of(const struct trace *trace, const struct work_classes *classes, const uint8_t *calls,
                          struct arena *arena)
{
    const struct reading r = {trace, classes, calls};
    bool *flags = NULL;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (trace->kind[row] != EVENT_COPY || trace->cause[row] == ROW_NONE ||
            work_copy_direction(classes, row) != COPY_D2H)
            continue;
        const uint32_t operator= outermost(&r, row);
        if (operator== ROW_NONE)
            continue;
        flags = flags ? flags : arena_array(arena, trace->count, sizeof *flags);
        flag(trace, operator, flags);
    }
    return flags;
}
