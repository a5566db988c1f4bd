/* SPDX-License-Identifier: Apache-2.0 */
#include "host_marks.h"

#include "base/mem.h"
#include "base/sort.h"
#include "host_event.h"

static bool marks(enum host_state state)
{
    return state == HOST_LOADING || state == HOST_COMPILING || state == HOST_COMMUNICATING || state == HOST_PROFILING;
}

static enum host_state state_of(struct host_events *events, const struct trace *trace, uint32_t row)
{
    if (trace->kind[row] == EVENT_RUNTIME)
        return HOST_BETWEEN;
    return trace->kind[row] == EVENT_OPERATOR ? host_open_call(events, row).state : host_mark_state(events, row);
}

struct found {
    struct keyed *at;
    size_t count, room;
};

static void find(struct host_events *events, const struct trace *trace, uint32_t lane, struct found *found)
{
    found->count = 0;
    for (enum nest nest = NEST_CALLS; nest <= NEST_ASIDE; nest++) {
        const struct rows rows = trace_rows(trace, lane, nest);
        for (uint32_t i = 0; i < rows.count; i++) {
            if (!marks(state_of(events, trace, rows.at[i])))
                continue;
            found->at = mem_grow(found->at, &found->room, found->count + 1, sizeof *found->at);
            found->at[found->count++] = (struct keyed){trace->start_ns[rows.at[i]], rows.at[i]};
        }
    }
    sort_keyed(found->at, found->count);
}

static struct host_marks disjoint(struct host_events *events, const struct trace *trace, const struct found *found,
                                  struct arena *arena)
{
    struct host_marks marks = {.at = arena_array(arena, found->count, sizeof *marks.at)};
    int64_t from = 0;
    for (size_t i = 0; i < found->count; i++) {
        const uint32_t row = found->at[i].row;
        const int64_t start = trace->start_ns[row] > from ? trace->start_ns[row] : from, end = trace_end_ns(trace, row);
        if (end <= start)
            continue;
        marks.at[marks.count++] = (struct host_mark){start, end, row, state_of(events, trace, row)};
        from = end;
    }
    return marks;
}

struct host_marks *host_marks_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena)
{
    struct host_marks *marks = arena_array(arena, trace->lane_count, sizeof *marks);
    struct host_events *events = host_events_new(trace, classes, arena);
    struct found found = {0};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device) {
            find(events, trace, lane, &found);
            marks[lane] = disjoint(events, trace, &found, arena);
        }
    mem_free(found.at);
    return marks;
}
