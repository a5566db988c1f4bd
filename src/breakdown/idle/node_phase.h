/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase of the model in which a node of the host is: that of the operator around its call; of a stretch in no operator
 * that of the operators before and after it on its thread, where they agree, else that which a range around it names. Whoever says of host time in which phase it
 * was spent asks here.
 */
#ifndef BREAKDOWN_NODE_PHASE_H
#define BREAKDOWN_NODE_PHASE_H

#include "graph/graph.h"
#include "ops/rows/phase.h"

/* PHASE_NONE where it is not known. `phases`: by row (ops/rows/phase.h). */
enum phase node_phase(const struct graph *graph, const uint8_t *phases, uint32_t node);

#endif
