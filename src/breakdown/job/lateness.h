/* SPDX-License-Identifier: Apache-2.0 */
/* Why the late rank of a job is late. */
#ifndef BREAKDOWN_LATENESS_H
#define BREAKDOWN_LATENESS_H

#include "job.h"

/* Fills the causes of the late rank, what takes most first. */
void lateness_explain(const struct job_rank *ranks, uint32_t count, struct job *job);

/* "Rank 5 is late by 210 ms of a step of 640 ms: forward / embedding lookup, in 19 of 20 steps." In the arena. */
str lateness_say(const struct job *job, struct arena *arena);

#endif
