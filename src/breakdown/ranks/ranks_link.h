/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slow link told from a slow rank. Nobody is late by its own work, and
 *
 *     apart   of several groups that exchange messages of one kind and size, one takes at least twice as long as the others
 *     ring    in a ring the ranks leave a collective one after another: who receives over the slow link last of all
 *
 * Ends that differ are no matter of clocks where ranks share a host, or where they leave small collectives together.
 */
#ifndef BREAKDOWN_RANKS_LINK_H
#define BREAKDOWN_RANKS_LINK_H

#include "ranks_meeting.h"

/* Fills ranks->link. The meetings are held, the accounts closed. In the arena. */
void ranks_find_link(struct ranks *ranks, const struct meeting_clock *clock, struct arena *arena);

/* "No rank is late by its own work: the link from rank 1 to rank 2 is slow ..." In the arena. */
str ranks_say_link(const struct ranks *ranks, struct arena *arena);

/* "rank 1 to rank 2", or the members of the group: "1,5". In the arena. */
str ranks_link_name(const struct ranks *ranks, struct arena *arena);

#endif
