/* SPDX-License-Identifier: Apache-2.0 */
/* Two waits of a step with only the host's work between them: one of them is free. */
#ifndef RULES_TWICE_H
#define RULES_TWICE_H

#include "rules/ask/ask.h"

/* Breaks the gain of waits beside another one. Matches in the order of the text. */
void twice_break(const struct check *check, struct match *matches, uint32_t count);

#endif
