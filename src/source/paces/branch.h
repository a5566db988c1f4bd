/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches of a loop that trains which do not train themselves: what stands there
 * evaluates, or runs now and then.
 *
 *     if phase == TRAIN: loss.backward()
 *     ...
 *     elif phase == TEST: here
 */
#ifndef SOURCE_BRANCH_H
#define SOURCE_BRANCH_H

#include "source/contexts/contexts.h"

/*
 * Whether the branch (a block of the if) keeps its round from training: all that trains in the loop, or function,
 * around stands where the tests exclude the branch, or behind it where it leaves the round.
 */
bool branch_trains_not(const struct project *project, uint32_t file, uint32_t if_statement, uint32_t branch);

/* Whether the node stands behind an `if ...: continue` (or return) that stands behind all that trains. */
bool branch_is_behind_guard(const struct project *project, struct site site);

#endif
