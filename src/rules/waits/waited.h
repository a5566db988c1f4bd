/* SPDX-License-Identifier: Apache-2.0 */
/* Reads that cost nothing more, since a framework waits at the same place anyway. */
#ifndef RULES_WAITED_H
#define RULES_WAITED_H

#include "rules/ask/ask.h"

/* Why the host waits there anyway, as a clause; NULL where it does not. */
const char *waited_anyway(const struct check *check, uint32_t node);

#endif
