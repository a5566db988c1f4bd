/* SPDX-License-Identifier: Apache-2.0 */
/* How long an edge takes when nothing else holds it up, learnt from the trace itself. */
#ifndef GRAPH_FLOORS_H
#define GRAPH_FLOORS_H

#include "graph.h"

/* Fills launch_floor_ns and order_floor_ns, and the floors of the net with them. */
void graph_find_floors(struct graph *graph);

#endif
