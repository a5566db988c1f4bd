/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of a pipeline: ranks that pass messages on, from the first to the last. Who sends first to whom in a step
 * is before it; a stage are all ranks with as many before them. A stage is as long as the steps of its rank are, less
 * communication (of several ranks the lower median), and the longest one sets the pace of all.
 */
#ifndef BREAKDOWN_RANKS_STAGES_H
#define BREAKDOWN_RANKS_STAGES_H

#include "ranks.h"

/* Fills ranks->stages. The meetings are held. */
void ranks_find_stages(struct ranks *ranks, struct arena *arena);

/* What a rank does by itself in a step. */
double ranks_own_ns(const struct rank_numbers *rank);

/* "Stage 3 of 4 (rank 2) ..." In the arena. */
str ranks_say_stage(const struct ranks *ranks, struct arena *arena);

#endif
