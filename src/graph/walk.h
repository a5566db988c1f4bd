/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One lane as a sequence of pieces, each of which becomes a node: asked for one
 * after another, in order of their starts.
 */
#ifndef GRAPH_WALK_H
#define GRAPH_WALK_H

#include "pause.h"
#include "wait.h"

/* What, beside the piece before it on the lane, had to happen before a piece could begin. */
enum gate { GATE_NONE, GATE_DEVICE, GATE_THREAD };

struct piece {
    int64_t start_ns, end_ns;
    uint32_t row;
    enum node_kind kind;
    enum gate gate;
};

struct walk {
    const struct waits *waits;
    uint32_t lane;
    enum nest nest;
    struct rows rows;
    uint32_t next; /* row index not yet reached */
    struct pauses pauses;
    uint32_t next_pause;

    /* The stretch of time in work: one innermost call, or none. */
    int64_t at_ns, until_ns;
    uint32_t open;   /* the innermost call; ROW_NONE in a gap */
    uint32_t waited; /* the last call whose wait was taken */
    uint32_t last_launch;
    int64_t end_ns; /* of the lane */
    enum gate gate; /* of the next piece */

    struct wait wait; /* where the piece given last has GATE_DEVICE */
    uint32_t partner; /* where it has GATE_THREAD: the lane that let it go on */
};

/* Of what the waits have as their window. pauses: of this lane, none for a stream. */
struct walk walk_of(const struct waits *waits, uint32_t lane, struct pauses pauses);

/* False at the end of the lane. */
bool walk_next(struct walk *walk, struct piece *piece);

#endif
