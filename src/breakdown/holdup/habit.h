/* SPDX-License-Identifier: Apache-2.0 */
/* Whether something comes in every step, while warming up, every k-th, or once. */
#ifndef BREAKDOWN_HABIT_H
#define BREAKDOWN_HABIT_H

#include "holdup.h"
#include "stretches.h"

/* Fills steps, habit and every. */
void habit_find(const struct trace *trace, const struct seen *seen, struct step_range range, struct holdup *holdup);

#endif
