/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of a rank (breakdown/ranks) as a section of its sketch, exact to the last bit: what ranks_merge makes of
 * them cannot tell whether they came from the trace or from the sketch.
 */
#ifndef SKETCH_RANK_SKETCH_H
#define SKETCH_RANK_SKETCH_H

#include "breakdown/ranks/ranks.h"
#include "sketch/file/sketch.h"

/* Adds the section to the sketch, in the arena. Its path and its rank are those of the sketch, and not in it. */
void rank_sketch_write(const struct rank_numbers *numbers, struct arena *arena, struct sketch *sketch);

/* False with *err where the sketch has no such section, or not a whole one. All is in the arena. */
bool rank_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct rank_numbers *out,
                      struct steptime_error *err);

#endif
