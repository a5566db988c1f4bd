/* SPDX-License-Identifier: Apache-2.0 */
/* What a part of the path is: its class, and the event that stands for it. */
#ifndef BREAKDOWN_PATH_CLASS_H
#define BREAKDOWN_PATH_CLASS_H

#include "breakdown/idle/cause_track.h"
#include "graph/graph.h"

enum path_class {
    /* the host */
    PATH_FORWARD, /* operators, by phase */
    PATH_BACKWARD,
    PATH_OPTIMIZER,
    PATH_PYTHON, /* between operators */
    PATH_COMPILATION,
    PATH_LOADING,
    PATH_START,  /* module loading, first use and search of libraries, graph capture */
    PATH_MEMORY, /* the allocator */
    PATH_STALL,  /* sleep, pauses of one length, garbage collection, checkpoint, logging */
    PATH_LAUNCH,
    PATH_RUNTIME,    /* calls of the runtime that neither launch nor wait */
    PATH_SYNC,       /* what a synchronisation takes beside the wait */
    PATH_COLLECTIVE, /* communication that runs on the host */
    PATH_PROFILER,
    /* the device */
    PATH_COMPUTE,
    PATH_COMMUNICATION,
    PATH_COPY,
    PATH_MEMSET,
    /* between them */
    PATH_LATENCY,    /* from the end of a launch call to the start of its work */
    PATH_QUEUE,      /* from one work of a stream to the next, both launched in time */
    PATH_DEPENDENCY, /* from work of one stream to work of another that waited for it */
    PATH_HELD,       /* queued on the device for long, for a reason that nothing recorded tells */
    PATH_UNKNOWN,
    PATH_CLASSES,
};

const char *path_class_id(enum path_class class);    /* "operators_forward" */
const char *path_class_title(enum path_class class); /* for people */

struct path_piece {
    int64_t start_ns, end_ns;
    enum path_class class;
    enum cause cause; /* of the host, where one stands over its calls or says more than the class; CAUSE_NONE */
    uint32_t row;     /* ROW_NONE: none */
    uint32_t lane;    /* LANE_NONE: none */
};

struct path_judge;

struct path_judge *path_judge_new(const struct graph *graph, const struct judged_rows *rows, struct arena *arena);

typedef void path_piece_take(void *context, const struct path_piece *piece);

/*
 * Cuts a part where an annotation says more than the calls do (data loading, the
 * profiler), and hands over the pieces, latest first. Fast where parts come latest first.
 */
void path_judge(struct path_judge *judge, const struct path_part *part, path_piece_take *take, void *context);

#endif
