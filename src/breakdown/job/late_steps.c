/* SPDX-License-Identifier: Apache-2.0 */
#include "late_steps.h"

/* What the members of a collective waited for the late rank; 0 where that did not come last. */
static int64_t waited_for(const struct job *job, uint32_t collective)
{
    const struct lines *lines = &job->lines;
    const struct line_meeting *met = line_blocking(lines, job->late, collective);
    int64_t ns = 0;
    if (!met || met->last_rank != job->late || met->last_index != collective)
        return 0;
    const struct meeting *of = &job->ranks.meetings[lines->at[job->late].meeting[collective]];
    for (uint32_t k = of->first; k < of->first + of->count; k++)
        ns += met->last_ns - line_entry_ns(lines, job->ranks.members[k].rank, job->ranks.members[k].index);
    return ns;
}

/* The waiting in the step of the collective, if that counts, and the first collective of the next step. */
static int64_t waited_in_step(const struct job *job, uint32_t *collective)
{
    const struct rank_numbers *rank = job->ranks.at[job->late];
    const int64_t step = rank->collectives[*collective].step;
    int64_t ns = 0;
    for (; *collective < rank->collective_count && rank->collectives[*collective].step == step; ++*collective)
        ns += waited_for(job, *collective);
    return rank_step_is_partial(&job->ranks.accounts[job->late], step) ? 0 : ns;
}

static int64_t worst_step_ns(const struct job *job)
{
    int64_t worst = 0;
    for (uint32_t i = 0; i < job->ranks.at[job->late]->collective_count;) {
        const int64_t ns = waited_in_step(job, &i);
        worst = ns > worst ? ns : worst;
    }
    return worst;
}

struct late_steps late_steps_of(const struct job *job)
{
    const struct rank_numbers *rank = job->ranks.at[job->late];
    const int64_t least = worst_step_ns(job) / 4 + 1;
    struct late_steps out = {0};
    int64_t last = 0, apart = 0, between;
    bool even = true;
    for (uint32_t i = 0; i < rank->collective_count;) {
        const int64_t step = rank->collectives[i].step;
        if (waited_in_step(job, &i) < least)
            continue;
        if (out.count && __builtin_sub_overflow(step, last, &between))
            even = false;
        else if (out.count > 1)
            even &= between == apart;
        else if (out.count == 1)
            apart = between;
        last = step;
        out.count++;
    }
    if (even && out.count > 1 && apart > 1 && apart < UINT32_MAX)
        out.every = (uint32_t)apart;
    return out;
}
