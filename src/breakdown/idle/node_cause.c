/* SPDX-License-Identifier: Apache-2.0 */
#include "node_cause.h"

#include "base/map.h"
#include "graph/runtime.h"
#include "node_event.h"
#include "node_pause.h"
#include "ops/words/family.h"
#include "read_back.h"

/* ---- calls ---- */

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

static void find_calls(const struct node_causes *causes, const bool *read_backs, uint8_t *of)
{
    const struct graph *graph = causes->graph;
    for (uint32_t node = 0; node < graph->net.count; node++) {
        if (graph->net.kind[node] == NODE_DEVICE)
            continue;
        const bool back = read_backs && graph->net.kind[node] == NODE_CALL && read_backs[graph->row[node]];
        of[node] = (uint8_t)(back ? CAUSE_SYNC : cause_of_call(causes, node));
    }
}

/* ---- long stretches ---- */

/* Of a node's work what no cause stands over. */
static int64_t own_ns(const struct graph *graph, const struct cause_track *tracks, uint32_t node)
{
    const struct cause_track *track = &tracks[graph_lane(graph, node)];
    const int64_t start = graph->net.start[node], end = graph_end_ns(graph, node);
    int64_t ns = end - start;
    for (uint32_t i = cause_track_find(track, start); i < track->count && track->at[i].start_ns < end; i++) {
        const int64_t from = track->at[i].start_ns > start ? track->at[i].start_ns : start;
        const int64_t until = track->at[i].end_ns < end ? track->at[i].end_ns : end;
        ns -= until - from;
    }
    return ns;
}

static bool is_long(const struct graph *graph, const struct cause_track *tracks, const uint8_t *of, uint32_t node)
{
    return graph->net.kind[node] != NODE_DEVICE && graph->net.work[node] >= LONG_NODE_NS &&
           (of[node] == CAUSE_OPERATOR || of[node] == CAUSE_PYTHON) && own_ns(graph, tracks, node) >= LONG_NODE_NS;
}

/* Of a library's operator the name says what it does; of a function of the user's only that it ran. */
static bool is_function(str name)
{
    static const char *const running[] = {"CompiledFunction", "Torch-Compiled", "## Call ", "TorchDynamo",
                                          "Optimizer."};
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        if (str_starts(name, str_of(running[i])))
            return false;
    return !str_has(name, S("::")) && family_of_name(name) == FAMILY_OTHER;
}

/* Without a frame nobody knows whether something worked, waited or slept. */
static bool is_unknown(const struct graph *graph, const uint8_t *of, uint32_t node)
{
    const uint32_t row = node_event(graph, node);
    if (of[node] == CAUSE_PYTHON)
        return row == ROW_NONE || graph->trace->kind[row] == EVENT_ANNOTATION;
    return is_function(trace_name(graph->trace, row));
}

/* By text of an operator: its one long node; NODE_NONE where there are several. */
static struct map long_operators(const struct graph *graph, const struct cause_track *tracks, const uint8_t *of)
{
    struct map found = {0};
    for (uint32_t node = 0; node < graph->net.count; node++) {
        if (of[node] != CAUSE_OPERATOR || !is_long(graph, tracks, of, node))
            continue;
        const uint32_t text = graph->trace->name[graph->row[node]];
        map_put(&found, text, map_get(&found, text) == MAP_NONE ? 1 : 2);
    }
    return found;
}

/* It waits for something that was not recorded. */
static bool awaits(const struct graph *graph, const struct work_classes *classes, uint32_t node)
{
    return graph->net.kind[node] == NODE_CALL && work_awaits(classes, graph->row[node]);
}

static void find_long(const struct graph *graph, const struct work_classes *classes, const struct cause_track *tracks,
                      uint8_t *of)
{
    struct map operators = long_operators(graph, tracks, of);
    const bool several = graph->trace->step_source != STEPS_NONE && graph->steps.count > 1;
    for (uint32_t node = 0; node < graph->net.count; node++) {
        if (!is_long(graph, tracks, of, node))
            continue;
        if (awaits(graph, classes, node))
            of[node] = CAUSE_WAITING;
        else if (of[node] == CAUSE_OPERATOR && several &&
                 map_get(&operators, graph->trace->name[graph->row[node]]) == 1)
            of[node] = CAUSE_RUN_TIME_COMPILER;
        else if (is_unknown(graph, of, node))
            of[node] = CAUSE_UNKNOWN;
    }
    map_free(&operators);
}

/* ---- no launches ---- */

static void mark_quiet(struct node_causes *causes, uint8_t *of, struct arena *arena)
{
    const struct net *net = &causes->graph->net;
    if (!causes->quiet.count)
        return;
    uint32_t *run_of = arena_room(arena, net->count, sizeof *run_of);
    memset(run_of, 0xFF, net->count * sizeof *run_of); /* NOT_QUIET */
    for (uint32_t i = 0; i < causes->quiet.count; i++)
        for (uint32_t node = causes->quiet.at[i].last; node != NODE_NONE && node >= causes->quiet.at[i].first;
             node = net->before[node])
            if (of[node] == CAUSE_OPERATOR || of[node] == CAUSE_PYTHON) {
                of[node] = CAUSE_NO_LAUNCH;
                run_of[node] = i;
            }
    causes->quiet_of = run_of;
}

uint32_t node_quiet_over(const struct node_causes *causes, uint32_t node)
{
    const uint32_t run = causes->quiet_of ? causes->quiet_of[node] : NOT_QUIET;
    return run == NOT_QUIET || causes->quiet.at[run].over == QUIET_NOWHERE ? ROW_NONE : causes->quiet.at[run].over;
}

/* ---- all ---- */

struct node_causes node_causes_of(const struct graph *graph, const struct work_classes *classes,
                                  const struct cause_track *tracks, struct arena *arena)
{
    struct node_causes causes = {.graph = graph,
                                 .calls = runtime_calls_of(graph->trace, arena),
                                 .graph_launches = graph_launches_of(graph->trace, arena)};
    uint8_t *of = arena_array(arena, graph->net.count, sizeof *of); /* device work has CAUSE_NONE */
    struct arena scratch = {0};
    find_calls(&causes, read_backs_of(graph->trace, classes, causes.calls, &scratch), of);
    arena_free(&scratch);
    causes.of = of;
    causes.quiet = quiet_of(graph, of, arena);
    node_pauses_find(graph, tracks, of);
    find_long(graph, classes, tracks, of);
    mark_quiet(&causes, of, arena);
    return causes;
}

enum cause node_plain_cause(const struct node_causes *causes, uint32_t node)
{
    switch (causes->of[node]) {
    case CAUSE_UNKNOWN:
    case CAUSE_RUN_TIME_COMPILER:
    case CAUSE_NO_LAUNCH:
        return cause_of_call(causes, node);
    default:
        return node_cause(causes, node);
    }
}
