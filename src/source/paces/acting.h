/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that step an environment, and what the next step of it needs: `state, reward, done, info = env.step(action)`. */
#ifndef SOURCE_ACTING_H
#define SOURCE_ACTING_H

#include "source/contexts/contexts.h"

/* A loop of its own that steps an environment. */
bool acting_in(const struct syntax *tree, uint32_t loop);
/* Who makes the action acts. */
void acting_build(struct project *project, uint32_t file);
/* Whether the environment's next step needs what is computed there. */
bool acting_at(const struct project *project, struct site site);

#endif
