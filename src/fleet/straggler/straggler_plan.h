/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom among the operations of one replica in one step. All
 * replicas and steps share it: they are the lanes of one plan, and meet only in
 * the exchanges among replicas.
 *
 * A node is an operation of a stage, told by its type and number. It starts when
 * all those before it have ended. Nodes that only end together (a send and its
 * receive, a collective) are one meeting: it begins when the last of them has
 * started, and each ends its own time after that. Any other node is a meeting of
 * its own.
 */
#ifndef FLEET_STRAGGLER_PLAN_H
#define FLEET_STRAGGLER_PLAN_H

#include "operations.h"

enum { PLAN_NONE = UINT32_MAX };

struct plan_node {
    struct operation like; /* of the lane that the plan was made after: the first of those with most operations */
    enum operation_role role;
    uint32_t meeting;
};

struct plan_meeting {
    uint32_t from, count; /* of members */
    bool among_replicas;  /* of all replicas of a step */
};

struct straggler_plan {
    const struct plan_node *nodes; /* by stage, and in the order of their starts */
    uint32_t node_count;
    uint32_t lanes, replicas;             /* lane = step * replicas + replica */
    const uint32_t *before_from, *before; /* what node n waits for: before[before_from[n] .. before_from[n + 1]) */
    const struct plan_meeting *meetings;  /* each after all that it waits for */
    const uint32_t *members;              /* nodes */
    uint32_t meeting_count;
    const uint32_t
        *row;           /* operation of a node in a lane: row[node * lanes + lane]; PLAN_NONE where the lane lacks it */
    uint64_t strangers; /* operations of other lanes that the plan's has none like */
};

/* False where operations wait for each other in a circle, or a plan of so few would be too large. */
bool straggler_plan(const struct operations *operations, struct arena *arena, struct straggler_plan *plan,
                    struct steptime_error *err);

#endif
