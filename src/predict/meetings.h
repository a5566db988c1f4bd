/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collectives at which ranks meet. The same collective is told by group and
 * sequence number where all ranks record it, else by its place among those of its
 * group. It begins when the last rank has come, and takes what it takes the rank
 * that came last: of the recorded times the least, for the others hold waiting.
 */
#ifndef PREDICT_MEETINGS_H
#define PREDICT_MEETINGS_H

#include "plan.h"

struct meetings;

/* False with STEPTIME_INPUT where two ranks come to one place with collectives of different kinds, naming both. */
bool meetings_open(const struct plan *const *plans, uint32_t ranks, struct arena *arena, struct meetings **meetings,
                   struct steptime_error *err);

/* How many ranks come to a collective; 0: not known. Of no known group all do. */
int64_t meeting_size(const struct program *program, const struct collective *collective);

/* Nobody has come yet. */
void meetings_clear(struct meetings *meetings);

struct meeting_arrival {
    double begin_us; /* NaN while ranks are missing */
    double us;       /* of the collective; NaN: that of the launch's own */
    bool last;       /* with this arrival all have come */
};

/* The launch of a rank is ready at that time. May be asked again; only the first time counts. */
struct meeting_arrival meetings_arrive(struct meetings *meetings, uint32_t rank, uint32_t launch, double at_us);

/* "all_reduce 3 of group 0", in the arena; "" where the launch meets nobody. */
str meetings_name(const struct meetings *meetings, uint32_t rank, uint32_t launch, struct arena *arena);

#endif
