/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the same kind in other sizes: what a set from a few rows will be asked for. */
#ifndef MODEL_LIKE_H
#define MODEL_LIKE_H

#include "base/arena.h"
#include "hw/hardware.h"
#include "ops/operators/kernel.h"

/*
 * `wanted` of them: each of the `count` kernels in turn, its extents (sizes of 16 and more) up to eight times as small or
 * large. Those that do not fit the device's memory, or take longer than a second at its peak, are drawn anew, and in the
 * end left as they were. The same every time.
 */
const struct kernel *const *kernels_like(const struct kernel *const *kernels, uint32_t count, uint32_t wanted,
                                         const struct hardware *hardware, struct arena *arena);

#endif
