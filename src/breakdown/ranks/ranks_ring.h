/* SPDX-License-Identifier: Apache-2.0 */
/* A slow link inside a ring, by the order in which ranks leave its collectives: see ranks_link.h. */
#ifndef BREAKDOWN_RANKS_RING_H
#define BREAKDOWN_RANKS_RING_H

#include "ranks_meeting.h"

/*
 * Of the group that loses most by it; not found where none does. The clock is that by which the meetings were held.
 * usual_ns: by meeting, all forgotten; the link refers to it.
 */
struct rank_link ranks_find_ring(const struct ranks *ranks, const struct meeting_clock *clock, int64_t *usual_ns,
                                 struct arena *scratch);

/* By meeting: none goes over a slow link. */
void ranks_forget_usual(const struct ranks *ranks, int64_t *usual_ns);

#endif
