/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks behind summaries are together: one job, with a mean step in which somebody may be late. */
#ifndef BREAKDOWN_SUMMARY_JOB_H
#define BREAKDOWN_SUMMARY_JOB_H

#include "breakdown/job/job.h"
#include "summary.h"

/* Everything lives in the arena, and points to the summaries. */
void summary_job(const struct summary *const *ranks, uint32_t count, struct arena *arena, struct job *job);

/* Of a mean step of a rank: what it waits for the late one, what is gained without that, and who it is. */
void summary_take_lateness(const struct job *job, struct facts *facts);

#endif
