/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "base/order.h"
#include "base/sum.h"
#include "breakdown/holdup/holdup.h"
#include "experiments.h"
#include "late_steps.h"
#include "lateness.h"
#include "link.h"

/* ---- one rank ---- */

void job_numbers_of(const struct trace *trace, const struct selection *selection, struct arena *arena,
                    struct job_numbers *out)
{
    struct arena scratch = {0};
    struct judged_rows rows = rows_judge(trace, &scratch);
    struct graph *graph = graph_new_phased(trace, rows.classes, rows.phases);
    rank_run_judged(trace, rows.classes, rows.phases, selection, arena, &out->numbers);
    const struct collective_rows collectives = rank_collectives(&out->numbers);
    rows.collectives = &collectives;
    struct lab *lab = lab_open_sampled(trace, graph, &rows, selection, &scratch);
    verdict_run(lab, &out->verdict);
    responses_of_all(lab, graph, &rows, selection, arena, &out->responses);
    const bool kernels = verdict_worth(&out->verdict, RESOURCE_DEVICE); /* as `summary` keeps them */
    out->holdups = holdups_run(lab, rows.phases, kernels, arena);
    strip_of(graph, &rows, selection, &out->numbers, arena, &out->strip);
    out->kernels = kernel_times_of(trace, rows.classes, selection, arena);
    lab_close(lab);
    graph_free(graph);
    arena_free(&scratch);
}

struct job_rank job_rank_of(const struct job_numbers *numbers)
{
    return (struct job_rank){&numbers->numbers, &numbers->verdict, &numbers->holdups, &numbers->strip,
                             &numbers->responses};
}

/* ---- all ranks ---- */

double job_late_per_step_ns(const struct job *job)
{
    return job->late == RANK_NONE_LATE
               ? 0
               : rank_per_compared(&job->ranks, job->late, job->ranks.accounts[job->late].late_ns);
}

double job_saving_per_step_ns(const struct job *job)
{
    return job->late == RANK_NONE_LATE
               ? 0
               : rank_per_compared(&job->ranks, job->late, job->ranks.accounts[job->late].saving_ns);
}

static void leave_out(int64_t *saved_ns, int64_t waited_ns)
{
    *saved_ns = *saved_ns > waited_ns ? *saved_ns - waited_ns : 0;
}

/* The verdict of a rank with its communication as transfer alone. */
static struct verdict without_waiting(const struct verdict *verdict, const struct ranks *ranks, uint32_t r)
{
    struct verdict out = *verdict;
    out.rank = ranks->at[r]->rank;
    const int64_t waited_ns = sum_rounded(rank_per_compared(ranks, r, ranks->accounts[r].waited_ns) * verdict->steps);
    leave_out(&out.removed_ns[RESOURCE_COMMUNICATION], waited_ns);
    leave_out(&out.saved_ns[RESOURCE_COMMUNICATION], waited_ns);
    return out;
}

/* Every rank gains what the late one saves: they all wait for it. */
static void add_lateness(struct job *job)
{
    struct verdict *verdict = &job->verdict;
    const int64_t saved = sum_rounded(job_saving_per_step_ns(job) * verdict->steps);
    verdict->saved_ns[RESOURCE_LATENESS] = verdict->removed_ns[RESOURCE_LATENESS] =
        saved < verdict->step_ns ? saved : verdict->step_ns;
}

/* Each rank by itself. */
static void add_verdicts(const struct job_rank *ranks, struct job *job)
{
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        const struct verdict own = without_waiting(ranks[r].verdict, &job->ranks, r);
        verdict_add(&job->verdict, &own);
    }
    job->verdict.over = job->ranks.count > 1 ? VERDICT_OF_RANKS : VERDICT_OF_RANK;
    if (job->late != RANK_NONE_LATE)
        add_lateness(job);
}

/*
 * Where events are missing, or a rank ends early, what waits for nothing that is known stays as recorded: then a replay does
 * not find what the collectives say was lost for the late rank.
 */
static bool misses_lateness(const struct job *job)
{
    const double expected = job_saving_per_step_ns(job) * job->verdict.steps;
    return job->late != RANK_NONE_LATE && !job->ranks.stages.stands_out &&
           2 * (double)job->verdict.removed_ns[RESOURCE_LATENESS] < expected;
}

static bool is_short(const struct ranks *ranks, const struct meeting *meeting)
{
    const int64_t world = meeting->group->size ? 0 : ranks->at[0]->world_size;
    return collective_is_blocking(meeting->sample->of.kind) && larger_of(meeting->ranks, world) > meeting->count;
}

static enum verdict_unmet unmet_of(const struct ranks *ranks)
{
    if (ranks->count < 2)
        return UNMET_NONE;
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        if (is_short(ranks, &ranks->meetings[i]))
            return UNMET_SOME;
    if (ranks_are_undecided(ranks))
        return UNMET_SOME;
    return ranks->meeting_count ? UNMET_NONE : UNMET_ALL;
}

/* The longest stage is late in no collective: what it costs the replay says; without one its length does. */
static void judge(const struct job_rank *ranks, struct job *job)
{
    const bool replayed = job_can_replay(ranks, job);
    if (replayed) {
        job_replay_experiments(ranks, job->late, job);
        job_replay_named(ranks, job);
    }
    if (!replayed || misses_lateness(job)) {
        job->verdict = (struct verdict){0};
        add_verdicts(ranks, job);
    }
    job->verdict.unmet = unmet_of(&job->ranks);
    if (job->late == RANK_NONE_LATE)
        return;
    if (job->ranks.stages.stands_out)
        add_lateness(job);
    job->verdict.time_ns[RESOURCE_LATENESS] = sum_rounded(job_late_per_step_ns(job) * job->verdict.steps);
}

/*
 * A rank may be late for it had waited for another that is: then that one is it. Who is late is told by costs where they
 * can be had, but stages wait in sends and receives, and for a slow link nobody is late.
 */
static void find_culprit(struct job *job)
{
    const bool by_costs =
        job->lined && !job->ranks.stages.stands_out && !job->ranks.link.found && !ranks_are_undecided(&job->ranks);
    const uint32_t culprit = by_costs ? delays_culprit(&job->delays, job->ranks.count) : NO_RANK;
    if (culprit != NO_RANK && rank_is_late(&job->ranks, culprit))
        job->late = culprit;
}

/* Of a stage of a pipeline the steps are told already. */
static void find_steps(struct job *job)
{
    if (!job->lined || job->ranks.stages.stands_out)
        return;
    const struct late_steps steps = late_steps_of(job);
    if (!steps.count)
        return;
    job->ranks.accounts[job->late].late_steps = steps.count;
    job->ranks.accounts[job->late].late_every = steps.every;
}

/* Where the others are not seen to wait in all steps: no more than what the late rank did longer. */
static void bound_lateness(struct job *job)
{
    struct verdict *verdict = &job->verdict;
    double longer_ns = 0;
    for (uint32_t i = 0; i < job->cause_count; i++)
        longer_ns += job->causes[i].per_step_ns;
    const int64_t most_ns = sum_rounded(longer_ns * verdict->steps);
    verdict->most_ns[RESOURCE_LATENESS] = most_ns < verdict->step_ns ? most_ns : verdict->step_ns;
}

void job_of(const struct job_rank *ranks, uint32_t count, struct arena *arena, struct job *out)
{
    const struct rank_numbers **numbers = arena_array(arena, count, sizeof *numbers);
    for (uint32_t r = 0; r < count; r++)
        numbers[r] = ranks[r].numbers;
    *out = (struct job){.late = RANK_NONE_LATE, .link_saves_ns = -1, .stage_saves_ns = -1};
    ranks_merge(numbers, count, arena, &out->ranks);
    out->lined = count > 1 && lines_of(ranks, count, &out->ranks, arena, &out->lines);
    if (out->lined) {
        out->delays = delays_of(&out->lines, arena);
        out->across = across_of(&out->lines, arena);
    }
    out->late = ranks_verdict(&out->ranks, arena, &out->sentence);
    find_culprit(out);
    judge(ranks, out);
    if (out->late != RANK_NONE_LATE) {
        find_steps(out);
        lateness_explain(ranks, count, out);
        bound_lateness(out);
        out->sentence = lateness_say(out, arena);
    } else if (out->ranks.link.found) {
        link_explain(out, arena);
    }
}
