/* SPDX-License-Identifier: Apache-2.0 */
/* The strip of a rank (breakdown/strip) as a section of its sketch, exact. */
#ifndef SKETCH_STRIP_SKETCH_H
#define SKETCH_STRIP_SKETCH_H

#include "breakdown/strip/strip.h"
#include "sketch/file/sketch.h"

/* Adds the section to the sketch, of the rank with these collectives; in the arena. */
void strip_sketch_write(const struct strip *strip, const struct rank_numbers *numbers, struct arena *arena,
                        struct sketch *sketch);

/* False with *err where the sketch has no such section, or not a whole one. All is in the arena. */
bool strip_sketch_read(const struct sketch *sketch, const struct rank_numbers *numbers, struct arena *arena,
                       struct strip *out, struct steptime_error *err);

#endif
