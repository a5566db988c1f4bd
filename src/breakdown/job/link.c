/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include "base/sum.h"
#include "breakdown/ranks/ranks_link.h"

static void raise_to(int64_t *ns, int64_t least_ns)
{
    *ns = *ns > least_ns ? *ns : least_ns;
}

/* Where each rank is replayed by itself, it gains no more than its own transfers. */
static void count_transfers(const struct rank_link *link, struct verdict *verdict)
{
    const int64_t held_ns = sum_rounded(link->per_step_ns * verdict->steps);
    const int64_t lost_ns = held_ns < verdict->step_ns ? held_ns : verdict->step_ns;
    raise_to(&verdict->removed_ns[RESOURCE_COMMUNICATION], lost_ns);
    raise_to(&verdict->saved_ns[RESOURCE_COMMUNICATION], lost_ns);
    raise_to(&verdict->time_ns[RESOURCE_COMMUNICATION], lost_ns);
}

void link_explain(struct job *job, struct arena *arena)
{
    const struct rank_link *link = &job->ranks.link;
    const bool replayed = job->link_saves_ns >= 0;
    if (!replayed)
        count_transfers(link, &job->verdict);
    job->causes[0] = (struct late_cause){.id = "link",
                                         .title = S("a slow link"),
                                         .per_step_ns = replayed ? (double)job->link_saves_ns / job->verdict.steps
                                                                 : link->per_step_ns,
                                         .habit = job->ranks.at[0]->steps == 1 ? HABIT_ONE : HABIT_EACH,
                                         .what = ranks_link_name(&job->ranks, arena),
                                         .inside = collective_kind_word(link->sample->sample->of.kind),
                                         .line = S(""),
                                         .phase = "",
                                         .kind = LATE_LINK};
    job->cause_count = 1;
    if (replayed)
        job->sentence = str_printf(arena, "%.*s Without that a step is shorter by %.2f ms.", (int)job->sentence.len,
                                   job->sentence.at, job->causes[0].per_step_ns / 1e6);
}
