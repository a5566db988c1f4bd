/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a loader is for, as its names and the arguments of its data set say: weak
 * evidence, good enough to lower a level, never to raise one.
 */
#ifndef RULES_PURPOSE_H
#define RULES_PURPOSE_H

#include "ask.h"

/* `test_loader = DataLoader(...)`, DataLoader(val_set), DataLoader(MNIST(root, train=False)). */
bool purpose_is_evaluation(const struct check *check, uint32_t call, uint32_t dataset);

#endif
