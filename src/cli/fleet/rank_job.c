/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_job.h"

#include "breakdown/job/job.h"
#include "breakdown/ranks/ranks_show.h"

const struct job_numbers *rank_job_take(const struct trace *trace, const struct selection *selection,
                                        struct arena *arena)
{
    struct job_numbers *numbers = arena_alloc(arena, sizeof *numbers);
    job_numbers_of(trace, selection, arena, numbers);
    return numbers;
}

bool rank_job_meets(const struct job_numbers *rank)
{
    return rank->numbers.collective_count > 0;
}

void rank_job_show(const struct job_numbers *const *ranks, uint32_t count, struct report *report)
{
    struct job_rank *all = arena_array(report_arena(report), count, sizeof *all);
    struct section *section = report_section(report, "job", "The ranks of the job");
    struct job job;
    for (uint32_t r = 0; r < count; r++)
        all[r] = job_rank_of(ranks[r]);
    job_of(all, count, report_arena(report), &job);
    section_text(section, job.sentence);
    job_show_late(&job, section);
    ranks_show_doubts(&job.ranks, report);
    job_show_why(&job, report);
    verdict_show(&job.verdict, count, report);
}
