/* SPDX-License-Identifier: Apache-2.0 */
/* What a part of the path is: its class, and the event that stands for it. */
#ifndef BREAKDOWN_CRITICAL_PATH_CLASS_H
#define BREAKDOWN_CRITICAL_PATH_CLASS_H

#include "critical_path.h"
#include "graph/graph.h"

struct path_piece {
    int64_t start_ns, end_ns;
    enum path_class class;
    uint32_t row;  /* ROW_NONE: none */
    uint32_t lane; /* LANE_NONE: none */
};

struct path_judge;

struct path_judge *path_judge_new(const struct graph *graph, const struct work_classes *classes, struct arena *arena);

typedef void path_piece_take(void *context, const struct path_piece *piece);

/*
 * Cuts a part where an annotation says more than the calls do (data loading, the
 * profiler), and hands over the pieces, latest first. Parts must come latest first.
 */
void path_judge(struct path_judge *judge, const struct path_part *part, path_piece_take *take, void *context);

#endif
