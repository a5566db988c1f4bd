/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `critical-path` shows of a rank as sections of its sketch: those of the job (job_sketch.h) and one more. It is exact;
 * one that is kept for later lacks the single stretches of the path.
 */
#ifndef SKETCH_PATH_SKETCH_H
#define SKETCH_PATH_SKETCH_H

#include "breakdown/path/critical_path.h"
#include "sketch/file/sketch.h"

/* The one section, in the arena. whole: with the stretches. */
str path_sketch_write(const struct critical_path *path, bool whole, struct arena *arena);

/* False with *err where the sketch lacks one, or has not a whole one. All is in the arena. */
bool path_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct critical_path *out,
                      struct steptime_error *err);

#endif
