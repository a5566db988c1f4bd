/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in brackets that have no frame of their own, as from Python 3.12 on (PEP 709): what they call stands right below the
 * function's frame, beside what the function calls itself. Which is which says the order of the calls in the text (course_fit.h).
 * Where it does not, that is said.
 */
#ifndef JOIN_INLINED_H
#define JOIN_INLINED_H

#include "private.h"

/* A loop in brackets as a run of its function went through it. */
struct inlined_loop {
    uint32_t run, node;
    int64_t line, start_ns, end_ns;
    uint32_t row; /* the first call in it; ROW_NONE: none has a frame */
};

enum inlined_state {
    INLINED_NOT_RUN,
    INLINED_TOLD,
    INLINED_NO_FIT,  /* what the function called is not what its text says */
    INLINED_ALIKE,   /* calls of the same names may be its or another's */
    INLINED_UNCLEAN, /* nothing in it has a frame, and beside it stands a call that has none either */
    INLINED_WITHIN   /* it lies in a lambda or in a generator */
};

struct inlined {
    struct inlined_loop *loops; /* by run */
    uint32_t count;
    uint32_t *scopes;     /* by row of a frame below a run: the loop in brackets; 0: none; INLINED_UNSURE */
    uint32_t *order, *of; /* by row: which call of its name it is there, and of how many */
    bool *is_told;        /* by row of a run: it was looked at */
    struct map states;    /* (file, loop in brackets) to its state */
};

enum {
    INLINED_UNSURE = UINT32_MAX,
    INLINED_UNSURE_MOST = 20 /* one of so many calls may be unsure */
};

static inline int64_t inlined_key(uint32_t file, uint32_t node)
{
    return (int64_t)((uint64_t)file << 32 | node);
}

/* Runs of functions that have findings and loops in brackets. In the scratch arena of the join, but for inlined_free. */
struct inlined inlined_of(struct join *join, uint32_t lane);
void inlined_free(struct inlined *inlined);

/* The loop in brackets around what begins at a time in a run; 0: none. */
uint32_t inlined_at(const struct inlined *inlined, uint32_t run, int64_t time_ns);

enum inlined_state inlined_state(const struct inlined *inlined, const struct syntax *tree, uint32_t file,
                                 uint32_t loop);
const char *inlined_why(enum inlined_state state); /* NULL where it is told, or did not run */

#endif
