/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which set answers for a device, kept from one kernel to the next: a trace asks for thousands of kernels on one device, a
 * table for some. Only groups that never change have it, those that are built in. Thread-safe: what is kept stays, and
 * threads that find the same at once keep it twice.
 */
#ifndef MODEL_KNOWN_SETS_H
#define MODEL_KNOWN_SETS_H

#include "coefficients.h"

/* Nothing is known yet; lives in the arena, what is kept as long as the program. */
struct known_sets *known_sets_new(struct arena *arena);

/* Whether the device, by its name and figures, was asked for before: then its set, as coefficients_for gives it. */
bool known_sets_find(const struct known_sets *known, const struct hardware *hardware,
                     const struct coefficient_set **set, struct kin *kin);

void known_sets_keep(struct known_sets *known, const struct hardware *hardware, const struct coefficient_set *set,
                     const struct kin *kin);

#endif
