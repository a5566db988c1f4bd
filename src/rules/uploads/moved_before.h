/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what a call moves to the device was moved there before: by its function, or by every caller in the run. */
#ifndef RULES_MOVED_BEFORE_H
#define RULES_MOVED_BEFORE_H

#include "rules/ask/ask.h"

/* `what`: the expression that is moved. False also where nobody knows. */
bool moved_before(const struct check *check, uint32_t what);

#endif
