/* SPDX-License-Identifier: Apache-2.0 */
/* The end of most checks: what is told of a node, and whether it runs often enough to be told. */
#ifndef RULES_TELL_H
#define RULES_TELL_H

#include "rules/ask/ask.h"

/*
 * Fills message and built-in (of a call its name) and sets the level. False: it
 * runs once, or once an epoch and not for each element of one, or nothing is to be
 * said there (level.h).
 */
bool tell(const struct check *check, uint32_t node, struct match *match, str message);
/* The same of a line that sets the training up, and says of each of its steps what they will do. */
bool tell_of_run(const struct check *check, uint32_t node, struct match *match, str message);
/* The same, also of what happens once an epoch. */
bool tell_each_epoch(const struct check *check, uint32_t node, struct match *match, str message);

#endif
