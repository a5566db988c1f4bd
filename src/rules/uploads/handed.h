/* SPDX-License-Identifier: Apache-2.0 */
/* What comes anew each step from outside of the run: batches of iterators of which nothing is known. */
#ifndef RULES_HANDED_H
#define RULES_HANDED_H

#include "rules/ask/ask.h"

/* Whether it is, or is a part of, what the loop of the steps goes over, or what next() or a drawn batch gives there, also through callers. */
bool handed_each_step(const struct check *check, uint32_t node);

#endif
