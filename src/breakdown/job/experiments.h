/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The experiments of the verdict, made over the whole job: each on all ranks at once, which meet as they did. What one rank
 * gains those who wait for it gain, and no other.
 */
#ifndef BREAKDOWN_EXPERIMENTS_H
#define BREAKDOWN_EXPERIMENTS_H

#include "job.h"

/* Whether there is all that it takes: every rank's answers, of steps that lie side by side. */
bool job_can_replay(const struct job_rank *ranks, const struct job *job);

/*
 * Adds up the verdicts of the ranks, with what the job saves in the place of what they save. `late` is the rank that comes
 * with the last but one where nobody is late; RANK_NONE_LATE.
 */
void job_replay_experiments(const struct job_rank *ranks, uint32_t late, struct job *job);

/*
 * Fills what the job saves without its slow link, and with its longest stage as long as the middle of the others; and what its
 * stages save where the work of all is spread evenly. Behind the experiments.
 */
void job_replay_named(const struct job_rank *ranks, struct job *job);

#endif
