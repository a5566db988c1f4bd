/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job wants of a rank (breakdown/job) as sections of its sketch, exact to the last bit: what job_of makes of it
 * cannot tell whether it came from the trace or from the sketch.
 */
#ifndef SKETCH_JOB_SKETCH_H
#define SKETCH_JOB_SKETCH_H

#include "breakdown/job/job.h"
#include "sketch/file/sketch.h"

/* The sections, added to the sketch; they live in the arena. */
void job_sketch_write(const struct job_rank *rank, struct arena *arena, struct sketch *sketch);

/* How large the collectives of a step, and what leads to them, may be, packed. */
struct sketch_room {
    int64_t step_bytes; /* INT64_MAX: any, and all is exact */
    bool hard; /* times are rounded to whatever holds that; else to no more than what keeps answers within 1 % */
};

/* The same, rounded no more than needed. Says so, or that it is larger than that, in the sketch. */
void job_sketch_write_within(const struct job_rank *rank, struct sketch_room room, struct arena *arena,
                             struct sketch *sketch);

/* But for the kernels (kernels_sketch.h). False with *err where the sketch lacks one, or has not a whole one. All is in the arena. */
bool job_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct job_numbers *out,
                     struct steptime_error *err);

#endif
