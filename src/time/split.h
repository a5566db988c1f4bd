/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorded net of which some nodes hold waits for other nets: a thread that comes to a meeting in one node, and goes on from
 * it in the midst of another. A meeting (time/job.h) needs a node of its own, so each wait gets one, and the node that held it
 * is two: where it came to the wait, which takes no time, and what it did when it was let go.
 *
 *     enters   -+-------------------
 *               | (as it starts)
 *     meeting   +=======+~~~+         until all go on; then what this net alone took longer
 *                           | (at its end)
 *     holds     |           +-----   let go: it works on
 *
 * Run with no change this gives back the recording.
 */
#ifndef TIME_SPLIT_H
#define TIME_SPLIT_H

#include "base/arena.h"
#include "run.h"

struct net_wait {
    uint32_t enters;     /* it is come to as this node starts */
    uint32_t holds;      /* inside of this node the net is let go; NODE_NONE: it went on meanwhile */
    int64_t met, let_go; /* when all go on, and when this one did; later than the start of both nodes */
};

/* The same, and in which meeting: its number is the same on all nets that take part, and so is how many these are. */
struct split_wait {
    uint32_t meeting, members;
    struct net_wait at;
};

struct split {
    struct net net; /* its nodes of the whole have their kinds; the lane of a wait is its own */
    const uint32_t *first,
        *rest;               /* by node of the whole: its node, and what is left of it once it is let go, or the same */
    const uint32_t *of;      /* by node: that of the whole; NODE_NONE: it is of a wait */
    const uint32_t *meeting; /* by wait: its node */
};

/* Edges of two kinds are added: of one that the net has none of, and of one that leaves at the end. In the arena; no carries. */
struct split net_split(const struct net *net, const struct net_wait *waits, uint32_t count, uint32_t enter_kind,
                       uint32_t leave_kind, struct arena *arena);

/* Without waits it is the whole, and has no tables. */
static inline uint32_t split_first(const struct split *split, uint32_t whole)
{
    return split->first ? split->first[whole] : whole;
}

static inline bool split_holds(const struct split *split, uint32_t whole)
{
    return split->first && split->first[whole] != split->rest[whole];
}

/* A run of it as one of the whole. In the arena. */
struct schedule split_whole(const struct split *split, uint32_t count, const struct schedule *schedule,
                            struct arena *arena);

#endif
