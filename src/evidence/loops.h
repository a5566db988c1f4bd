/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops over the elements of tensors: ten or more aten::select, aten::item and
 * their like, called one by one from one run of a function within one step. Each
 * is a call, and mostly a kernel, that one operator over all elements would spare.
 */
#ifndef EVIDENCE_LOOPS_H
#define EVIDENCE_LOOPS_H

#include "place.h"

struct element_loop {
    uint32_t frame;       /* the run of the function */
    uint32_t op;          /* text of the operator */
    const uint32_t *rows; /* its calls, in order of time */
    uint32_t count;
};

struct element_loops {
    const struct element_loop *at;
    uint32_t count;
};

/* None where no Python frames are recorded. In the arena. */
struct element_loops element_loops_of(const struct trace *trace, struct stacks *stacks, struct arena *arena);

#endif
