/* SPDX-License-Identifier: Apache-2.0 */
/* A run that takes a few batches: workers would cost more than they bring. */
#ifndef RULES_FEW_BATCHES_H
#define RULES_FEW_BATCHES_H

#include "rules/ask/ask.h"

/*
 * Where a trainer says that it takes a few batches of the loader that the call makes: `Trainer(limit_train_batches=2)`.
 * Where none is given the loader by its name, all trainers of the file have to say so. SYNTAX_NONE.
 */
uint32_t few_batches_said(const struct check *check, uint32_t loader);

/* Whether the call makes a trainer that is given, by its name, the loader that the other call makes. */
bool few_batches_trains_on(const struct check *check, uint32_t call, uint32_t loader);

#endif
