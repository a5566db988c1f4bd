/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a thread of the host rested because another worked.
 *
 * PyTorch runs the backward pass on threads of its own while the caller sleeps
 * in Python: the calls of such a thread lie in the gaps of the training thread.
 * Within such a gap the training thread pauses from the first to the last of
 * them, and between gaps the other thread does. So it is with other threads where
 * no device works: there nothing else can be what the training thread waits for.
 *
 * Collectives that run on the host (gloo) have threads too. Where one ends in a
 * gap of the training thread, that thread had waited for it. Operators that wait by their name are gaps, too.
 */
#ifndef GRAPH_PAUSE_H
#define GRAPH_PAUSE_H

#include "ops/rows/work.h"
#include "trace/trace.h"

struct pause {
    int64_t start_ns, end_ns; /* may be empty: only the hand-over counts */
    uint32_t partner;         /* lane that worked meanwhile, and let this one go on */
    bool in_call;             /* it lies in an operator that waits (await.h), else where no call is open */
};

/* Of one lane, by time, disjoint. */
struct pauses {
    const struct pause *at;
    uint32_t count;
};

/* The pauses of every lane, in the arena. `phases` (ops/rows/phase.h) may be NULL: they are found. */
const struct pauses *pauses_of(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                               struct arena *arena);

#endif
