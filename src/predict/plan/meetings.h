/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collectives at which ranks meet. The same collective is found as everywhere
 * (ops/rows/collective_match.h) where the programs carry times; else it is told by
 * group and sequence number where all ranks record it, else by its place among those
 * of its group. It begins when the last rank has come, and takes what it takes the rank
 * that came last: of the recorded times the least, for the others hold waiting.
 */
#ifndef PREDICT_MEETINGS_H
#define PREDICT_MEETINGS_H

#include "ops/rows/collective_match.h"
#include "plan.h"

struct meetings;

/*
 * False with STEPTIME_INPUT where collectives do not match: with times, where none is found on all ranks; without, where
 * two ranks come to one place with collectives of different kinds, naming both.
 */
bool meetings_open(const struct plan *const *plans, uint32_t ranks, struct arena *arena, struct meetings **meetings,
                   struct steptime_error *err);

/* Of matching by time: which rank's match is most doubtful, an index into the plans. */
struct match_doubt meetings_doubt(const struct meetings *meetings);

/* Collectives of the rank that were not found on all ranks of their group, though these are here. */
uint32_t meetings_missed(const struct meetings *meetings, uint32_t rank);

/* How many ranks come to a collective; 0: not known. Of no known group all do. */
int64_t meeting_size(const struct program *program, const struct collective *collective);

uint32_t meetings_count(const struct meetings *meetings);

/* The meeting that the launch of a rank comes to; MEETS_NOBODY. */
enum { MEETS_NOBODY = UINT32_MAX };
uint32_t meetings_of(const struct meetings *meetings, uint32_t rank, uint32_t launch);

/* "all_reduce 3 of group 0", in the arena; "" where the launch meets nobody. */
str meetings_name(const struct meetings *meetings, uint32_t rank, uint32_t launch, struct arena *arena);

#endif
