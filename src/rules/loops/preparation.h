/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in Python or NumPy that prepare the data of a step while the device waits.
 *
 * Such a loop goes over samples (rows of arrays, lists), runs each training or
 * evaluation step on the training thread, and computes with Python objects and
 * NumPy alone: a loop over layers, or one that calls the model, is none.
 */
#ifndef RULES_PREPARATION_H
#define RULES_PREPARATION_H

#include "rules/ask/ask.h"

/* Whether the SYN_FOR or comprehension is the outermost of such loops. */
bool preparation_is(const struct check *check, uint32_t loop);
/* Whether nothing says that it takes long: a round calls no NumPy and goes over no parts of its sample, and the samples
 * are no batch of a loader. */
bool preparation_is_brief(const struct check *check, uint32_t loop);

/*
 * A loop of steps `for rows in batches: batch = prepare(rows)`: the loader's workers could prepare the next batches
 * while this one is trained on.
 */
struct hand_off {
    uint32_t loop;      /* the loop of steps */
    uint32_t statement; /* batch = prepare(rows) */
    uint32_t call;      /* prepare(rows) */
    uint32_t batches;   /* the expression that gives the rows of each batch: a list */
    uint32_t row_name;  /* the target that is bound to them */
    uint32_t function;  /* prepare */
    bool safe;          /* prepare() is pure, and nothing else needs the rows */
};

/* Whether the call prepares a batch at the head of a loop of steps. */
bool preparation_hand_off(const struct check *check, uint32_t call, struct hand_off *hand_off);

/* Whether what it computes of a sample could be computed once: fix_workers.c has the rewrite. */
bool preparation_repeats(const struct check *check, uint32_t loop);

#endif
