/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delay costs: what all waiting of a job is due to, followed to where it began.
 *
 * For a member that waits w and the last to come: what both did since they last
 * left a collective together is compared. Each kind of time that the last has more
 * of takes its share of w as short-term cost; where it left that collective later,
 * so does the transfer. Each wait of the last in that time
 * takes its share too; that is handed to the rank which the last waited for, as
 * long-term cost, in proportion of its own surplus there. Collectives are taken
 * from last to first, so that every wait has been handed all before its turn.
 *
 *     invariant: short-term and long-term costs together sum to all waiting; nothing is lost by rounding
 *
 * After Böhme, Geimer, Wolf et al., ICPP 2010, and ACM TOPC 3(2), 2016, doi
 * 10.1145/2934661; the rule as it is used is in doc/numbers/ranks.md. What a rank
 * did is its way to the collective (breakdown/strip): what ran beside it delayed
 * nothing.
 */
#ifndef BREAKDOWN_DELAY_H
#define BREAKDOWN_DELAY_H

#include "lines.h"

/* What one rank did of one kind more than those who waited for it. */
struct delay_cost {
    uint32_t rank, kind; /* of lines->kinds: with its name where long pieces have one */
    int64_t short_ns, long_ns;
};

struct delays {
    struct delay_cost *at; /* largest first */
    uint32_t count;
    int64_t *of_rank;   /* by rank: the sum of its costs */
    int64_t *own;       /* by rank: of them what is neither transfer nor communication */
    int64_t waiting_ns; /* all waiting in blocking collectives, over all of them and all ranks; the costs sum to it */
};

/* The rank whose own doings cost twice what those of any other do, and half of its costs or more; NO_RANK. */
uint32_t delays_culprit(const struct delays *delays, uint32_t ranks);

struct delays delays_of(const struct lines *lines, struct arena *arena);

#endif
