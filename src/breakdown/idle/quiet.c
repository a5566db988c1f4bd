/* SPDX-License-Identifier: Apache-2.0 */
#include "quiet.h"

#include "base/mem.h"
#include "base/sum.h"

struct run {
    uint32_t first, last, operators;
    int64_t ns;
};

struct finding {
    const struct graph *graph;
    const uint8_t *causes;
    struct run *open; /* by lane: what goes on; without time: nothing */
    struct quiet_run *at;
    size_t count, room;
};

/* Of host nodes: it ends what came before it on its thread. */
static bool ends_run(const struct finding *f, uint32_t node)
{
    switch ((int)f->causes[node]) {
    case CAUSE_OPERATOR:
    case CAUSE_PYTHON:
        return f->graph->net.work[node] >= QUIET_NS;
    case CAUSE_RUNTIME:
        return false;
    default:
        return true;
    }
}

static void go_on(struct finding *f, uint32_t node)
{
    struct run *run = &f->open[graph_lane(f->graph, node)];
    if (!run->ns)
        run->first = node;
    run->last = node;
    run->operators += f->causes[node] == CAUSE_OPERATOR;
    sum_to(&run->ns, f->graph->net.work[node]);
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
    f->at = mem_grow(f->at, &f->room, f->count + 1, sizeof *f->at);
    f->at[f->count++] = (struct quiet_run){run.first, run.last, over(f->graph, &run)};
}

static bool has_device(const struct trace *trace)
{
    return trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] > 0;
}

struct quiet quiet_of(const struct graph *graph, const uint8_t *causes, struct arena *arena)
{
    struct arena scratch = {0};
    struct finding f = {.graph = graph, .causes = causes};
    const uint32_t lanes = graph->trace->lane_count;
    f.open = arena_array(&scratch, lanes, sizeof *f.open);
    for (uint32_t node = 0; has_device(graph->trace) && node < graph->net.count; node++) {
        if (graph->net.kind[node] == NODE_DEVICE)
            continue;
        if (ends_run(&f, node))
            end_run(&f, graph_lane(graph, node));
        else if (causes[node] != CAUSE_RUNTIME)
            go_on(&f, node);
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
        end_run(&f, lane);
    arena_free(&scratch);
    return (struct quiet){arena_move(arena, f.at, f.count * sizeof *f.at), (uint32_t)f.count};
}
