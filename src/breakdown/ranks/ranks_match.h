/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same collective on every rank (ops/rows/collective_match.h), as lists of its
 * members: equal keys are brought together by one sort of all ranks' keys.
 */
#ifndef BREAKDOWN_RANKS_MATCH_H
#define BREAKDOWN_RANKS_MATCH_H

#include "ops/rows/collective_match.h"
#include "ranks.h"

/* The members of one collective, [first, first + count) of the members. */
struct match {
    uint32_t first, count;
};

struct matches {
    struct match *at; /* in no order */
    uint32_t count;
    struct match *partial; /* found on several ranks, but not on all: their ends tell of clocks */
    uint32_t partial_count;
    struct meeting_member *members; /* by rank within a match */
    uint32_t incomplete;            /* collectives that were not found on every rank of their group */
    uint32_t not_matchable;
    struct match_doubt doubt;
};

/*
 * A match is complete if it has as many members as most collectives of its group
 * and kind; that many ranks of the group are here. All live in the arena.
 */
struct matches ranks_match(const struct rank_numbers *const *ranks, uint32_t count, struct arena *arena);

#endif
