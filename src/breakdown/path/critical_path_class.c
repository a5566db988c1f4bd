/* SPDX-License-Identifier: Apache-2.0 */
#include "critical_path_class.h"

#include "base/mem.h"
#include "base/sort.h"
#include "breakdown/idle/host_event.h"
#include "graph/runtime.h"
#include "ops/rows/phase.h"

static const struct {
    const char *id, *title;
    enum bound bound;
} words[PATH_CLASSES] = {
    [PATH_FORWARD] = {"operators_forward", "operators, forward", BOUND_HOST},
    [PATH_BACKWARD] = {"operators_backward", "operators, backward", BOUND_HOST},
    [PATH_OPTIMIZER] = {"operators_optimizer", "operators, optimizer", BOUND_HOST},
    [PATH_PYTHON] = {"python", "Python between operators", BOUND_HOST},
    [PATH_LOADING] = {"data_loading", "data loading", BOUND_INPUT},
    [PATH_LAUNCH] = {"launches", "launch calls", BOUND_HOST},
    [PATH_RUNTIME] = {"runtime", "other runtime calls", BOUND_HOST},
    [PATH_SYNC] = {"synchronisation", "synchronisation beside the wait", BOUND_HOST},
    [PATH_COLLECTIVE] = {"host_communication", "communication on the host", BOUND_COMMUNICATION},
    [PATH_PROFILER] = {"profiler", "profiler", BOUND_HOST},
    [PATH_COMPUTE] = {"compute", "compute kernels", BOUND_COMPUTE},
    [PATH_COMMUNICATION] = {"communication", "communication kernels", BOUND_COMMUNICATION},
    [PATH_COPY] = {"copies", "copies", BOUND_COPIES},
    [PATH_MEMSET] = {"memset", "memsets", BOUND_COPIES},
    [PATH_LATENCY] = {"launch_latency", "launch latency", BOUND_HOST},
    [PATH_QUEUE] = {"stream_gaps", "between work on a stream", BOUND_COMPUTE},
    [PATH_DEPENDENCY] = {"dependency", "hand-over between streams", BOUND_COMPUTE},
    [PATH_HELD] = {"held", "queued, reason not recorded", BOUND_UNKNOWN},
    [PATH_UNKNOWN] = {"unknown", "not recorded", BOUND_UNKNOWN},
};

const char *path_class_id(enum path_class class)
{
    return words[class].id;
}

const char *path_class_title(enum path_class class)
{
    return words[class].title;
}

enum bound path_class_bound(enum path_class class, bool device)
{
    return !device && class <= PATH_OPTIMIZER ? BOUND_COMPUTE : words[class].bound;
}

/* ---- marks: annotations that say what their thread was doing ---- */

struct mark {
    int64_t start_ns, end_ns;
    uint32_t row;
    enum path_class class;
};

/* Of a lane: by time, disjoint. */
struct marks {
    struct mark *at;
    uint32_t count;
    uint32_t until; /* marks from here on begin after the parts to come */
};

struct path_judge {
    const struct trace *trace;
    const struct graph *graph;
    const struct work_classes *classes;
    const uint8_t *phases, *calls;
    struct marks *marks; /* by lane */
};

static enum path_class class_of_mark(enum host_state state)
{
    switch (state) {
    case HOST_LOADING:
        return PATH_LOADING;
    case HOST_PROFILING:
        return PATH_PROFILER;
    case HOST_COMMUNICATING:
        return PATH_COLLECTIVE;
    default:
        return PATH_CLASSES;
    }
}

static enum path_class mark_class(struct host_events *events, const struct trace *trace, uint32_t row)
{
    if (trace->kind[row] == EVENT_RUNTIME)
        return PATH_CLASSES;
    return class_of_mark(trace->kind[row] == EVENT_OPERATOR ? host_open_call(events, row).state
                                                            : host_mark_state(events, row));
}

struct found {
    struct keyed *at;
    size_t count, room;
};

static void find_marks(struct host_events *events, const struct trace *trace, uint32_t lane, struct found *found)
{
    static const enum nest nests[] = {NEST_CALLS, NEST_ANNOTATION, NEST_ASIDE};
    found->count = 0;
    for (size_t n = 0; n < sizeof nests / sizeof *nests; n++) {
        const struct rows rows = trace_rows(trace, lane, nests[n]);
        for (uint32_t i = 0; i < rows.count; i++) {
            if (mark_class(events, trace, rows.at[i]) == PATH_CLASSES)
                continue;
            found->at = mem_grow(found->at, &found->room, found->count + 1, sizeof *found->at);
            found->at[found->count++] = (struct keyed){trace->start_ns[rows.at[i]], rows.at[i]};
        }
    }
    sort_keyed(found->at, found->count);
}

/* Of marks that overlap the earlier one counts. */
static struct marks disjoint(struct host_events *events, const struct trace *trace, const struct found *found,
                             struct arena *arena)
{
    struct marks marks = {.at = arena_array(arena, found->count, sizeof *marks.at)};
    int64_t from = 0;
    for (size_t i = 0; i < found->count; i++) {
        const uint32_t row = found->at[i].row;
        const int64_t start = trace->start_ns[row] > from ? trace->start_ns[row] : from, end = trace_end_ns(trace, row);
        if (end <= start)
            continue;
        marks.at[marks.count++] = (struct mark){start, end, row, mark_class(events, trace, row)};
        from = end;
    }
    marks.until = marks.count;
    return marks;
}

struct path_judge *path_judge_new(const struct graph *graph, const struct work_classes *classes, struct arena *arena)
{
    const struct trace *trace = graph->trace;
    struct path_judge *judge = arena_alloc(arena, sizeof *judge);
    *judge = (struct path_judge){trace,
                                 graph,
                                 classes,
                                 phases_of(trace, arena),
                                 runtime_calls_of(trace, arena),
                                 arena_array(arena, trace->lane_count, sizeof *judge->marks)};
    struct host_events *events = host_events_new(trace, classes, arena);
    struct found found = {0};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device) {
            find_marks(events, trace, lane, &found);
            judge->marks[lane] = disjoint(events, trace, &found, arena);
        }
    mem_free(found.at);
    return judge;
}

/* ---- classes ---- */

static enum path_class class_of_call(const struct path_judge *judge, uint32_t row)
{
    static const enum path_class of_phase[PHASES] = {PATH_FORWARD, PATH_BACKWARD, PATH_OPTIMIZER, PATH_FORWARD};
    const struct trace *trace = judge->trace;
    if (trace->kind[row] == EVENT_OPERATOR)
        return of_phase[judge->phases[row]];
    if (trace->kind[row] == EVENT_ANNOTATION)
        return PATH_PYTHON;
    const enum runtime_call call = judge->calls[trace->name[row]];
    if (runtime_is_sync(call))
        return PATH_SYNC;
    return trace->cause[row] != ROW_NONE || call == RUNTIME_LAUNCH ? PATH_LAUNCH : PATH_RUNTIME;
}

static enum path_class class_of_work(const struct path_judge *judge, uint32_t row)
{
    static const enum path_class of_work[WORK_CLASSES] = {PATH_COMPUTE, PATH_COMMUNICATION, PATH_COPY, PATH_MEMSET};
    return of_work[work_class(judge->classes, row)];
}

/* A launch takes some microseconds, under load or in a virtual machine some tens; longer than this is no latency. */
enum { HELD_NS = 100 * 1000 };

/* Of a part in which the node had not begun. */
static enum path_class class_of_wait(const struct path_judge *judge, const struct path_part *part)
{
    const struct graph *graph = judge->graph;
    const bool device = graph->net.kind[part->node] == NODE_DEVICE, held = part->end - part->start > HELD_NS;
    switch (part->via) {
    case EDGE_LAUNCH:
        return held ? PATH_HELD : PATH_LATENCY;
    case EDGE_STREAM:
    case EDGE_BUSY:
        return PATH_DEPENDENCY;
    case EDGE_ORDER:
        if (!device)
            return PATH_PYTHON;
        if (judge->trace->cause[graph->row[part->node]] == ROW_NONE)
            return PATH_UNKNOWN;
        return held ? PATH_HELD : PATH_QUEUE;
    case EDGE_WAIT:
        return PATH_SYNC;
    case EDGE_QUEUE:
        return PATH_LAUNCH;
    case EDGE_THREAD:
        return PATH_PYTHON;
    default:
        return PATH_UNKNOWN;
    }
}

enum { FRAME_DEPTH = 2000 }; /* Python itself gives up at 1000 */

/* The innermost Python frame that was open all the while; ROW_NONE. */
static uint32_t frame_around(const struct trace *trace, uint32_t lane, int64_t start_ns, int64_t end_ns)
{
    uint32_t row = trace_open_at(trace, lane, NEST_PYTHON, start_ns);
    for (int depth = 0; row != ROW_NONE && depth < FRAME_DEPTH; depth++, row = trace->parent[row])
        if (trace_end_ns(trace, row) >= end_ns)
            return row;
    return ROW_NONE;
}

static struct path_piece piece_of(const struct path_judge *judge, const struct path_part *part)
{
    const struct graph *graph = judge->graph;
    struct path_piece piece = {part->start, part->end, PATH_PYTHON, graph->row[part->node],
                               graph_lane(graph, part->node)};
    if (part->waiting)
        piece.class = class_of_wait(judge, part);
    else if (graph->net.kind[part->node] == NODE_DEVICE)
        piece.class = class_of_work(judge, piece.row);
    else if (graph->net.kind[part->node] == NODE_CALL)
        piece.class = class_of_call(judge, piece.row);
    if (piece.class == PATH_PYTHON)
        piece.row = frame_around(judge->trace, piece.lane, part->start, part->end);
    return piece;
}

/* ---- cutting ---- */

/* The last mark that begins before the time; NULL if none. */
static const struct mark *mark_before(struct marks *marks, int64_t time_ns)
{
    while (marks->until && marks->at[marks->until - 1].start_ns >= time_ns)
        marks->until--;
    return marks->until ? &marks->at[marks->until - 1] : NULL;
}

static void cut_at_marks(struct path_judge *judge, const struct path_piece *whole, path_piece_take *take, void *context)
{
    struct marks *marks = &judge->marks[whole->lane];
    for (int64_t until = whole->end_ns; until > whole->start_ns;) {
        const struct mark *mark = mark_before(marks, until);
        struct path_piece piece = *whole;
        piece.end_ns = until;
        if (mark && mark->end_ns >= until) {
            piece.class = mark->class;
            piece.row = mark->row;
            piece.start_ns = mark->start_ns > whole->start_ns ? mark->start_ns : whole->start_ns;
        } else if (mark && mark->end_ns > whole->start_ns) {
            piece.start_ns = mark->end_ns;
        }
        take(context, &piece);
        until = piece.start_ns;
    }
}

void path_judge(struct path_judge *judge, const struct path_part *part, path_piece_take *take, void *context)
{
    const struct path_piece piece = piece_of(judge, part);
    if (piece.class == PATH_UNKNOWN || judge->trace->lanes[piece.lane].device)
        take(context, &piece);
    else
        cut_at_marks(judge, &piece, take, context);
}
