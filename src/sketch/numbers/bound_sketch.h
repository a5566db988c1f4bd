/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds the steps of a rank, and what held its host up, as a section of its sketch. */
#ifndef SKETCH_BOUND_SKETCH_H
#define SKETCH_BOUND_SKETCH_H

#include "breakdown/holdup/holdup.h"
#include "breakdown/verdict/verdict.h"
#include "sketch/file/sketch.h"

/* In the arena. */
str bound_sketch_write(const struct verdict *verdict, const struct holdups *holdups, struct arena *arena);

/* False with *err where the sketch has no such section, or not a whole one. Texts are in the arena. */
bool bound_sketch_read(const struct sketch *sketch, struct arena *arena, struct verdict *verdict,
                       struct holdups *holdups, struct steptime_error *err);

#endif
