/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate on how much slower a step may be.
 *
 *     fails         the step is proven to be slower by more than that
 *     holds         it is not, and had it been, these steps would have proven it
 *     cannot tell   all else: files that break off, sides that are not compared, too few steps or steps that differ by too much
 */
#ifndef DIFF_GATE_H
#define DIFF_GATE_H

#include "change.h"

enum gate {
    GATE_HOLDS,
    GATE_FAILS,
    GATE_CANNOT_TELL,
};

const char *gate_id(enum gate gate); /* "cannot_tell" */

enum gate gate_of(const struct diff *diff, double share);

/* "The gate cannot tell: ... Record at least 24 steps a side." */
str gate_words(const struct diff *diff, double share, struct arena *arena);

#endif
