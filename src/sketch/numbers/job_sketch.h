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

/* The same, and sketch->step_bytes where a step takes more than so many bytes, packed. */
void job_sketch_write_within(const struct job_rank *rank, size_t step_bytes, struct arena *arena,
                             struct sketch *sketch);

/* But for the kernels (kernels_sketch.h). False with *err where the sketch lacks one, or has not a whole one. All is in the arena. */
bool job_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct job_numbers *out,
                     struct steptime_error *err);

#endif
