/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves of one kind from one place, summed. With Python frames a place is a
 * function, what it called, and which call of that name it was; where
 * no frames are recorded it is the chain of operators within an annotation.
 */
#ifndef EVIDENCE_GROUP_H
#define EVIDENCE_GROUP_H

#include "movement.h"
#include "place.h"

enum {
    ORDERS_KEPT = 32, /* of a function that makes more calls of a name in one run, they are one place: it loops */
};

struct move_group {
    struct place place;
    str operators, annotation;     /* where the place is not known */
    enum copy_direction direction; /* COPY_UNKNOWN: synchronisations without a copy */
    enum host_memory memory;

    const uint32_t *moves; /* indices into the table, ascending */
    uint32_t count;
    uint32_t steps;    /* in how many steps there is one */
    uint32_t in_steps; /* how many of them lie in a step */
    uint32_t example;  /* the move that blocked longest */

    /* Sums over the moves that lie in a step. */
    int64_t bytes, call_ns, sync_ns, device_ns, blocked_ns, bubble_ns, exposed_ns;

    uint32_t patterns; /* 1 << enum pattern, see pattern.h */
};

struct move_groups {
    struct move_group *at; /* those that block longest first */
    uint32_t count;
};

static inline bool group_is_sync(const struct move_group *group)
{
    return group->direction == COPY_UNKNOWN;
}

/* In the arena. */
struct move_groups groups_of(const struct movement *movement, struct stacks *stacks, const struct trace *trace,
                             struct arena *arena);

#endif
