/* SPDX-License-Identifier: Apache-2.0 */
/* What the device did beside and behind a move. */
#ifndef EVIDENCE_GAP_H
#define EVIDENCE_GAP_H

#include "movement.h"

/* Fills bubble_ns and exposed_ns of moves in order of time. */
void find_gaps(const struct graph *graph, const struct device_times *times, struct move *moves, uint32_t count);

#endif
