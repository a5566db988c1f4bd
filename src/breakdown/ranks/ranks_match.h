/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the same collective on every rank. Each rank gives its collectives
 * keys made of
 *
 *     process group, sequence number (else the step it was called in), kind,
 *     size of the message where all ranks must agree on it, and how many of the
 *     same came before
 *
 * so ranks whose recordings begin or end at different collectives still match,
 * and a rank with other kinds or sizes matches nobody. Equal keys are then
 * brought together by one sort of all ranks' keys.
 */
#ifndef BREAKDOWN_RANKS_MATCH_H
#define BREAKDOWN_RANKS_MATCH_H

#include "ranks.h"

/* Gives every collective of the rank its key. */
void rank_keys(struct rank_numbers *rank);

/* The members of one collective, [first, first + count) of the members. */
struct match {
    uint32_t first, count;
};

struct matches {
    struct match *at; /* in no order */
    uint32_t count;
    struct meeting_member *members; /* by rank within a match */
    uint32_t incomplete;            /* collectives that were not found on every rank of their group */
    uint32_t not_matchable;
};

/*
 * A match is complete if it has as many members as most collectives of its
 * group; that many ranks of the group are here. All live in the arena.
 */
struct matches ranks_match(const struct rank_numbers *const *ranks, uint32_t count, struct arena *arena);

#endif
