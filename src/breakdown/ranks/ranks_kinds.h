/* SPDX-License-Identifier: Apache-2.0 */
/* Meetings summed up by kind, size and number of ranks, with their bandwidths. */
#ifndef BREAKDOWN_RANKS_KINDS_H
#define BREAKDOWN_RANKS_KINDS_H

#include "ranks.h"

void meeting_kinds(struct ranks *ranks, struct arena *arena);

#endif
