/* SPDX-License-Identifier: Apache-2.0 */
/* What happened at one collective: who came when, who waited, and for whom. */
#ifndef BREAKDOWN_RANKS_MEETING_H
#define BREAKDOWN_RANKS_MEETING_H

#include "clocks.h"
#include "ranks_match.h"

/* Clocks set against each other: a rank's time plus its shift, less what its clock has drifted, is the first rank's time. */
struct meeting_clock {
    const int64_t *shift_ns;         /* by rank */
    const struct clock_drift *drift; /* by rank: of its clock, in the time of its trace */
    int64_t *covered_ns; /* by rank: until when its waits are accounted for; meetings are held in order of time */
    int64_t doubt_ns;    /* entries and ends are compared with this much doubt */
    int64_t tie_ns;
};

static inline int64_t meeting_true_ns(const struct meeting_clock *clock, uint32_t rank, int64_t time_ns)
{
    return clock_true_ns(time_ns, -clock->shift_ns[rank], clock->drift[rank]);
}

/*
 * Fills the meeting and the waits of its members, and adds what each rank caused
 * and how often it was last or late to the accounts. Where not all were inside at
 * once, but more than half of them, it is a meeting of these, who come first among
 * its members. False where there are no such: then the match is wrong, and nothing is
 * added.
 */
bool meeting_hold(const struct rank_numbers *const *ranks, const struct match *match, const struct meeting_clock *clock,
                  struct meeting_member *members, struct rank_account *accounts, struct meeting *out);

/* When the rank came to it, in the first rank's time. */
int64_t meeting_entry_ns(const struct rank_numbers *const *ranks, const struct meeting_clock *clock,
                         const struct meeting_member *member);

#endif
