/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks around a wait: `synchronize(); start = time.time()` and `took = time.time() - start`. */
#ifndef RULES_MEASURED_H
#define RULES_MEASURED_H

#include "rules/ask/ask.h"

/* Whether the function around the wait takes the difference of two readings of a clock. */
bool measured_there(const struct check *check, uint32_t wait);

/*
 * Whether the wait belongs to a benchmark: its function, or the one that it calls, measures, and no loop on the way to
 * it steps an optimizer. In a training the wait costs what it costs, clock or not.
 */
bool measured_aside(const struct check *check, uint32_t wait);

#endif
