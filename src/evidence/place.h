/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a Python program a row comes from: the innermost function on its
 * stack that somebody cares for, what that function called, and which of its
 * calls of that name it was. What runs on autograd's thread has no frames of its
 * own and belongs to where its forward operator was called.
 *
 * Recordings differ in what they tell. With Python frames: the function with its
 * first line, and the builtin; with `CallFrom` beside them the exact line of the
 * call. With older `Call stack` texts: the exact line, no builtin. With neither:
 * the operators around the row, and the annotation.
 */
#ifndef EVIDENCE_PLACE_H
#define EVIDENCE_PLACE_H

#include "ops/rows/frame.h"
#include "trace/trace.h"

struct stacks;

/* Whether a function is one that places should name. NULL: whatever is not of the framework (frame_of_library). */
struct place_filter {
    const void *context;
    bool (*wanted)(const void *context, const struct frame *function);
};

enum { ORDER_NONE = UINT32_MAX };

/* All texts are the trace's. */
struct place {
    struct frame function; /* FRAME_OTHER: none recorded, or none wanted. Line -1: only the exact one is known */
    struct frame callee;   /* what it called on the way to the row; FRAME_OTHER: nothing that has a frame */
    str builtin;           /* the innermost builtin on that way: "item"; "" */
    int64_t line;          /* the exact line; -1 */
    str op;                /* the outermost operator below the function; "" */
    uint32_t order;        /* which of its calls of that name the callee was, in one run of the function; ORDER_NONE */
    uint32_t of;           /* how many such calls that run made */
    bool backward;         /* the work is the backward of what was called there */
    uint32_t row;          /* of the frame of the function; ROW_NONE */
    uint32_t callee_row;   /* of that of the callee; ROW_NONE */
};

/* Lives in the arena. */
struct stacks *stacks_new(const struct trace *trace, struct place_filter filter, struct arena *arena);

struct place place_of(struct stacks *stacks, uint32_t row);

/* Moves on to the next function around that is wanted, which then called what is on the way. False: there is none. */
bool place_outward(struct stacks *stacks, struct place *place);

static inline bool place_known(const struct place *place)
{
    return place->function.kind != FRAME_OTHER;
}

/* A text of a frame, taken apart; and whether the filter wants it. */
const struct frame *stacks_frame(const struct stacks *stacks, uint32_t text);
bool stacks_wants(struct stacks *stacks, uint32_t text);
bool same_function(const struct frame *a, const struct frame *b);
/* Which call of its name a frame is among those that the frame around it made, and how many there are. */
uint32_t stacks_order(const struct stacks *stacks, uint32_t row, uint32_t *of);

/* "aten::to > aten::_to_copy > aten::copy_", outermost first; "" outside operators. In the arena. */
str place_operators(const struct trace *trace, uint32_t row, struct arena *arena);

/* The innermost annotation around the row that marks no step; "". */
str place_annotation(const struct trace *trace, uint32_t row);

#endif
