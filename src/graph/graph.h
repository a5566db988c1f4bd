/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dependency graph of one process: what had to end before what could begin,
 * on the threads of the host and on the streams of its devices.
 *
 * A node is work that runs without a break: a kernel, copy or memset, or a
 * stretch of a host thread during which one call was innermost (or none was).
 * The stretches of a thread follow each other without a gap, except where the
 * thread waits: for the device, for room in the launch queue, for another
 * thread. A wait is no work and no node; it is what an edge explains.
 *
 * A node begins when the node before it on its lane and the sources of all its
 * edges have ended, each plus the lag of that edge, plus its own delay:
 *
 *     start = max over predecessors p (end of p + lag) + delay
 *     lag   = min(floor of the edge's kind, start - end of p as recorded)
 *
 * The floor is what such an edge takes in this trace when nothing else holds it
 * up. So the delay, whatever the graph does not explain, is never negative, the
 * graph as recorded gives back the recorded times to the nanosecond, and where
 * a lag is negative (a kernel that starts while its launch call still runs) the
 * overlap is kept.
 *
 * Nodes are numbered by start; whatever a node depends on has a lower number.
 * An edge that would break this, or that ends before it begins by more than the
 * clocks of host and device differ, is left out and counted. So the graph has no
 * cycle, and every pass over it is one loop.
 *
 * Time and memory are linear in the events.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ops/work.h"
#include "trace/trace.h"

enum { NODE_NONE = UINT32_MAX };

enum node_kind {
    NODE_DEVICE,  /* the device work `row` */
    NODE_CALL,    /* a stretch in which `row` was the innermost call (on a thread without calls: annotation) */
    NODE_BETWEEN, /* a stretch in no call, before `row` */
    NODE_AFTER,   /* a stretch in no call, after `row`, the last of its thread */
};

enum edge_kind {
    EDGE_ORDER,  /* the node before on the same thread or stream; not in `edges` */
    EDGE_LAUNCH, /* launch call to device work */
    EDGE_WAIT,   /* device work to the host call that waited for it */
    EDGE_QUEUE,  /* device work to a launch call that waited for room in the queue */
    EDGE_STREAM, /* device work to device work of another stream that waited for it */
    EDGE_BUSY,   /* kernel to kernel of another stream that found the device taken, and began while it still ran */
    EDGE_THREAD, /* host to host: hand-over between the training thread and autograd's */
    EDGE_KINDS,
    EDGE_NONE = EDGE_KINDS, /* nothing known */
};

struct edge {
    uint32_t from, to;
    enum edge_kind kind;
};

struct graph {
    const struct trace *trace;
    uint32_t count;
    const int64_t *start_ns, *work_ns; /* as recorded, from the trace's start */
    const uint32_t *row;               /* see node_kind */
    const uint32_t *before;            /* the node before on its lane; NODE_NONE for the first */
    const uint8_t *kind;               /* enum node_kind */

    const struct edge *edges; /* ascending by `to` */
    uint32_t edge_count;

    const uint32_t *node_of; /* by row: the node of device work, the last node of a call; NODE_NONE */
    uint32_t main_lane;      /* LANE_NONE without host events */

    int64_t launch_floor_ns; /* lower quartile of launch end to start on an idle stream */
    int64_t order_floor_ns;  /* lower quartile of end to start of device work that was queued in time */

    uint64_t by_kind[EDGE_KINDS]; /* edges, without EDGE_ORDER */
    uint64_t inferred;            /* of them, told by timing alone */
    uint64_t inconsistent;        /* left out: they contradict the recorded times */
};

/* The classes are those of the trace. Frees with graph_free; the trace must live as long. */
struct graph *graph_new(const struct trace *trace, const struct work_classes *classes);
void graph_free(struct graph *graph);

static inline uint32_t graph_lane(const struct graph *graph, uint32_t node)
{
    return graph->trace->lane[graph->row[node]];
}

static inline int64_t graph_end_ns(const struct graph *graph, uint32_t node)
{
    return graph->start_ns[node] + graph->work_ns[node];
}

/* ---- replay ---- */

/*
 * A change of the graph: what becomes of a node's work, whether an edge still
 * holds, and whether a node is gone. Any function may be NULL: as recorded.
 * `kind` is EDGE_ORDER for the order of a lane.
 *
 * A node that is gone takes no time and needs no turn: it ends when the node
 * before it on its lane does, the first of a lane at the beginning of time. What
 * waited for it waits for that one.
 */
struct change {
    const void *context;
    int64_t (*work_ns)(const void *context, const struct graph *graph, uint32_t node);
    bool (*holds)(const void *context, const struct graph *graph, uint32_t from, uint32_t to, enum edge_kind kind);
    bool (*gone)(const void *context, const struct graph *graph, uint32_t node);
};

/* When every node runs after a change. */
struct schedule {
    const struct change *change;
    const int64_t *start_ns, *end_ns; /* by node, in the arena */
    int64_t span_ns;                  /* the latest end */
};

struct schedule graph_replay(const struct graph *graph, const struct change *change, struct arena *arena);

/* The work of a node after the change. */
int64_t change_work_ns(const struct change *change, const struct graph *graph, uint32_t node);

/*
 * The same bit by bit, where something outside the graph says when a node ends:
 * run goes to the next node of `stops` that is not gone and tells its start;
 * NODE_NONE when all are done. Then end says when it ends, before run goes on.
 */
struct replaying;
struct replaying *graph_replay_open(const struct graph *graph, const struct change *change, const bool *stops,
                                    struct arena *arena);
uint32_t graph_replay_run(struct replaying *replay, int64_t *start_ns);
void graph_replay_end(struct replaying *replay, int64_t end_ns);
struct schedule graph_replay_close(const struct replaying *replay);

/*
 * A change that takes rows away: their work, that of the calls inside them and
 * of the device work they caused, and what waited for them. The set is by row.
 */
struct change change_without(const bool *rows);

/* ---- the longest path ---- */

/*
 * A stretch of the path. Either `node` worked, or it had not begun although
 * what it depended on last (by an edge of the kind `via`) had ended.
 */
struct path_part {
    int64_t start_ns, end_ns;
    uint32_t node;
    bool waiting;
    enum edge_kind via; /* of a waiting part; EDGE_NONE: nothing recorded goes before it */
};

typedef void path_take(void *context, const struct path_part *part);

/*
 * Walks the longest path from its last node back to the start of the trace:
 * from each node to the predecessor that let it go last. The parts come latest
 * first and follow each other without a gap or overlap. `last` is where the path
 * ends (graph_last); schedule is NULL for the graph as recorded.
 */
void graph_path(const struct graph *graph, const struct schedule *schedule, uint32_t last, path_take *take,
                void *context);

/* The node that ends last, of the main thread and all streams. NODE_NONE in an empty graph. */
uint32_t graph_last(const struct graph *graph, const struct schedule *schedule);

#endif
