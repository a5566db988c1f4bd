/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every copy and every synchronisation of a trace, one row each.
 *
 * A blocking copy is two calls: cudaMemcpyAsync, and on the same thread the
 * cudaStreamSynchronize that PyTorch issues next. The wait lies in the first
 * (from or to pageable memory), in the second (a small upload behind queued
 * work; a read into pinned memory), or in both, so they are one move. ROCm's
 * hipMemcpyWithStream is one call that does both. A synchronisation that follows
 * no copy is a move of its own. See doc/numbers/movement.md.
 */
#ifndef EVIDENCE_MOVEMENT_H
#define EVIDENCE_MOVEMENT_H

#include "device_time.h"
#include "graph/graph.h"

struct move {
    uint32_t call;                 /* the host call that copies, or synchronises; ROW_NONE: not recorded */
    uint32_t copy;                 /* the device row; ROW_NONE of a synchronisation alone */
    uint32_t sync;                 /* the call that waits for the copy, or the synchronisation itself; ROW_NONE */
    uint32_t step;                 /* STEP_NONE outside all steps */
    uint32_t lane;                 /* the stream of the copy; LANE_NONE of a synchronisation */
    enum copy_direction direction; /* COPY_UNKNOWN of a synchronisation */
    enum host_memory memory;
    bool blocking;    /* the host waits in it */
    int64_t bytes;    /* -1: not recorded */
    int64_t start_ns; /* of the call; of the copy where no call was recorded */

    int64_t call_ns, sync_ns; /* time in the two calls */
    int64_t device_ns;        /* the copy's own time on the device */
    int64_t blocked_ns;       /* call_ns + sync_ns - device_ns, at least 0; 0 unless blocking */
    int64_t bubble_ns;        /* how long the device rested right behind it, less what a launch takes; each gap once */
    int64_t exposed_ns;       /* part of the copy during which no kernel ran on the device */
};

struct movement {
    const struct move *at; /* by start */
    uint32_t count;
};

static inline bool move_is_copy(const struct move *move)
{
    return move->copy != ROW_NONE;
}

/* The row of the host that stands for it; the copy's where no call was recorded. */
static inline uint32_t move_row(const struct move *move)
{
    return move->call != ROW_NONE ? move->call : move->copy;
}

/* The graph gives the launch floor. The result lies in the arena. */
struct movement movement_of(const struct graph *graph, const struct work_classes *classes,
                            const struct device_times *times, struct arena *arena);

#endif
