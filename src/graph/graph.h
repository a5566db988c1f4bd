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
 * When a node begins, and what becomes of that where something changes, is the
 * business of the engine (time/net.h): the graph is a recorded net, its ticks are
 * nanoseconds, and the floor of an edge is what such an edge takes in this trace
 * when nothing else holds it up. So the graph as recorded gives back the recorded
 * times, and nothing ever takes longer because something else got faster.
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
#include "ops/rows/work.h"
#include "time/path.h"
#include "time/run.h"
#include "trace/select.h"

enum node_kind {
    NODE_DEVICE,  /* the device work `row` */
    NODE_CALL,    /* a stretch in which `row` was the innermost call (on a thread without calls: annotation) */
    NODE_BETWEEN, /* a stretch in no call, before `row` */
    NODE_AFTER,   /* a stretch in no call, after `row`, the last of its thread */
};

enum edge_kind {
    EDGE_ORDER = EDGE_LANE, /* the node before on the same thread or stream; not among the net's edges */
    EDGE_LAUNCH,            /* launch call to device work */
    EDGE_WAIT,              /* device work to the host call that waited for it */
    EDGE_QUEUE,             /* device work to a launch call that waited for room in the queue */
    EDGE_STREAM,            /* device work to device work of another stream that waited for it */
    EDGE_BUSY,   /* kernel to kernel of another stream that found the device taken, and began while it still ran */
    EDGE_THREAD, /* host to host: hand-over between the training thread and autograd's */
    EDGE_KINDS,
    EDGE_NONE = EDGE_KINDS_MOST, /* nothing known */
};

struct graph {
    struct net net; /* its nodes are of an enum node_kind, its edges of an enum edge_kind */
    const struct trace *trace;
    struct step_range steps; /* that it holds */
    const uint32_t *row;     /* by node; see node_kind */

    const uint32_t *node_of; /* by row; read through graph_node_of */
    uint32_t main_lane;      /* LANE_NONE without host events */

    int64_t launch_floor_ns; /* lower quartile of launch end to start on an idle stream */
    int64_t order_floor_ns;  /* lower quartile of end to start of device work that was queued in time */

    uint64_t by_kind[EDGE_KINDS]; /* edges, without EDGE_ORDER */
    uint64_t inferred;            /* of them, told by timing alone */
    uint64_t inconsistent;        /* left out: they contradict the recorded times */
};

/* Of a row the node of device work, the last node of a call; NODE_NONE. */
static inline uint32_t graph_node_of(const struct graph *graph, uint32_t row)
{
    return ~graph->node_of[row]; /* so that rows without nodes take no memory: a graph may be of a few steps */
}

/* The classes are those of the trace. Frees with graph_free; the trace must live as long. */
struct graph *graph_new(const struct trace *trace, const struct work_classes *classes);

/* The same where the phases of the rows (ops/rows/phase.h) are known. */
struct graph *graph_new_phased(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases);

/*
 * Of some steps alone: what they did on the host, from the first launch of their device work on, and all that this had on
 * the device. What ended before is in no edge, and floors are those of these steps.
 */
struct graph *graph_new_steps(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                              struct step_range steps);
void graph_free(struct graph *graph);

static inline uint32_t graph_lane(const struct graph *graph, uint32_t node)
{
    return graph->trace->lane[graph->row[node]];
}

static inline int64_t graph_end_ns(const struct graph *graph, uint32_t node)
{
    return graph->net.start[node] + graph->net.work[node];
}

/* NULL: as recorded. */
static inline int64_t schedule_end_ns(const struct graph *graph, const struct schedule *schedule, uint32_t node)
{
    return schedule ? schedule->end[node] : graph_end_ns(graph, node);
}

/*
 * The longest path (time/path.h) from its last node (graph_last) back to the start of the trace; a thread of the host
 * whose beginning nothing explains was begun by the training thread. schedule is NULL for the graph as recorded.
 */
void graph_path(const struct graph *graph, const struct schedule *schedule, uint32_t last, path_take *take,
                void *context);

/* The node before on the longest path; nodes are asked for in descending order, of the graph's net as recorded. */
uint32_t graph_before(const struct graph *graph, struct path_back *back, uint32_t node, uint32_t *via);

/* The node that ends last, of the main thread and all streams. NODE_NONE in an empty graph. */
uint32_t graph_last(const struct graph *graph, const struct schedule *schedule);

#endif
