/* SPDX-License-Identifier: Apache-2.0 */
/* What the two ways to run a job share: the runs of its nets, and who has come to its meetings. */
#ifndef TIME_JOB_PRIVATE_H
#define TIME_JOB_PRIVATE_H

#include "job.h"
#include "run_private.h"

struct gathering {
    uint32_t expected, come;
    int64_t latest, work;
};

struct gatherings {
    const struct job *job;
    struct run *runs;     /* by net */
    struct gathering *at; /* by meeting */
};

/* The current node of a run comes to a meeting, or a member does not. True where nobody else is missing then. */
bool gathering_comes(struct gatherings *all, uint32_t meeting, const struct run *run);
bool gathering_stays_away(struct gatherings *all, uint32_t meeting);

/* When a meeting to which all have come ends, by the clock of a member. */
int64_t gathering_end(const struct gatherings *all, uint32_t meeting, const struct member *member);

/* Each node as soon as what it waits for has been run. False with `stuck` as of job_run where some never can be. */
bool job_any_order(struct gatherings *all, uint32_t *stuck);

#endif
