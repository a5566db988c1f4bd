/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cause of a node of the host where no cause stands over it: what its call
 * does, Python between calls, or a pause of one length. Whoever charges nodes and
 * whoever classes parts of a path ask here, so that one time has one name.
 */
#ifndef BREAKDOWN_NODE_CAUSE_H
#define BREAKDOWN_NODE_CAUSE_H

#include "cause_track.h"
#include "graph/graph.h"

struct node_causes {
    const struct graph *graph;
    const uint8_t *calls;       /* enum runtime_call by text */
    const bool *graph_launches; /* by text */
    const bool *pauses;         /* by node: one of those of one length; NULL: none is */
};

/* The tracks are those of the trace. In the arena. */
struct node_causes node_causes_of(const struct graph *graph, const struct cause_track *tracks, struct arena *arena);

/* CAUSE_SYNC, _GRAPH, _LAUNCH, _RUNTIME, _OPERATOR, _PYTHON or _PAUSE. */
enum cause node_cause(const struct node_causes *causes, uint32_t node);

#endif
