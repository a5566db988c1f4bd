/* SPDX-License-Identifier: Apache-2.0 */
#include "path_class.h"

#include "breakdown/idle/node_cause.h"
#include "ops/rows/phase.h"

static const struct {
    const char *id, *title;
} words[PATH_CLASSES] = {
    [PATH_FORWARD] = {"operators_forward", "operators, forward"},
    [PATH_BACKWARD] = {"operators_backward", "operators, backward"},
    [PATH_OPTIMIZER] = {"operators_optimizer", "operators, optimizer"},
    [PATH_PYTHON] = {"python", "Python between operators"},
    [PATH_COMPILATION] = {"compilation", "compilation"},
    [PATH_LOADING] = {"data_loading", "data loading"},
    [PATH_START] = {"start_up", "first use of libraries and kernels"},
    [PATH_MEMORY] = {"memory", "memory asked from the driver"},
    [PATH_STALL] = {"stalls", "sleep, pauses, collection, checkpoint, logging"},
    [PATH_LAUNCH] = {"launches", "launch calls"},
    [PATH_RUNTIME] = {"runtime", "other runtime calls"},
    [PATH_SYNC] = {"synchronisation", "synchronisation beside the wait"},
    [PATH_COLLECTIVE] = {"host_communication", "communication on the host"},
    [PATH_PROFILER] = {"profiler", "profiler"},
    [PATH_COMPUTE] = {"compute", "compute kernels"},
    [PATH_COMMUNICATION] = {"communication", "communication kernels"},
    [PATH_COPY] = {"copies", "copies"},
    [PATH_MEMSET] = {"memset", "memsets"},
    [PATH_LATENCY] = {"launch_latency", "launch latency"},
    [PATH_QUEUE] = {"stream_gaps", "between work on a stream"},
    [PATH_DEPENDENCY] = {"dependency", "hand-over between streams"},
    [PATH_HELD] = {"held", "queued, reason not recorded"},
    [PATH_UNKNOWN] = {"unknown", "not recorded"},
};

const char *path_class_id(enum path_class class)
{
    return words[class].id;
}

const char *path_class_title(enum path_class class)
{
    return words[class].title;
}

struct path_judge {
    const struct trace *trace;
    const struct graph *graph;
    const struct work_classes *classes;
    const uint8_t *phases;
    struct node_causes causes;
    const struct cause_track *tracks; /* by lane */
    uint32_t *until;                  /* by lane: stretches from here on begin after the part before */
};

struct path_judge *path_judge_new(const struct graph *graph, const struct judged_rows *rows, struct arena *arena)
{
    const struct trace *trace = graph->trace;
    struct path_judge *judge = arena_alloc(arena, sizeof *judge);
    *judge = (struct path_judge){.trace = trace,
                                 .graph = graph,
                                 .classes = rows->classes,
                                 .phases = rows->phases,
                                 .causes = node_causes_of(graph, rows->classes, rows->tracks, arena),
                                 .tracks = rows->tracks,
                                 .until = arena_array(arena, trace->lane_count, sizeof *judge->until)};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        judge->until[lane] = judge->tracks[lane].count;
    return judge;
}

/* ---- classes ---- */

/* Of a node of the host; the cause that it has, where that says more than the class. */
static enum path_class class_of_node(const struct path_judge *judge, uint32_t node, enum cause *says)
{
    static const enum path_class of_phase[PHASES] = {PATH_FORWARD, PATH_BACKWARD, PATH_OPTIMIZER, PATH_FORWARD};
    const enum cause cause = node_plain_cause(&judge->causes, node), known = node_cause(&judge->causes, node);
    *says = known == cause ? CAUSE_NONE : known;
    switch (cause) {
    case CAUSE_OPERATOR:
        return of_phase[judge->phases[judge->graph->row[node]]];
    case CAUSE_SYNC:
        return PATH_SYNC;
    case CAUSE_GRAPH:
        *says = cause;
        return PATH_LAUNCH;
    case CAUSE_LAUNCH:
        return PATH_LAUNCH;
    case CAUSE_RUNTIME:
        return PATH_RUNTIME;
    case CAUSE_PAUSE:
    case CAUSE_WAITING:
        *says = cause;
        return PATH_STALL;
    default:
        return PATH_PYTHON;
    }
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

/* The innermost Python frame that was open all the while; ROW_NONE. Each frame below it ends in the meantime, so it is climbed
 * for one piece only, however deep a stack is. */
static uint32_t frame_around(const struct trace *trace, uint32_t lane, int64_t start_ns, int64_t end_ns)
{
    uint32_t row = trace_open_at(trace, lane, NEST_PYTHON, start_ns);
    while (row != ROW_NONE && trace_end_ns(trace, row) < end_ns)
        row = trace->parent[row];
    return row;
}

static struct path_piece piece_of(const struct path_judge *judge, const struct path_part *part)
{
    const struct graph *graph = judge->graph;
    struct path_piece piece = {.start_ns = part->start,
                               .end_ns = part->end,
                               .class = PATH_PYTHON,
                               .row = graph->row[part->node],
                               .lane = graph_lane(graph, part->node)};
    if (part->waiting)
        piece.class = class_of_wait(judge, part);
    else if (graph->net.kind[part->node] == NODE_DEVICE)
        piece.class = class_of_work(judge, piece.row);
    else
        piece.class = class_of_node(judge, part->node, &piece.cause);
    if (piece.class == PATH_PYTHON || piece.cause == CAUSE_PAUSE)
        piece.row = frame_around(judge->trace, piece.lane, part->start, part->end);
    return piece;
}

/* ---- cutting ---- */

/* PATH_CLASSES: the cause says no more than the calls do. */
static enum path_class class_of_cause(enum cause cause)
{
    switch (cause) {
    case CAUSE_LOADING:
    case CAUSE_LOADER_WAIT:
        return PATH_LOADING;
    case CAUSE_COMPILATION:
        return PATH_COMPILATION;
    case CAUSE_MODULES:
    case CAUSE_START:
    case CAUSE_SEARCH:
    case CAUSE_CAPTURE:
        return PATH_START;
    case CAUSE_ALLOCATION:
    case CAUSE_RETRY:
    case CAUSE_NO_CACHE:
    case CAUSE_MAPPING:
        return PATH_MEMORY;
    case CAUSE_COLLECTION:
    case CAUSE_CHECKPOINT:
    case CAUSE_LOGGING:
    case CAUSE_SLEEP:
    case CAUSE_WAITING:
        return PATH_STALL;
    case CAUSE_COLLECTIVE:
        return PATH_COLLECTIVE;
    case CAUSE_RECORDER:
        return PATH_PROFILER;
    default:
        return PATH_CLASSES;
    }
}

/* The last stretch of a lane that begins before the time; NULL if none. */
static const struct cause_stretch *stretch_before(struct path_judge *judge, uint32_t lane, int64_t time_ns)
{
    const struct cause_stretch *at = judge->tracks[lane].at;
    uint32_t *until = &judge->until[lane];
    while (*until < judge->tracks[lane].count && at[*until].start_ns < time_ns)
        ++*until;
    while (*until && at[*until - 1].start_ns >= time_ns)
        --*until;
    return *until ? &at[*until - 1] : NULL;
}

static void cut_at_causes(struct path_judge *judge, const struct path_piece *whole, path_piece_take *take,
                          void *context)
{
    for (int64_t until = whole->end_ns; until > whole->start_ns;) {
        const struct cause_stretch *over = stretch_before(judge, whole->lane, until);
        struct path_piece piece = *whole;
        piece.end_ns = until;
        if (over && over->end_ns >= until) {
            piece.class = class_of_cause(over->cause);
            piece.cause = over->cause;
            piece.row = over->cause == CAUSE_SEARCH ? whole->row : over->row; /* a search is made of calls */
            piece.start_ns = over->start_ns > whole->start_ns ? over->start_ns : whole->start_ns;
        } else if (over && over->end_ns > whole->start_ns) {
            piece.start_ns = over->end_ns;
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
        cut_at_causes(judge, &piece, take, context);
}
