/* SPDX-License-Identifier: Apache-2.0 */
#include "node_cause.h"

#include "base/sort.h"
#include "graph/runtime.h"

static bool launches_a_graph(str name)
{
    return str_starts(name, S("cudaGraphLaunch")) || str_starts(name, S("hipGraphLaunch")) ||
           str_starts(name, S("cuGraphLaunch"));
}

static const bool *graph_launches_of(const struct trace *trace, struct arena *arena)
{
    const uint32_t texts = trace_text_count(trace);
    bool *found = arena_array(arena, texts, sizeof *found);
    for (uint32_t text = 0; text < texts; text++)
        found[text] = launches_a_graph(trace_text(trace, text));
    return found;
}

static enum cause cause_of_call(const struct node_causes *causes, uint32_t node)
{
    const struct trace *trace = causes->graph->trace;
    const uint32_t row = causes->graph->row[node];
    if (causes->graph->net.kind[node] != NODE_CALL)
        return CAUSE_PYTHON;
    if (trace->kind[row] != EVENT_RUNTIME)
        return trace->kind[row] == EVENT_OPERATOR ? CAUSE_OPERATOR : CAUSE_PYTHON;
    const enum runtime_call call = causes->calls[trace->name[row]];
    if (runtime_is_sync(call))
        return CAUSE_SYNC;
    if (causes->graph_launches[trace->name[row]])
        return CAUSE_GRAPH;
    return call == RUNTIME_LAUNCH || trace->cause[row] != ROW_NONE ? CAUSE_LAUNCH : CAUSE_RUNTIME;
}

/* ---- pauses of one length ---- */

enum {
    PAUSE_NS = 1000 * 1000, /* from here on a stretch of Python may be one */
    PAUSE_SPREAD = 1000,    /* lengths that differ by less than this part of them are the same */
    PAUSES_LEAST = 3,
};

static bool stands_over(const struct cause_track *track, int64_t start_ns, int64_t end_ns)
{
    const uint32_t first = cause_track_find(track, start_ns);
    return first < track->count && track->at[first].start_ns < end_ns;
}

/* With a frame around it, or a cause over it, it is known what ran. */
static bool is_long_python(const struct node_causes *causes, const struct cause_track *tracks, uint32_t node)
{
    const struct graph *graph = causes->graph;
    const uint32_t lane = graph->main_lane;
    return graph->net.work[node] >= PAUSE_NS && graph->net.kind[node] != NODE_DEVICE &&
           graph_lane(graph, node) == lane && cause_of_call(causes, node) == CAUSE_PYTHON &&
           trace_open_at(graph->trace, lane, NEST_PYTHON, graph->net.start[node]) == ROW_NONE &&
           !stands_over(&tracks[lane], graph->net.start[node], graph_end_ns(graph, node));
}

/*
 * No work takes the same time to a thousandth again and again: about once a step or more, and nothing known inside. What
 * does is a sleep, or something that wakes with a clock.
 */
static const bool *pauses_among(const struct graph *graph, const struct keyed *all, size_t count, struct arena *arena)
{
    const uint32_t steps = graph->trace->step_source == STEPS_NONE ? 0 : graph->steps.count;
    bool *pauses = NULL;
    for (size_t first = 0, end = 0; steps && first < count; first = end) {
        while (end < count && all[end].key - all[first].key <= all[first].key / PAUSE_SPREAD)
            end++;
        if (end - first < PAUSES_LEAST || end - first + 1 < steps)
            continue;
        if (!pauses)
            pauses = arena_array(arena, graph->net.count, sizeof *pauses);
        for (size_t i = first; i < end; i++)
            pauses[all[i].row] = true;
    }
    return pauses;
}

static const bool *pauses_of_one_length(const struct node_causes *causes, const struct cause_track *tracks,
                                        struct arena *arena)
{
    struct arena scratch = {0};
    const struct net *net = &causes->graph->net;
    struct keyed *all = arena_room(&scratch, net->count, sizeof *all);
    size_t count = 0;
    for (uint32_t node = 0; node < net->count; node++)
        if (is_long_python(causes, tracks, node))
            all[count++] = (struct keyed){net->work[node], node};
    sort_keyed(all, count);
    const bool *pauses = pauses_among(causes->graph, all, count, arena);
    arena_free(&scratch);
    return pauses;
}

/* ---- all ---- */

struct node_causes node_causes_of(const struct graph *graph, const struct cause_track *tracks, struct arena *arena)
{
    struct node_causes causes = {.graph = graph,
                                 .calls = runtime_calls_of(graph->trace, arena),
                                 .graph_launches = graph_launches_of(graph->trace, arena)};
    causes.pauses = pauses_of_one_length(&causes, tracks, arena);
    return causes;
}

enum cause node_cause(const struct node_causes *causes, uint32_t node)
{
    return causes->pauses && causes->pauses[node] ? CAUSE_PAUSE : cause_of_call(causes, node);
}
