/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as a net of the engine of time: a lane for each thread of the host and
 * each stream. A tick is a picosecond, so that what is a part of a nanosecond adds
 * up over a step.
 *
 *     load     of the host, before its first operator, where it loads its batches itself; where workers do, the first operator waits
 *              for theirs, which begin with those of the step before
 *     host     for each launch the rest of the call before it (T4) and the gap (T2, T5), up to its own call, the first with
 *              what comes before the operator (T1); at the end the rest of the last call and last (T3, T5). A wait where there is one, and what comes after it
 *              begins when what it waited for has ended and returned
 *     room     where a stream may be full, a call begins when the work called so many before has come to the device
 *     work     begins `start` after its call, and so what comes after that on the host, began, `gap` after the work before it on its stream and after work of other
 *              streams that it waits for
 *     tail     of the host, after the last of all threads; the next step begins with its end
 */
#ifndef PREDICT_WALK_NET_H
#define PREDICT_WALK_NET_H

#include "plan.h"
#include "time/job.h"

enum { WALK_REPEATS_MOST = 8 }; /* steps until the time between them is steady */

/* Kinds of nodes: the host's, and from WALK_WORK on work by its class. */
enum { WALK_HOST, WALK_WORK };

/* A wait of the host: for the device, or for room in a stream. */
struct walk_wait {
    uint32_t node, next; /* of the wait, and what comes after it */
    uint32_t op;
    bool room; /* the node is what comes before the wait; else the wait begins with it */
};

struct walk_net {
    const struct plan *plan;
    struct net net;
    uint32_t *work_of;           /* by launch; NODE_NONE: gone */
    uint32_t *begin_of, *end_of; /* by operator: its first node, which begins with what comes before it, and its last */
    struct walk_wait *waits;
    uint32_t wait_count;
    uint32_t tail;
    uint32_t contradicting; /* waits of streams that go against the order of calls, left out */
};

struct walk_net walk_net_of(const struct plan *plan, struct arena *arena);

double walk_us(int64_t ticks);

#endif
