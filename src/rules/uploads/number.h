/* SPDX-License-Identifier: Apache-2.0 */
/* torch.tensor(0.0, device=gpu): one number that is copied, with a wait, where the device could have filled it in. */
#ifndef RULES_NUMBER_H
#define RULES_NUMBER_H

#include "rules/ask/ask.h"

/* The number of which the call makes a tensor; SYNTAX_NONE. */
uint32_t number_made_tensor(const struct check *check, uint32_t call);
/* The same, of a tensor that is made on the device. */
uint32_t number_uploaded(const struct check *check, uint32_t call);

/* In a branch that asks what the data are like, or which step it is, it may hardly ever run. */
void number_break_aside(const struct check *check, uint32_t node, struct match *match);

#endif
