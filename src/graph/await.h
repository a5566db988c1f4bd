/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that wait inside of themselves for another thread (aten::wait, _c10d_functional::wait_tensor).
 *
 * What such an operator waits for is the work of another thread that ends in it, the last where there are several. Up
 * to that end the training thread pauses, from where the innermost event that is open then began or its last child
 * returned. What ends in no other thread explains nothing, and the time stays the operator's.
 */
#ifndef GRAPH_AWAIT_H
#define GRAPH_AWAIT_H

#include "base/span.h"
#include "ops/rows/work.h"
#include "trace/trace.h"

/* Work of another thread that an operator waited for. */
struct awaited {
    struct span wait;  /* of the training thread: its pause */
    struct span given; /* of the other thread: from the end of what it did before to the start of this work */
    uint32_t lane;     /* the other thread */
};

struct awaiteds {
    const struct awaited *at; /* by time */
    uint32_t count;
};

/* Of the training thread. In the arena. */
struct awaiteds awaiteds_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena);

#endif
