/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around a node in its function, from the node outward: loops, branches, with, raise. */
#ifndef SOURCE_AROUND_H
#define SOURCE_AROUND_H

#include "source/contexts/contexts.h"

/* What the tests before each `elif` of a chain say of it: once, from the outside in. */
void around_build(struct project *project);
/* The pace is that of a loop around it, PACE_UNKNOWN where the function has none; callers say the rest. */
struct context around_node(const struct project *project, struct site site, uint32_t function);

#endif
