/* SPDX-License-Identifier: Apache-2.0 */
#include "summary_job.h"

void summary_job(const struct summary *const *ranks, uint32_t count, struct arena *arena, struct job *job)
{
    struct job_rank *all = arena_array(arena, count, sizeof *all);
    for (uint32_t r = 0; r < count; r++)
        all[r] = (struct job_rank){&ranks[r]->rank, &ranks[r]->verdict, &ranks[r]->holdups, &ranks[r]->strip,
                                   &ranks[r]->responses};
    job_of(all, count, arena, job);
}

/* Where nobody is late, ranks wait in turn for what is slow between them. */
void summary_take_lateness(const struct job *job, struct facts *facts)
{
    const double steps = facts->steps ? facts->steps : 1;
    if (job->late == RANK_NONE_LATE)
        return;
    for (uint32_t r = 0; r < job->ranks.count; r++)
        facts->waited_ns +=
            rank_per_compared(&job->ranks, r, job->ranks.accounts[r].waited_ns) * job->ranks.at[r]->steps / steps;
    facts->late_ns = job_saving_per_step_ns(job);
    facts->late = job->sentence;
}
