/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments.h"

#include "base/order.h"
#include "base/sum.h"
#include "breakdown/ranks/ranks_stages.h"
#include "lines_replay.h"

struct trial {
    const struct job_rank *ranks;
    const struct job *job;
    struct replay *replay;
    struct replay_answers answers;
    struct replay_change change;
    const struct responses **of;
    struct response_blend *blend;
    int64_t *later_ns, *plain_ns; /* by rank: in the experiment, and where nothing is changed */
};

/* ---- whether it can be done ---- */

/* A rank without collectives meets nobody: its own verdict says what it saves. */
static bool is_by_itself(const struct job_rank *rank)
{
    return !rank->numbers->collective_count;
}

static bool answers(const struct job_rank *rank)
{
    return is_by_itself(rank) ||
           (rank->responses && rank->responses->steps && rank->responses->count == rank->numbers->collective_count);
}

bool job_can_replay(const struct job_rank *ranks, const struct job *job)
{
    bool any = false;
    for (uint32_t r = 0; job->lined && r < job->ranks.count; r++) {
        if (!answers(&ranks[r]))
            return false;
        any |= !is_by_itself(&ranks[r]);
    }
    return any;
}

/* ---- one experiment ---- */

static uint32_t run_of(const struct responses *responses, enum resource resource, bool removed)
{
    for (uint32_t run = 1; run < responses->run_count; run++)
        if (responses->runs[run].resource == resource && responses->runs[run].removed == removed)
            return run;
    return 0;
}

static bool has_run(const struct trial *t, enum resource resource, bool removed)
{
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        if (run_of(t->of[r], resource, removed))
            return true;
    return false;
}

static int64_t saves_alone(const struct verdict *verdict, enum resource resource, bool removed)
{
    return resource == RESOURCE_NONE ? 0 : removed ? verdict->removed_ns[resource] : verdict->saved_ns[resource];
}

/* As the ranks are blended. */
static void run(struct trial *t, uint32_t late, int64_t *later_ns)
{
    t->answers.late = late;
    lines_replay_longer(t->replay, &t->change, later_ns);
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        later_ns[r] = is_by_itself(&t->ranks[r]) ? 0 : later_ns[r];
}

static void try(struct trial *t, enum resource resource, bool removed, uint32_t late, int64_t *later_ns)
{
    const uint32_t count = t->job->ranks.count;
    for (uint32_t r = 0; r < count; r++)
        t->blend[r] = (struct response_blend){.run = run_of(t->of[r], resource, removed)};
    t->answers.no_transfer = resource == RESOURCE_COMMUNICATION;
    run(t, late, later_ns);
    t->answers.no_transfer = false;
    for (uint32_t r = 0; r < count; r++)
        if (is_by_itself(&t->ranks[r]))
            later_ns[r] = -saves_alone(t->ranks[r].verdict, resource, removed);
}

/* Of all ranks together, less than with nothing changed. */
static int64_t saving(const struct trial *t, const int64_t *than_ns)
{
    int64_t saved = 0;
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        sum_to(&saved, than_ns[r] - t->later_ns[r]);
    return saved;
}

static int64_t saved_by(struct trial *t, enum resource resource, bool removed)
{
    if (!has_run(t, resource, removed)) {
        int64_t saved = 0;
        for (uint32_t r = 0; r < t->job->ranks.count; r++)
            if (is_by_itself(&t->ranks[r]))
                sum_to(&saved, saves_alone(t->ranks[r].verdict, resource, removed));
        return saved;
    }
    try(t, resource, removed, NO_RANK, t->later_ns);
    return larger_of(saving(t, t->plain_ns), 0);
}

/* ---- the verdict of the job ---- */

static int64_t in_proportion(int64_t ns, int64_t of_ns, int64_t whole_ns)
{
    return whole_ns > 0 ? (int64_t)((double)ns * ((double)of_ns / (double)whole_ns)) : ns;
}

/* Of a rank whose verdict is of a sample of its steps that of all. */
static struct verdict of_all_steps(const struct verdict *verdict, const struct responses *responses)
{
    struct verdict out = *verdict;
    const int64_t all_ns = responses->end_ns - responses->from_ns;
    if (!responses->steps || responses->steps == verdict->steps)
        return out;
    out.steps = responses->steps;
    out.step_ns = all_ns;
    out.explained_ns = in_proportion(verdict->explained_ns, all_ns, verdict->step_ns);
    out.pair_ns = in_proportion(verdict->pair_ns, all_ns, verdict->step_ns);
    for (int r = 0; r < RESOURCES; r++)
        out.time_ns[r] = in_proportion(verdict->time_ns[r], all_ns, verdict->step_ns);
    return out;
}

static void add_up(const struct job_rank *ranks, struct job *job)
{
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        struct verdict own =
            is_by_itself(&ranks[r]) ? *ranks[r].verdict : of_all_steps(ranks[r].verdict, ranks[r].responses);
        own.rank = job->ranks.at[r]->rank;
        verdict_add(&job->verdict, &own);
    }
    job->verdict.over = VERDICT_OF_JOB;
}

/* How far the replay with nothing changed is from the recording. */
static void take_error(const struct trial *t, struct verdict *verdict)
{
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        sum_to(&verdict->job_error_ns, t->plain_ns[r] < 0 ? -t->plain_ns[r] : t->plain_ns[r]);
}

/* What the late rank costs all; and what each resource would save beside that. */
static void take_late(struct trial *t, uint32_t late, struct verdict *verdict, struct arena *scratch)
{
    int64_t *punctual_ns = arena_array(scratch, t->job->ranks.count, sizeof *punctual_ns);
    try(t, RESOURCE_NONE, false, late, t->later_ns);
    memcpy(punctual_ns, t->later_ns, t->job->ranks.count * sizeof *punctual_ns);
    verdict->saved_ns[RESOURCE_LATENESS] = verdict->removed_ns[RESOURCE_LATENESS] =
        larger_of(saving(t, t->plain_ns), 0);
    verdict->beside_late = true;
    for (int r = 0; r < RESOURCE_NONE; r++) {
        if (!has_run(t, r, true))
            continue;
        try(t, r, true, late, t->later_ns);
        verdict->beside_late_ns[r] = larger_of(saving(t, punctual_ns), 0);
    }
}

/* Behind it plain_ns is that with nothing changed. */
static void open_trial(struct trial *t, const struct job_rank *ranks, const struct job *job, struct arena *arena)
{
    static const struct responses none = {.run_count = 1};
    const uint32_t count = job->ranks.count;
    *t = (struct trial){.ranks = ranks,
                        .job = job,
                        .replay = lines_replay_new(&job->lines, arena),
                        .of = arena_array(arena, count, sizeof *t->of),
                        .blend = arena_array(arena, count, sizeof *t->blend),
                        .later_ns = arena_array(arena, count, sizeof *t->later_ns),
                        .plain_ns = arena_array(arena, count, sizeof *t->plain_ns)};
    for (uint32_t r = 0; r < count; r++)
        t->of[r] = is_by_itself(&ranks[r]) ? &none : ranks[r].responses;
    t->answers = (struct replay_answers){.of = t->of, .blend = t->blend};
    t->change.answers = &t->answers;
    try(t, RESOURCE_NONE, false, NO_RANK, t->plain_ns);
}

/* ---- what is not known ---- */

/* What is waited in collectives of no match matters from this share of the steps on. */
static const double unmatched_least = 0.05;

/* How long a rank was in blocking collectives of the judged steps that were not matched: there it stays as recorded. */
static int64_t in_unmatched_ns(const struct trial *t, uint32_t r, uint32_t *count)
{
    const struct line *line = &t->job->lines.at[r];
    int64_t ns = 0;
    for (uint32_t i = 0; i < line->numbers->collective_count; i++) {
        const struct collective *of = &line->numbers->collectives[i].of;
        if (line->meeting[i] != NO_MEETING || !collective_is_blocking(of->kind) || of->dur_ns <= 0 ||
            of->start_ns < t->of[r]->from_ns || of->start_ns >= t->of[r]->end_ns)
            continue;
        sum_to(&ns, of->dur_ns);
        ++*count;
    }
    return ns;
}

/*
 * Then what is replayed is the least. No way through the job has more of a resource than all ranks together, so that is the
 * most; of communication all that is spent in there may be transfer.
 */
static void take_most(const struct trial *t, struct verdict *verdict)
{
    const uint32_t ranks = t->job->ranks.count;
    uint32_t count = 0;
    int64_t unmatched_ns = 0;
    for (uint32_t r = 0; r < ranks; r++)
        if (!is_by_itself(&t->ranks[r]))
            sum_to(&unmatched_ns, in_unmatched_ns(t, r, &count));
    if ((double)unmatched_ns < unmatched_least * (double)verdict->step_ns)
        return;
    verdict->unmatched = count;
    for (int r = 0; r < RESOURCE_NONE; r++) {
        const int64_t all_ns =
            verdict->time_ns[r] < verdict->step_ns / ranks ? verdict->time_ns[r] * ranks : verdict->step_ns;
        verdict->most_ns[r] =
            r == RESOURCE_COMMUNICATION ? smaller_of(verdict->removed_ns[r] + unmatched_ns, verdict->step_ns) : all_ns;
    }
}

void job_replay_experiments(const struct job_rank *ranks, uint32_t late, struct job *job)
{
    struct arena scratch = {0};
    struct trial t;
    open_trial(&t, ranks, job, &scratch);
    add_up(ranks, job);
    take_error(&t, &job->verdict);
    for (int r = 0; r < RESOURCE_NONE; r++) {
        job->verdict.removed_ns[r] = saved_by(&t, r, true);
        job->verdict.saved_ns[r] = verdict_halves(r) ? saved_by(&t, r, false) : job->verdict.removed_ns[r];
    }
    if (late != RANK_NONE_LATE)
        take_late(&t, late, &job->verdict, &scratch);
    take_most(&t, &job->verdict);
    arena_free(&scratch);
}

/* ---- the slow link ---- */

static int64_t without_link(const void *of, uint32_t meeting, int64_t ns)
{
    const struct trial *t = of;
    return smaller_of(ns, t->job->ranks.link.usual_ns[meeting]);
}

static int64_t saved_without_link(struct trial *t)
{
    t->change.transfer = without_link;
    t->change.of = t;
    try(t, RESOURCE_NONE, false, NO_RANK, t->later_ns);
    t->change.transfer = NULL;
    return larger_of(saving(t, t->plain_ns), 0);
}

/* ---- stages of other lengths ---- */

static double time_of(const struct trial *t, uint32_t r, enum resource resource)
{
    const struct verdict *verdict = t->ranks[r].verdict;
    return verdict->steps ? (double)verdict->time_ns[resource] / verdict->steps : 0;
}

/* Of what a rank has most more than the mean of all. */
static enum resource more_of(const struct trial *t, uint32_t r)
{
    static const enum resource could[] = {RESOURCE_DEVICE, RESOURCE_HOST,   RESOURCE_DATA,
                                          RESOURCE_COPIES, RESOURCE_STALLS, RESOURCE_START};
    const uint32_t count = t->job->ranks.count;
    enum resource most = RESOURCE_DEVICE;
    double most_ns = 0;
    for (size_t i = 0; i < sizeof could / sizeof *could; i++) {
        double mean_ns = 0;
        for (uint32_t other = 0; other < count; other++)
            mean_ns += time_of(t, other, could[i]) / count;
        if (time_of(t, r, could[i]) - mean_ns > most_ns) {
            most_ns = time_of(t, r, could[i]) - mean_ns;
            most = could[i];
        }
    }
    return most;
}

/* A resource of a rank takes a part of its time: between the nearest two of its experiments. */
static struct response_blend at_part(const struct trial *t, uint32_t r, enum resource resource, double part)
{
    const uint32_t none = run_of(t->of[r], resource, true), half = run_of(t->of[r], resource, false);
    if (!half)
        return (struct response_blend){none, 0, part};
    return part < 0.5 ? (struct response_blend){none, half, part / 0.5}
                      : (struct response_blend){half, 0, (part - 0.5) / 0.5};
}

/* A rank that does in a step by itself what takes so long, by one resource alone. */
static struct response_blend paced(const struct trial *t, uint32_t r, enum resource resource, double wanted_ns)
{
    const double less_ns = ranks_own_ns(t->job->ranks.at[r]) - wanted_ns, takes_ns = time_of(t, r, resource);
    return takes_ns <= 0 ? (struct response_blend){0}
                         : at_part(t, r, resource, less_ns >= takes_ns ? 0 : 1 - less_ns / takes_ns);
}

/* The longest stage as long as the middle of the others. */
static int64_t saved_by_longest(struct trial *t)
{
    const struct rank_stages *stages = &t->job->ranks.stages;
    for (uint32_t r = 0; r < t->job->ranks.count; r++) {
        const bool longer =
            stages->of_rank[r] == stages->longest && ranks_own_ns(t->job->ranks.at[r]) > stages->middle_ns;
        t->blend[r] = longer ? paced(t, r, more_of(t, r), stages->middle_ns) : (struct response_blend){0};
    }
    run(t, NO_RANK, t->later_ns);
    return larger_of(saving(t, t->plain_ns), 0);
}

/* All stages as long as their mean, by what the longest has more of. */
static int64_t saved_by_even(struct trial *t)
{
    const struct rank_stages *stages = &t->job->ranks.stages;
    const enum resource work = more_of(t, stages->rank);
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        t->blend[r] = paced(t, r, work, stages->mean_ns);
    run(t, NO_RANK, t->later_ns);
    return larger_of(saving(t, t->plain_ns), 0);
}

static double a_step(const struct job *job, int64_t ns)
{
    return job->verdict.steps ? (double)ns / job->verdict.steps : 0;
}

void job_replay_named(const struct job_rank *ranks, struct job *job)
{
    struct arena scratch = {0};
    struct rank_stages *stages = &job->ranks.stages;
    struct trial t;
    if (!stages->stands_out && !job->ranks.link.found)
        return;
    open_trial(&t, ranks, job, &scratch);
    if (job->ranks.link.found)
        job->link_saves_ns = saved_without_link(&t);
    if (stages->stands_out) {
        job->stage_saves_ns = saved_by_longest(&t);
        stages->saving_ns = a_step(job, saved_by_even(&t));
        job->ranks.accounts[stages->rank].saving_ns =
            sum_rounded(a_step(job, job->stage_saves_ns) * job->ranks.at[stages->rank]->steps);
    }
    arena_free(&scratch);
}
