/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cause of a node of the host where no cause stands over it: what its call
 * does, Python between calls; and what more than a call tells:
 *
 *     read-backs       an operator that only copies to the host and waits is synchronisation as a whole
 *     pauses           of one length, step after step
 *     first calls      the one long stretch of an operator's name in several steps: a compiler that leaves no events
 *     unknown          a long stretch in which nothing else is open, or a function of the user's
 *     no launches      operators one after another that launch nothing
 *
 * Whoever charges nodes, adds up stretches or classes parts of a path asks here, so that one time has one name.
 */
#ifndef BREAKDOWN_NODE_CAUSE_H
#define BREAKDOWN_NODE_CAUSE_H

#include "cause_track.h"
#include "graph/graph.h"
#include "quiet.h"

enum { LONG_NODE_NS = 1000 * 1000 }; /* of its own, beside what a cause stands over */

struct node_causes {
    const struct graph *graph;
    const uint8_t *calls;       /* enum runtime_call by text */
    const bool *graph_launches; /* by text */
    const uint8_t *of;          /* by node; of the device's nothing */
    struct quiet quiet;
    const uint32_t *quiet_of; /* by node: its run of no launches; NOT_QUIET. NULL: there is none */
};

/* Classes and tracks are those of the trace. In the arena. */
struct node_causes node_causes_of(const struct graph *graph, const struct work_classes *classes,
                                  const struct cause_track *tracks, struct arena *arena);

/* CAUSE_SYNC up to CAUSE_PYTHON, or one of those above. */
static inline enum cause node_cause(const struct node_causes *causes, uint32_t node)
{
    return (enum cause)causes->of[node];
}

/* Of a long stretch of nothing known, a first call, or one without launches: what stands there. Else node_cause. */
enum cause node_plain_cause(const struct node_causes *causes, uint32_t node);

/* The event over the operators that launch nothing; ROW_NONE. */
uint32_t node_quiet_over(const struct node_causes *causes, uint32_t node);

#endif
