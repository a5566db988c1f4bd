/* SPDX-License-Identifier: Apache-2.0 */
/* The event that stands for a node of the host: its call; or the innermost frame around it, or range but that of the step. */
#ifndef BREAKDOWN_NODE_EVENT_H
#define BREAKDOWN_NODE_EVENT_H

#include "graph/graph.h"

/* Of what is open for half of the node or more; ROW_NONE. */
uint32_t node_event(const struct graph *graph, uint32_t node);

#endif
