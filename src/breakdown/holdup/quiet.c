/* SPDX-License-Identifier: Apache-2.0 */
#include "quiet.h"

#include "base/mem.h"
#include "base/sum.h"

struct run {
    uint32_t first, last, operators, over;
    int64_t ns;
};

struct runs {
    const struct lab *lab;
    struct run *at;
    size_t count, room;
    uint32_t *open; /* by lane: the run that goes on; NOT_QUIET */
};

/* Of host nodes: it ends what came before it on its thread. */
static bool ends_run(const struct lab *lab, uint32_t node)
{
    switch ((int)lab->charges.of[node]) {
    case CHARGE_HOST + CAUSE_OPERATOR:
    case CHARGE_HOST + CAUSE_PYTHON:
        return lab->graph->net.work[node] >= QUIET_NS;
    case CHARGE_HOST + CAUSE_RUNTIME:
        return false;
    default:
        return true;
    }
}

static bool is_operator(const struct graph *graph, uint32_t node)
{
    return graph->net.kind[node] == NODE_CALL && graph->trace->kind[graph->row[node]] == EVENT_OPERATOR;
}

static uint32_t run_with(struct runs *runs, uint32_t node)
{
    uint32_t *open = &runs->open[graph_lane(runs->lab->graph, node)];
    if (*open == NOT_QUIET) {
        runs->at = mem_grow(runs->at, &runs->room, runs->count + 1, sizeof *runs->at);
        *open = (uint32_t)runs->count;
        runs->at[runs->count++] = (struct run){.first = node};
    }
    struct run *run = &runs->at[*open];
    run->last = node;
    run->operators += is_operator(runs->lab->graph, node);
    sum_to(&run->ns, runs->lab->graph->net.work[node]);
    return *open;
}

static int64_t overlap_ns(const struct trace *trace, uint32_t row, int64_t start_ns, int64_t end_ns)
{
    const int64_t from = trace->start_ns[row] > start_ns ? trace->start_ns[row] : start_ns;
    const int64_t to = trace_end_ns(trace, row) < end_ns ? trace_end_ns(trace, row) : end_ns;
    return to - from;
}

/* The innermost event that stands over half of the run or more, but for that of the step. */
static uint32_t over(const struct graph *graph, const struct run *run)
{
    const struct trace *trace = graph->trace;
    const int64_t start = graph->net.start[run->first], end = graph_end_ns(graph, run->last);
    for (enum nest nest = NEST_CALLS; nest <= NEST_ANNOTATION; nest++) {
        uint32_t row = trace_open_at(trace, graph_lane(graph, run->last), nest, start + (end - start) / 2);
        while (row != ROW_NONE && 2 * overlap_ns(trace, row, start, end) < end - start)
            row = trace->parent[row];
        if (row != ROW_NONE && !str_starts(trace_name(trace, row), S("ProfilerStep")))
            return row;
    }
    return QUIET_NOWHERE;
}

static void judge(const struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->at[i];
        const bool quiet = run->ns >= QUIET_NS && run->operators >= QUIET_OPERATORS;
        run->over = quiet ? over(runs->lab->graph, run) : NOT_QUIET;
    }
}

static bool has_device(const struct lab *lab)
{
    for (uint32_t node = 0; node < lab->selected.steps.until; node++)
        if (lab->graph->net.kind[node] == NODE_DEVICE)
            return true;
    return false;
}

const uint32_t *quiet_of(const struct lab *lab, struct arena *arena)
{
    const struct graph *graph = lab->graph;
    if (!has_device(lab))
        return NULL;
    const size_t lanes = graph->trace->lane_count;
    uint32_t *quiet = arena_array(arena, lab->selected.steps.until, sizeof *quiet);
    struct runs runs = {.lab = lab, .open = arena_array(arena, lanes, sizeof *runs.open)};
    memset(runs.open, 0xFF, lanes * sizeof *runs.open); /* NOT_QUIET */
    for (uint32_t node = 0; node < lab->selected.steps.until; node++) {
        quiet[node] = NOT_QUIET;
        if (graph->net.kind[node] == NODE_DEVICE || graph->net.start[node] < lab->selected.steps.from_ns)
            continue;
        if (ends_run(lab, node))
            runs.open[graph_lane(graph, node)] = NOT_QUIET;
        else if (lab->charges.of[node] != CHARGE_HOST + CAUSE_RUNTIME)
            quiet[node] = run_with(&runs, node);
    }
    judge(&runs);
    for (uint32_t node = 0; node < lab->selected.steps.until; node++)
        if (quiet[node] != NOT_QUIET)
            quiet[node] = runs.at[quiet[node]].over;
    mem_free(runs.at);
    return quiet;
}
