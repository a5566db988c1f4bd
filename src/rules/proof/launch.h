/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a node of the source gives the device something to do. */
#ifndef RULES_LAUNCH_H
#define RULES_LAUNCH_H

#include "rules/ask/ask.h"

/* It may: calls that nobody knows, loops. False only of what is known to be the host's. Operands are asked by themselves. */
bool launch_possible(const struct check *check, uint32_t node);
/* It does: a network, backward, an optimizer, an operator on a tensor of the device. */
bool launch_certain(const struct check *check, uint32_t node);

#endif
