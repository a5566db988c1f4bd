/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `summary` shows of a rank as sections of its sketch: those of the job (job_sketch.h) and one more. It is exact but
 * for operators and kernels, of which one that is kept for later holds the largest alone.
 */
#ifndef SKETCH_SUMMARY_SKETCH_H
#define SKETCH_SUMMARY_SKETCH_H

#include "breakdown/summary/summary.h"
#include "job_sketch.h"

enum {
    SKETCH_TOPS = 32, /* operators, and kernels, that a kept one holds */
};

/* Adds the sections, in the arena. room NULL: with all operators and kernels, and the events behind the parts, exact. */
void summary_sketch_write(const struct summary *summary, const struct sketch_room *room, struct arena *arena,
                          struct sketch *sketch);

/* False with *err where the sketch lacks one, or has not a whole one. All is in the arena. */
bool summary_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct summary *out,
                         struct steptime_error *err);

#endif
