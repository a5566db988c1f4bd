/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `summary` shows of a rank as sections of its sketch: those of the job (job_sketch.h) and one more. It is exact but
 * for operators and kernels, of which one that is kept for later holds the largest alone.
 */
#ifndef SKETCH_SUMMARY_SKETCH_H
#define SKETCH_SUMMARY_SKETCH_H

#include "breakdown/summary/summary.h"
#include "sketch/file/sketch.h"

enum {
    SKETCH_TOPS = 32, /* operators, and kernels, that a kept one holds */
    SKETCH_STEP_BYTES =
        3840, /* a step, packed, of collectives and what leads to them; 256 more are left for its parts */
};

/* Adds the sections, in the arena. whole: with all operators and kernels, and the events behind the parts. */
void summary_sketch_write(const struct summary *summary, bool whole, struct arena *arena, struct sketch *sketch);

/* False with *err where the sketch lacks one, or has not a whole one. All is in the arena. */
bool summary_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct summary *out,
                         struct steptime_error *err);

#endif
