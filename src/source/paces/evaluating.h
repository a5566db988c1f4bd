/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions evaluate: from what they run, under no_grad or behind model.eval(), and from who calls them. */
#ifndef SOURCE_EVALUATING_H
#define SOURCE_EVALUATING_H

#include "source/contexts/contexts.h"

/* Asked when it is known which functions train, and which run a network (loops.h). */
bool evaluating_is(const struct project *project, uint32_t function);

#endif
