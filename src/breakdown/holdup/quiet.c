/* SPDX-License-Identifier: Apache-2.0 */
#include "quiet.h"

#include "base/mem.h"
#include "base/sum.h"

struct run {
    uint32_t first, last, operators;
    int64_t ns;
};

struct finding {
    const struct lab *lab;
    struct run *open;       /* by lane: what goes on; without time: nothing */
    uint32_t *first, *last; /* by lane: quiet runs */
    struct quiet_run *at;
    size_t count, room;
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

static void go_on(struct finding *f, uint32_t node)
{
    struct run *run = &f->open[graph_lane(f->lab->graph, node)];
    if (!run->ns)
        run->first = node;
    run->last = node;
    run->operators += f->lab->charges.of[node] == CHARGE_HOST + CAUSE_OPERATOR;
    sum_to(&run->ns, f->lab->graph->net.work[node]);
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

static void end_run(struct finding *f, uint32_t lane)
{
    const struct run run = f->open[lane];
    f->open[lane] = (struct run){0};
    if (run.ns < QUIET_NS || run.operators < QUIET_OPERATORS)
        return;
    const uint32_t at = (uint32_t)f->count++;
    f->at = mem_grow(f->at, &f->room, f->count, sizeof *f->at);
    f->at[at] = (struct quiet_run){run.first, run.last, over(f->lab->graph, &run), NOT_QUIET};
    if (f->last[lane] == NOT_QUIET)
        f->first[lane] = at;
    else
        f->at[f->last[lane]].next = at;
    f->last[lane] = at;
}

static bool has_device(const struct lab *lab)
{
    for (uint32_t node = 0; node < lab->selected.steps.until; node++)
        if (lab->graph->net.kind[node] == NODE_DEVICE)
            return true;
    return false;
}

static void find(struct finding *f)
{
    const struct lab *lab = f->lab;
    const struct graph *graph = lab->graph;
    for (uint32_t node = 0; node < lab->selected.steps.until; node++) {
        if (graph->net.kind[node] == NODE_DEVICE || graph->net.start[node] < lab->selected.steps.from_ns)
            continue;
        if (ends_run(lab, node))
            end_run(f, graph_lane(graph, node));
        else if (lab->charges.of[node] != CHARGE_HOST + CAUSE_RUNTIME)
            go_on(f, node);
    }
    for (uint32_t lane = 0; lane < graph->trace->lane_count; lane++)
        end_run(f, lane);
}

static uint32_t *none_by_lane(const struct lab *lab, struct arena *arena)
{
    const size_t lanes = lab->graph->trace->lane_count;
    uint32_t *runs = arena_array(arena, lanes, sizeof *runs);
    memset(runs, 0xFF, lanes * sizeof *runs); /* NOT_QUIET */
    return runs;
}

struct quiet quiet_of(const struct lab *lab, struct arena *arena)
{
    struct finding f = {.lab = lab, .first = none_by_lane(lab, arena), .last = none_by_lane(lab, arena)};
    f.open = arena_array(arena, lab->graph->trace->lane_count, sizeof *f.open);
    if (has_device(lab))
        find(&f);
    arena_take(arena, f.at, f.count * sizeof *f.at);
    return (struct quiet){lab, f.at, f.first};
}

uint32_t quiet_over(struct quiet *quiet, uint32_t node)
{
    const struct lab *lab = quiet->lab;
    if (!quiet->at || lab->charges.of[node] == CHARGE_HOST + CAUSE_RUNTIME)
        return NOT_QUIET;
    uint32_t *now = &quiet->now[graph_lane(lab->graph, node)];
    while (*now != NOT_QUIET && quiet->at[*now].last < node)
        *now = quiet->at[*now].next;
    return *now != NOT_QUIET && quiet->at[*now].first <= node ? quiet->at[*now].over : NOT_QUIET;
}
