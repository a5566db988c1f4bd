/* SPDX-License-Identifier: Apache-2.0 */
/* Data that the network itself makes in a step, as a rollout does: no loader could bring it. */
#ifndef RULES_MADE_H
#define RULES_MADE_H

#include "rules/ask/ask.h"

/* Whether what the function around the node is given was made by a call that takes a network. */
bool made_by_network(const struct check *check, uint32_t node);

/* A call in the loop that gives the batch of the round to a function that runs a network in a loop of its own, or generates. */
bool made_in_rounds(const struct check *check, uint32_t loop);

#endif
