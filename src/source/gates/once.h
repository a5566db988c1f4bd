/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that run rarely because of what they do themselves: they keep what they
 * make, they leave the loop, or they end the run.
 */
#ifndef SOURCE_ONCE_H
#define SOURCE_ONCE_H

#include "source/contexts/contexts.h"

/* `if self.first: ... self.first = False`, `if key not in kept: kept[key] = ...`: the body sets what is tested. */
bool once_by_test(const struct project *project, struct site if_statement);

/* The node behind `if key in self.kept: return self.kept[key]` where what follows fills self.kept; SYNTAX_NONE. */
uint32_t once_behind_return(const struct project *project, uint32_t file, uint32_t function);

enum leaving {
    LEAVES_NOT,
    LEAVES_ROUND, /* continue */
    LEAVES_LOOP,  /* break, return */
    LEAVES_RUN,   /* raise, sys.exit() */
};
/* How a block of statements ends. */
enum leaving once_leaves(const struct project *project, struct site block);

#endif
