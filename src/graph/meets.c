/* SPDX-License-Identifier: Apache-2.0 */
#include "meets.h"

#include "base/search.h"

/* The first node that starts at the time or after. */
static uint32_t node_from(const struct graph *graph, int64_t time_ns)
{
    const int64_t *const start = graph->net.start;
    return (uint32_t)search_time(start, graph->net.count, sizeof *start, 0, time_ns);
}

/* The node of a call's thread that begins with it; NODE_NONE. */
static uint32_t node_of_call(const struct graph *graph, uint32_t call)
{
    const int64_t start = graph->trace->start_ns[call];
    for (uint32_t node = node_from(graph, start); node < graph->net.count && graph->net.start[node] == start; node++)
        if (graph->net.kind[node] != NODE_DEVICE && graph_lane(graph, node) == graph->trace->lane[call])
            return node;
    return NODE_NONE;
}

static uint32_t node_of_work(const struct graph *graph, const struct collective *of)
{
    return of->row < graph->trace->count ? graph_node_of(graph, of->row) : NODE_NONE;
}

struct graph_meets graph_meets_of(const struct graph *graph, const struct collective_rows *collectives,
                                  struct arena *arena)
{
    struct keyed *entries = arena_array(arena, collectives->count, sizeof *entries);
    struct keyed *works = arena_array(arena, collectives->count, sizeof *works);
    struct graph_meets meets = {.entries = entries, .works = works};
    for (uint32_t i = 0; i < collectives->count; i++) {
        const struct collective *of = collective_row(collectives, i);
        const uint32_t work = of->dur_ns < 0 ? NODE_NONE : node_of_work(graph, of);
        const uint32_t entry = of->call == ROW_NONE ? work : node_of_call(graph, of->call);
        if (work != NODE_NONE)
            works[meets.work_count++] = (struct keyed){work, i};
        if (entry != NODE_NONE)
            entries[meets.entry_count++] = (struct keyed){entry, i};
    }
    sort_keyed(entries, meets.entry_count);
    sort_keyed(works, meets.work_count);
    meets.holds = graph_holds(graph, collectives, arena, &meets.hold_count);
    return meets;
}
