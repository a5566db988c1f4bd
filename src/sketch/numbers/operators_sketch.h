/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a rank by path (breakdown/kernels/operator_paths.h) as a section of its sketch, for later comparisons. */
#ifndef SKETCH_OPERATORS_SKETCH_H
#define SKETCH_OPERATORS_SKETCH_H

#include "breakdown/kernels/operator_paths.h"
#include "sketch/file/sketch.h"

enum { SKETCH_OPERATOR_BYTES = 64 << 10 }; /* no section is larger: of more paths it has the largest */

/* In the arena. */
str operators_sketch_write(const struct operator_paths *paths, struct arena *arena);

/* False with *err where the sketch has no such section, or not a whole one. All is in the arena. */
bool operators_sketch_read(const struct sketch *sketch, struct arena *arena, struct operator_paths *out,
                           struct steptime_error *err);

#endif
