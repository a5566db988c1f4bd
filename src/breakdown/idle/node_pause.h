/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses of one length: stretches of Python on the training thread with nothing known inside that take the same time again. */
#ifndef BREAKDOWN_NODE_PAUSE_H
#define BREAKDOWN_NODE_PAUSE_H

#include "cause_track.h"
#include "graph/graph.h"

/* causes: by node; those of the pauses become CAUSE_PAUSE. */
void node_pauses_find(const struct graph *graph, const struct cause_track *tracks, uint8_t *causes);

#endif
