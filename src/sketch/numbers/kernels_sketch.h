/* SPDX-License-Identifier: Apache-2.0 */
/* How long the largest kernels of a rank take (breakdown/kernels/kernel_times.h) as a section of its sketch, exact. */
#ifndef SKETCH_KERNELS_SKETCH_H
#define SKETCH_KERNELS_SKETCH_H

#include "breakdown/kernels/kernel_times.h"
#include "sketch/file/sketch.h"

/* In the arena. */
str kernels_sketch_write(const struct kernel_times *times, struct arena *arena);

/* Of a sketch without this section none. False with *err where it is not whole. All is in the arena. */
bool kernels_sketch_read(const struct sketch *sketch, struct arena *arena, struct kernel_times *out,
                         struct steptime_error *err);

#endif
