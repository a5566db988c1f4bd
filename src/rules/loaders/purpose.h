/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a loader is for, as its names and the arguments of its data set say: weak
 * evidence, good enough to lower a level, never to raise one.
 */
#ifndef RULES_PURPOSE_H
#define RULES_PURPOSE_H

#include "rules/ask/ask.h"

/* `test_loader = DataLoader(...)`, what val_dataloader() returns, DataLoader(val_set), DataLoader(rows, self.val_size),
 * DataLoader(MNIST(root, train=False)). `size`: of its batches. */
bool purpose_is_evaluation(const struct check *check, uint32_t call, uint32_t dataset, uint32_t size);

#endif
