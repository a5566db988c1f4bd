/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is taken from a thread is a set of time, so pieces that overlap count
 * once. Calls whose waits no longer hold, device work that is gone and device
 * work of another length are known by row.
 */
#include "relief.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "graph/bare.h"
#include "graph/runtime.h"

enum { QUEUEING_NS = 10 * 1000 }; /* a call that copies without waiting, where the trace shows none */

/* ---- the steps ---- */

/* When the first and the last step end: the training thread, and the device work that it launched in them. */
struct ends {
    int64_t first_ns, last_ns;
};

/* The step that a node belongs to; STEP_NONE for other threads, and for the training thread between two steps. */
static uint32_t step_of(const struct graph *graph, uint32_t node)
{
    const struct trace *trace = graph->trace;
    if (graph->net.kind[node] == NODE_DEVICE)
        return trace_step(trace, graph->row[node]);
    if (graph_lane(graph, node) != graph->main_lane)
        return STEP_NONE;
    const uint32_t step = trace_step_at(trace, graph->net.start[node]);
    const bool between = step != STEP_NONE && graph->net.start[node] >= trace->steps[step].host_end_ns;
    return between ? (uint32_t)STEP_NONE : step;
}

struct relief {
    const struct graph *graph;
    struct arena arena;
    struct spans *removed; /* by lane of the host */
    bool *freed;           /* by row: a call that waits for nothing */
    bool *gone;            /* by row: device work */
    struct map lengths;    /* device row to its place in `length_ns` */
    int64_t *length_ns;
    size_t length_count, length_room;
    uint32_t *touched; /* rows whose freed or gone is set */
    size_t touched_count, touched_room;
    int64_t queueing_ns;
    struct ends recorded; /* without the recorder */
    double bare_share;    /* of a time of the host (graph/bare.h) */
};

/* ---- when the steps end ---- */

/* A stretch of the thread that goes on after its step counts up to the step's end. */
static int64_t end_in_step(const struct relief *relief, const struct schedule *schedule, uint32_t node, uint32_t step)
{
    const struct graph *graph = relief->graph;
    const int64_t step_end = graph->trace->steps[step].host_end_ns, start = graph->net.start[node];
    if (graph->net.kind[node] == NODE_DEVICE || graph_end_ns(graph, node) <= step_end)
        return schedule->end[node];
    const struct spans *removed = &relief->removed[graph_lane(graph, node)];
    const int64_t left = step_end - start - spans_length_within(removed, start, step_end);
    return schedule->start[node] + graph_bare_ns(relief->bare_share, left);
}

static struct ends ends_of(const struct relief *relief, const struct schedule *schedule)
{
    const struct graph *graph = relief->graph;
    const uint32_t steps = graph->trace->step_count;
    struct ends ends = {0, 0};
    for (uint32_t node = 0; node < graph->net.count; node++) {
        const uint32_t step = step_of(graph, node);
        if (step == STEP_NONE || (step > 0 && step + 1 < steps))
            continue;
        int64_t *end = step + 1 == steps ? &ends.last_ns : &ends.first_ns;
        const int64_t node_end = end_in_step(relief, schedule, node, step);
        *end = node_end > *end ? node_end : *end;
    }
    return ends;
}

/* ---- what a copy call takes that does not wait ---- */

/* The median launch call: a copy that is only queued takes as long. */
static int64_t find_queueing_ns(const struct trace *trace)
{
    struct arena scratch = {0};
    const uint8_t *calls = runtime_calls_of(trace, &scratch);
    struct keyed *launches = NULL;
    size_t count = 0, room = 0;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (trace->kind[row] != EVENT_RUNTIME || calls[trace->name[row]] != RUNTIME_LAUNCH)
            continue;
        launches = mem_grow(launches, &room, count + 1, sizeof *launches);
        launches[count++] = (struct keyed){trace->dur_ns[row], row};
    }
    sort_keyed(launches, count);
    const int64_t median = count ? launches[count / 2].key : QUEUEING_NS;
    mem_free(launches);
    arena_free(&scratch);
    return median;
}

/* ---- life ---- */

static int64_t work_left(const void *context, uint32_t node)
{
    const struct relief *relief = context;
    const struct graph *graph = relief->graph;
    if (graph->net.kind[node] == NODE_DEVICE) {
        const uint32_t at = relief->length_count ? map_get(&relief->lengths, graph->row[node]) : (uint32_t)MAP_NONE;
        return at == MAP_NONE ? graph->net.work[node] : relief->length_ns[at];
    }
    const struct spans *removed = &relief->removed[graph_lane(graph, node)];
    const int64_t left =
        graph->net.work[node] - spans_length_within(removed, graph->net.start[node], graph_end_ns(graph, node));
    return graph_bare_ns(relief->bare_share, left);
}

struct relief *relief_new(const struct graph *graph)
{
    const struct trace *trace = graph->trace;
    struct relief *relief = mem_zeroed(sizeof *relief);
    relief->graph = graph;
    relief->removed = arena_array(&relief->arena, trace->lane_count, sizeof *relief->removed);
    relief->freed = arena_array(&relief->arena, trace->count, sizeof *relief->freed);
    relief->gone = arena_array(&relief->arena, trace->count, sizeof *relief->gone);
    relief->queueing_ns = find_queueing_ns(trace);
    struct arena scratch = {0};
    const struct graph_steps steps = graph_steps_of(graph, (struct step_range){0, trace->step_count}, &scratch);
    relief->bare_share = graph_bare_share(graph, &steps);
    const struct change bare = {.context = relief, .work = work_left};
    const struct schedule recorded = net_run(&graph->net, relief->bare_share < 1 ? &bare : NULL, &scratch);
    relief->recorded = ends_of(relief, &recorded);
    arena_free(&scratch);
    return relief;
}

void relief_clear(struct relief *relief)
{
    for (uint32_t lane = 0; lane < relief->graph->trace->lane_count; lane++)
        spans_clear(&relief->removed[lane]);
    for (size_t i = 0; i < relief->touched_count; i++)
        relief->freed[relief->touched[i]] = relief->gone[relief->touched[i]] = false;
    relief->touched_count = 0;
    relief->length_count = 0;
    map_free(&relief->lengths);
}

void relief_free(struct relief *relief)
{
    if (!relief)
        return;
    for (uint32_t lane = 0; lane < relief->graph->trace->lane_count; lane++)
        spans_free(&relief->removed[lane]);
    map_free(&relief->lengths);
    mem_free(relief->length_ns);
    mem_free(relief->touched);
    arena_free(&relief->arena);
    mem_free(relief);
}

/* ---- pieces ---- */

static void mark(struct relief *relief, bool *marks, uint32_t row)
{
    if (marks[row])
        return;
    marks[row] = true;
    relief->touched = mem_grow(relief->touched, &relief->touched_room, relief->touched_count + 1, sizeof(uint32_t));
    relief->touched[relief->touched_count++] = row;
}

static bool inside(const struct trace *trace, uint32_t row, uint32_t outer)
{
    while (row != ROW_NONE && row != outer)
        row = trace->parent[row];
    return row == outer;
}

static void remove_call(struct relief *relief, uint32_t call)
{
    mark(relief, relief->freed, call);
    const struct rows work = trace_caused(relief->graph->trace, call);
    for (uint32_t i = 0; i < work.count; i++)
        mark(relief, relief->gone, work.at[i]);
}

void relief_remove(struct relief *relief, uint32_t row)
{
    const struct trace *trace = relief->graph->trace;
    const uint32_t lane = trace->lane[row];
    const int64_t end = trace_end_ns(trace, row);
    const struct rows rows = trace_rows(trace, lane, NEST_CALLS);
    for (uint32_t i = trace_first_from(trace, rows, trace->start_ns[row]); i < rows.count; i++) {
        if (rows.at[i] != row && trace->start_ns[rows.at[i]] >= end)
            break;
        if (inside(trace, rows.at[i], row))
            remove_call(relief, rows.at[i]);
    }
    spans_add(&relief->removed[lane], trace->start_ns[row], end);
}

void relief_unblock(struct relief *relief, const struct move *move)
{
    const struct trace *trace = relief->graph->trace;
    if (move->sync != ROW_NONE) {
        mark(relief, relief->freed, move->sync);
        spans_add(&relief->removed[trace->lane[move->sync]], trace->start_ns[move->sync],
                  trace_end_ns(trace, move->sync));
    }
    if (move->call == ROW_NONE || move->call == move->sync)
        return;
    mark(relief, relief->freed, move->call);
    spans_add(&relief->removed[trace->lane[move->call]], trace->start_ns[move->call] + relief->queueing_ns,
              trace_end_ns(trace, move->call));
}

void relief_device(struct relief *relief, uint32_t row, int64_t dur_ns)
{
    relief->length_ns =
        mem_grow(relief->length_ns, &relief->length_room, relief->length_count + 1, sizeof *relief->length_ns);
    relief->length_ns[relief->length_count] = dur_ns;
    map_put(&relief->lengths, row, (uint32_t)relief->length_count++);
}

static bool gives_work(const struct trace *trace, uint32_t row)
{
    return trace->kind[row] == EVENT_RUNTIME && trace->cause[row] != ROW_NONE;
}

/* Leaves the calls that give the device work, with the operators around them. */
void relief_host(struct relief *relief, uint32_t lane, int64_t start_ns, int64_t end_ns)
{
    const struct trace *trace = relief->graph->trace;
    const struct rows rows = trace_rows(trace, lane, NEST_CALLS);
    int64_t from = start_ns;
    for (uint32_t i = trace_first_from(trace, rows, start_ns); i < rows.count; i++) {
        if (trace->start_ns[rows.at[i]] >= end_ns)
            break;
        if (!gives_work(trace, rows.at[i]))
            continue;
        uint32_t outer = rows.at[i];
        while (trace->parent[outer] != ROW_NONE && trace->start_ns[trace->parent[outer]] >= start_ns)
            outer = trace->parent[outer];
        spans_add(&relief->removed[lane], from, trace->start_ns[outer]);
        from = trace_end_ns(trace, outer) > from ? trace_end_ns(trace, outer) : from;
    }
    spans_add(&relief->removed[lane], from, end_ns);
}

void relief_stretch(struct relief *relief, uint32_t lane, int64_t start_ns, int64_t end_ns)
{
    const struct trace *trace = relief->graph->trace;
    const struct rows rows = trace_rows(trace, lane, NEST_CALLS);
    for (uint32_t i = trace_first_from(trace, rows, start_ns); i < rows.count; i++) {
        if (trace->start_ns[rows.at[i]] >= end_ns)
            break;
        if (trace->kind[rows.at[i]] == EVENT_RUNTIME)
            remove_call(relief, rows.at[i]);
    }
    spans_add(&relief->removed[lane], start_ns, end_ns);
}

/* ---- replay ---- */

static bool node_gone(const void *context, uint32_t node)
{
    const struct relief *relief = context;
    return relief->graph->net.kind[node] == NODE_DEVICE && relief->gone[relief->graph->row[node]];
}

static bool edge_left(const void *context, const struct edge *edge)
{
    const struct relief *relief = context;
    const struct graph *graph = relief->graph;
    if (edge->kind == EDGE_BUSY)
        return !node_gone(context, edge->from);
    if (edge->kind != EDGE_WAIT && edge->kind != EDGE_QUEUE)
        return true;
    return graph->net.kind[edge->to] != NODE_CALL || !relief->freed[graph->row[edge->to]];
}

/* From the end of one step to that of the next, in the mean; of a single step its end alone. */
static int64_t period_ns(const struct ends *ends, uint32_t steps)
{
    return steps > 1 ? (ends->last_ns - ends->first_ns) / (steps - 1) : ends->last_ns;
}

int64_t relief_saving_ns(struct relief *relief)
{
    const struct graph *graph = relief->graph;
    for (uint32_t lane = 0; lane < graph->trace->lane_count; lane++)
        spans_tidy(&relief->removed[lane]);
    struct arena scratch = {0};
    const struct change change = {.context = relief, .work = work_left, .holds = edge_left, .gone = node_gone};
    const struct schedule schedule = net_run(&graph->net, &change, &scratch);
    const struct ends ends = ends_of(relief, &schedule);
    arena_free(&scratch);
    return period_ns(&relief->recorded, graph->trace->step_count) - period_ns(&ends, graph->trace->step_count);
}

int64_t relief_step_ns(const struct relief *relief)
{
    return period_ns(&relief->recorded, relief->graph->trace->step_count);
}

double relief_bare_share(const struct relief *relief)
{
    return relief->bare_share;
}
