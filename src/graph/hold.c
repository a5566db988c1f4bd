/* SPDX-License-Identifier: Apache-2.0 */
#include "hold.h"

struct holding {
    const struct graph *graph;
    const struct collective_rows *collectives;
    struct keyed *own; /* collectives whose work is on a thread of the host, by lane and then by end */
    size_t own_count;
    size_t *first, *end; /* by lane: those that the nodes to come may hold */
    bool *is_call;       /* by row: the call of a collective of the host */
    struct keyed *holds;
    size_t count;
};

static const struct collective *of(const struct holding *h, uint32_t i)
{
    return collective_row(h->collectives, i);
}

/* Its work has no node of its own: that of its row, if any, is the stretch of a thread. */
static bool is_own(const struct holding *h, uint32_t i)
{
    const struct trace *trace = h->graph->trace;
    const struct collective *one = of(h, i);
    return one->on_host && one->call != ROW_NONE && one->dur_ns > 0 && one->row < trace->count &&
           trace->lane[one->row] == trace->lane[one->call];
}

static void list_own(struct holding *h)
{
    const struct trace *trace = h->graph->trace;
    for (uint32_t i = 0; i < h->collectives->count; i++)
        if (is_own(h, i))
            h->own[h->own_count++] = (struct keyed){graph_hold_end_ns(h->collectives, i), i};
    sort_keyed(h->own, h->own_count);
    for (size_t i = 0; i < h->own_count; i++)
        h->own[i].key = trace->lane[of(h, h->own[i].row)->row];
    sort_keyed(h->own, h->own_count);
    for (size_t i = h->own_count; i-- > 0;) {
        h->first[h->own[i].key] = i;
        h->end[h->own[i].key] = h->end[h->own[i].key] ? h->end[h->own[i].key] : i + 1;
    }
}

enum { WAITED_NS = 100 * 1000 }; /* a wait that ends sooner may have found the message there */

/* The frame of work.wait() is open where the work ends, and has been for a while. */
static bool is_in_wait(const struct holding *h, uint32_t node, uint32_t collective)
{
    const struct trace *trace = h->graph->trace;
    const int64_t let_go = graph_hold_end_ns(h->collectives, collective);
    const uint32_t frame = trace_open_at(trace, graph_lane(h->graph, node), NEST_PYTHON, let_go - 1);
    return frame != ROW_NONE && str_starts(trace_name(trace, frame), S("<built-in method wait of ")) &&
           let_go - trace->start_ns[frame] >= WAITED_NS;
}

/* The thread is in the call, or in none since a call of a collective, or a frame says that it waits. */
static bool waits_in(const struct holding *h, uint32_t node, uint32_t collective)
{
    const struct graph *graph = h->graph;
    if (graph->net.kind[node] == NODE_CALL)
        return graph->row[node] == of(h, collective)->call;
    if (is_in_wait(h, node, collective))
        return true;
    const uint32_t before = graph->net.before[node];
    uint32_t row = before != NODE_NONE && graph->net.kind[before] == NODE_CALL ? graph->row[before] : ROW_NONE;
    while (row != ROW_NONE && !h->is_call[row])
        row = graph->trace->parent[row];
    return row != ROW_NONE;
}

static void take_node(struct holding *h, uint32_t node)
{
    const uint32_t lane = graph_lane(h->graph, node);
    const int64_t start = h->graph->net.start[node], end = graph_end_ns(h->graph, node);
    for (size_t *next = &h->first[lane]; *next < h->end[lane]; ++*next) {
        const uint32_t collective = h->own[*next].row;
        const int64_t let_go = graph_hold_end_ns(h->collectives, collective);
        if (let_go > end)
            return;
        if (let_go > start && waits_in(h, node, collective))
            h->holds[h->count++] = (struct keyed){node, collective};
    }
}

const struct keyed *graph_holds(const struct graph *graph, const struct collective_rows *collectives,
                                struct arena *arena, size_t *count)
{
    struct arena scratch = {0};
    const struct trace *trace = graph->trace;
    struct holding h = {.graph = graph, .collectives = collectives};
    h.own = arena_array(&scratch, collectives->count, sizeof *h.own);
    h.first = arena_array(&scratch, trace->lane_count, sizeof *h.first);
    h.end = arena_array(&scratch, trace->lane_count, sizeof *h.end);
    list_own(&h);
    h.holds = arena_array(arena, h.own_count, sizeof *h.holds);
    h.is_call = arena_array(&scratch, h.own_count ? trace->count : 0, sizeof *h.is_call);
    for (size_t i = 0; i < h.own_count; i++)
        h.is_call[of(&h, h.own[i].row)->call] = true;
    for (uint32_t node = 0; h.own_count && node < graph->net.count; node++)
        if (graph->net.kind[node] != NODE_DEVICE)
            take_node(&h, node);
    arena_free(&scratch);
    *count = h.count;
    return h.holds;
}
