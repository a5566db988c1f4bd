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

#include "ask.h"

/* Whether the SYN_FOR or comprehension is the outermost of such loops. */
bool preparation_is(const struct check *check, uint32_t loop);

/* Whether what it computes of a sample could be computed once: fix_preparation.c has the rewrite. */
bool preparation_repeats(const struct check *check, uint32_t loop);

#endif
