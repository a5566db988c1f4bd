/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments.h"

#include "base/order.h"
#include "base/sum.h"
#include "breakdown/ranks/ranks_stages.h"
#include "lines_answers.h"

/* Each resource at none and at half, and at none beside the late rank; and what nothing is changed in, with and without that. */
enum { TRIALS_MOST = 3 * RESOURCES + 2, NOT_TRIED = -1 };

struct trials {
    const struct job_rank *ranks;
    const struct job *job;
    const struct responses **of;
    struct answer_trial at[TRIALS_MOST];
    uint32_t count;
    struct arena *arena;
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

static bool has_run(const struct trials *t, enum resource resource, bool removed)
{
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        if (answers_run_of(t->of[r], resource, removed))
            return true;
    return false;
}

static int64_t saves_alone(const struct verdict *verdict, enum resource resource, bool removed)
{
    return resource == RESOURCE_NONE ? 0 : removed ? verdict->removed_ns[resource] : verdict->saved_ns[resource];
}

/* Its number. */
static int add_trial(struct trials *t, struct answer_trial trial)
{
    trial.longer_ns = arena_array(t->arena, t->job->ranks.count, sizeof *trial.longer_ns);
    t->at[t->count] = trial;
    return (int)t->count++;
}

/* The same; NOT_TRIED where no rank has such an experiment. */
static int add(struct trials *t, enum resource resource, bool removed, uint32_t late)
{
    if (resource != RESOURCE_NONE && !has_run(t, resource, removed))
        return NOT_TRIED;
    return add_trial(t, (struct answer_trial){.resource = resource, .removed = removed, .late = late});
}

static void run_all(struct trials *t)
{
    struct answers *answers = lines_answers_new(&t->job->lines, t->of, t->arena);
    lines_answers_run(answers, t->at, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t r = 0; r < t->job->ranks.count; r++)
            if (is_by_itself(&t->ranks[r]))
                t->at[i].longer_ns[r] = -saves_alone(t->ranks[r].verdict, t->at[i].resource, t->at[i].removed);
}

/* Of all ranks together, less than in another. */
static int64_t saving(const struct trials *t, int trial, int than)
{
    int64_t saved = 0;
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        sum_to(&saved, t->at[than].longer_ns[r] - t->at[trial].longer_ns[r]);
    return larger_of(saved, 0);
}

static int64_t saved_by(const struct trials *t, int trial, enum resource resource, bool removed, int plain)
{
    int64_t saved = 0;
    if (trial != NOT_TRIED)
        return saving(t, trial, plain);
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        if (is_by_itself(&t->ranks[r]))
            sum_to(&saved, saves_alone(t->ranks[r].verdict, resource, removed));
    return saved;
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
static void take_error(const struct trials *t, int plain, struct verdict *verdict)
{
    for (uint32_t r = 0; r < t->job->ranks.count; r++) {
        const int64_t error_ns = t->at[plain].longer_ns[r];
        sum_to(&verdict->job_error_ns, error_ns < 0 ? -error_ns : error_ns);
    }
}

/* Which trial is which; NOT_TRIED. */
struct plan {
    int plain, punctual; /* nothing is changed; but that the late rank comes with the others */
    int removed[RESOURCES], halved[RESOURCES], beside_late[RESOURCES];
};

static struct plan plan(struct trials *t, uint32_t late)
{
    struct plan plan = {.plain = add(t, RESOURCE_NONE, false, NO_RANK), .punctual = NOT_TRIED};
    for (int r = 0; r < RESOURCE_NONE; r++) {
        plan.removed[r] = add(t, r, true, NO_RANK);
        plan.halved[r] = verdict_halves(r) ? add(t, r, false, NO_RANK) : NOT_TRIED;
    }
    if (late == RANK_NONE_LATE)
        return plan;
    plan.punctual = add(t, RESOURCE_NONE, false, late);
    for (int r = 0; r < RESOURCE_NONE; r++)
        plan.beside_late[r] = add(t, r, true, late);
    return plan;
}

/* What the late rank costs all; and what each resource would save beside that. */
static void take_late(const struct trials *t, const struct plan *plan, struct verdict *verdict)
{
    verdict->saved_ns[RESOURCE_LATENESS] = verdict->removed_ns[RESOURCE_LATENESS] =
        saving(t, plan->punctual, plan->plain);
    verdict->beside_late = true;
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (plan->beside_late[r] != NOT_TRIED)
            verdict->beside_late_ns[r] = saving(t, plan->beside_late[r], plan->punctual);
}

static void take(const struct trials *t, const struct plan *plan, struct verdict *verdict)
{
    take_error(t, plan->plain, verdict);
    for (int r = 0; r < RESOURCE_NONE; r++) {
        verdict->removed_ns[r] = saved_by(t, plan->removed[r], r, true, plan->plain);
        verdict->saved_ns[r] =
            verdict_halves(r) ? saved_by(t, plan->halved[r], r, false, plan->plain) : verdict->removed_ns[r];
    }
    if (plan->punctual != NOT_TRIED)
        take_late(t, plan, verdict);
}

/* ---- what is not known ---- */

/* What is waited in collectives of no match matters from this share of the steps on. */
static const double unmatched_least = 0.05;

/* How long a rank was in blocking collectives of the judged steps that were not matched: there it stays as recorded. */
static int64_t in_unmatched_ns(const struct trials *t, uint32_t r, uint32_t *count)
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
static void take_most(const struct trials *t, struct verdict *verdict)
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

/* ---- all experiments ---- */

static struct trials open_trials(const struct job_rank *ranks, const struct job *job, struct arena *arena)
{
    static const struct responses none = {.run_count = 1};
    const uint32_t count = job->ranks.count;
    struct trials t = {.ranks = ranks, .job = job, .of = arena_array(arena, count, sizeof *t.of), .arena = arena};
    for (uint32_t r = 0; r < count; r++)
        t.of[r] = is_by_itself(&ranks[r]) ? &none : ranks[r].responses;
    return t;
}

void job_replay_experiments(const struct job_rank *ranks, uint32_t late, struct job *job)
{
    struct arena scratch = {0};
    struct trials t = open_trials(ranks, job, &scratch);
    const struct plan all = plan(&t, late);
    add_up(ranks, job);
    run_all(&t);
    take(&t, &all, &job->verdict);
    take_most(&t, &job->verdict);
    arena_free(&scratch);
}

/* ---- the slow link ---- */

static int64_t without_link(const void *of, uint32_t meeting, int64_t ns)
{
    const struct trials *t = of;
    return smaller_of(ns, t->job->ranks.link.usual_ns[meeting]);
}

/* ---- stages of other lengths ---- */

static double time_of(const struct trials *t, uint32_t r, enum resource resource)
{
    const struct verdict *verdict = t->ranks[r].verdict;
    return verdict->steps ? (double)verdict->time_ns[resource] / verdict->steps : 0;
}

/* Of what a rank has most more than the mean of all. */
static enum resource more_of(const struct trials *t, uint32_t r)
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
static struct response_blend at_part(const struct trials *t, uint32_t r, enum resource resource, double part)
{
    const uint32_t none = answers_run_of(t->of[r], resource, true), half = answers_run_of(t->of[r], resource, false);
    if (!half)
        return (struct response_blend){none, 0, part};
    return part < 0.5 ? (struct response_blend){none, half, part / 0.5}
                      : (struct response_blend){half, 0, (part - 0.5) / 0.5};
}

/* A rank that does in a step by itself what takes so long, by one resource alone. */
static struct response_blend paced(const struct trials *t, uint32_t r, enum resource resource, double wanted_ns)
{
    const double less_ns = ranks_own_ns(t->job->ranks.at[r]) - wanted_ns, takes_ns = time_of(t, r, resource);
    return takes_ns <= 0 ? (struct response_blend){0}
                         : at_part(t, r, resource, less_ns >= takes_ns ? 0 : 1 - less_ns / takes_ns);
}

/* The longest stage as long as the middle of the others. */
static int add_longest(struct trials *t)
{
    const struct rank_stages *stages = &t->job->ranks.stages;
    struct response_blend *blend = arena_array(t->arena, t->job->ranks.count, sizeof *blend);
    for (uint32_t r = 0; r < t->job->ranks.count; r++) {
        const bool longer =
            stages->of_rank[r] == stages->longest && ranks_own_ns(t->job->ranks.at[r]) > stages->middle_ns;
        blend[r] = longer ? paced(t, r, more_of(t, r), stages->middle_ns) : (struct response_blend){0};
    }
    return add_trial(t, (struct answer_trial){.resource = RESOURCE_NONE, .late = NO_RANK, .blend = blend});
}

/* All stages as long as their mean, by what the longest has more of. */
static int add_even(struct trials *t)
{
    const struct rank_stages *stages = &t->job->ranks.stages;
    const enum resource work = more_of(t, stages->rank);
    struct response_blend *blend = arena_array(t->arena, t->job->ranks.count, sizeof *blend);
    for (uint32_t r = 0; r < t->job->ranks.count; r++)
        blend[r] = paced(t, r, work, stages->mean_ns);
    return add_trial(t, (struct answer_trial){.resource = RESOURCE_NONE, .late = NO_RANK, .blend = blend});
}

static double a_step(const struct job *job, int64_t ns)
{
    return job->verdict.steps ? (double)ns / job->verdict.steps : 0;
}

void job_replay_named(const struct job_rank *ranks, struct job *job)
{
    struct arena scratch = {0};
    struct rank_stages *stages = &job->ranks.stages;
    struct trials t = open_trials(ranks, job, &scratch);
    const bool link = job->ranks.link.found, stage = stages->stands_out;
    const int plain = add(&t, RESOURCE_NONE, false, NO_RANK);
    const int linked =
        link ? add_trial(&t,
                         (struct answer_trial){
                             .resource = RESOURCE_NONE, .late = NO_RANK, .transfer = without_link, .of = &t})
             : NOT_TRIED;
    const int longest = stage ? add_longest(&t) : NOT_TRIED, even = stage ? add_even(&t) : NOT_TRIED;
    if (link || stage)
        run_all(&t);
    if (link)
        job->link_saves_ns = saving(&t, linked, plain);
    if (stage) {
        job->stage_saves_ns = saving(&t, longest, plain);
        stages->saving_ns = a_step(job, saving(&t, even, plain));
        job->ranks.accounts[stages->rank].saving_ns =
            sum_rounded(a_step(job, job->stage_saves_ns) * job->ranks.at[stages->rank]->steps);
    }
    arena_free(&scratch);
}
