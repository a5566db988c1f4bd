/* SPDX-License-Identifier: Apache-2.0 */
/* Two waits of a step with only the host's work between them: one of them is free. */
#ifndef RULES_TWICE_H
#define RULES_TWICE_H

#include "rules/ask/ask.h"

/* The node that waits, of a match of a wait or of a copy; SYNTAX_NONE. */
uint32_t twice_waits_at(const struct match *match);
/* Whether all that it costs is the wait: no copy of a whole tensor, and nothing that is best deleted. */
bool twice_costs_the_wait_alone(const struct match *match);

/* Breaks the gain of waits beside another one. Matches in the order of the text. */
void twice_break(const struct check *check, struct match *matches, uint32_t count);

#endif
