/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of one job at once. What a rank recorded of a collective is waiting
 * for the others and the transfer; walked together a collective begins with the
 * last rank and takes the least that any of them recorded, so the waiting follows
 * from the ranks. Each was predicted alone before; what those walks say of the
 * step and its tests is replaced where all of it can be, else nothing is.
 */
#include <math.h>

#include "predict/plan/meetings.h"
#include "predict_private.h"

struct job {
    const struct predict_source *sources;
    uint32_t ranks, steps;
    struct predict_asked asked;
    struct prediction *predictions;
};

/* ---- which inputs are a job ---- */

static bool same_steps(const struct predict_source *a, const struct predict_source *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->steps[i].number != b->steps[i].number)
            return false;
    return true;
}

enum { NOBODY = INT32_MAX }; /* no collective */

static int64_t fewest_to_come(const struct predict_source *source)
{
    int64_t fewest = NOBODY;
    for (uint32_t i = 0; i < source->count; i++)
        fewest = source->steps[i].fewest_met < fewest ? source->steps[i].fewest_met : fewest;
    return fewest;
}

enum job_kind predict_job_kind(const struct predict_source *sources, uint32_t ranks)
{
    bool same = true, here = false;
    for (uint32_t r = 0; r < ranks; r++) {
        const int64_t fewest = fewest_to_come(&sources[r]);
        if (fewest == NOBODY || sources[r].steps[0].wall_ns <= 0)
            return JOB_NONE;
        here = here || fewest <= ranks;
        same = same && same_steps(&sources[0], &sources[r]);
    }
    if (ranks < 2)
        return JOB_NONE;
    if (!here)
        return JOB_MISSING_RANKS;
    return !same ? JOB_OTHER_STEPS : sources[0].count < 2 ? JOB_LONE_STEP : JOB_SAME_STEPS;
}

/* ---- one step of all ranks ---- */

/* Of the program a walk needs who meets whom; who looks on sees all of it. */
static const struct program *meeting_part(const struct program *program, struct arena *arena)
{
    struct program *part = arena_alloc(arena, sizeof *part);
    struct collective *collectives = arena_array(arena, program->collective_count, sizeof *collectives);
    struct collective_group *groups = arena_array(arena, program->group_count, sizeof *groups);
    if (program->collective_count)
        memcpy(collectives, program->collectives, program->collective_count * sizeof *collectives);
    if (program->group_count)
        memcpy(groups, program->groups, program->group_count * sizeof *groups);
    *part = (struct program){
        .rank = program->rank,
        .world_size = program->world_size,
        .step = program->step,
        .origin_ns = program->origin_ns,
        .dated = program->dated,
        .collectives = collectives,
        .collective_count = program->collective_count,
        .groups = groups,
        .group_count = program->group_count,
    };
    return part;
}

/* What the host is taken to cost: by rank as given; else as the rank's step so numbered alone cost it. */
struct host_costs {
    const struct overheads *const *of_ranks; /* NULL: of the step */
    uint32_t step;
};

static const struct overheads *costs_of_rank(const struct job *job, const struct host_costs *costs, uint32_t r,
                                             const struct program *program, uint32_t step, struct arena *arena)
{
    if (job->asked.plan.overheads)
        return job->asked.plan.overheads;
    if (costs->of_ranks)
        return costs->of_ranks[r];
    return costs->step == step ? overheads_of_program(program, arena)
                               : overheads_of_step(&job->sources[r], costs->step, arena);
}

/* The plan of one rank, in `arena`; its program only where somebody looks on. */
static const struct plan *plan_rank(const struct job *job, uint32_t r, uint32_t step, const struct host_costs *costs,
                                    struct arena *arena, struct steptime_error *err)
{
    struct arena own = {0};
    struct program *program = arena_alloc(&own, sizeof *program);
    *program = predict_source_step(&job->sources[r], step, &own);
    struct plan_options options = job->asked.plan;
    struct plan *plan = arena_alloc(arena, sizeof *plan);
    options.overheads = costs_of_rank(job, costs, r, program, step, &own);
    const bool good = plan_of(program, &options, arena, plan, err) &&
                      (!job->asked.change || job->asked.change(job->asked.context, plan, arena, err));
    if (job->asked.seen)
        arena_adopt(arena, &own);
    else
        plan->program = meeting_part(program, arena);
    arena_free(&own);
    return good ? plan : NULL;
}

/* `walked` by rank. */
static bool walk_step(const struct job *job, uint32_t step, const struct host_costs *costs, struct arena *scratch,
                      struct walked *walked, struct steptime_error *err)
{
    const struct plan **plans = arena_array(scratch, job->ranks, sizeof *plans);
    for (uint32_t r = 0; r < job->ranks; r++)
        if (!(plans[r] = plan_rank(job, r, step, costs, scratch, err)))
            return false;
    if (!walk_ranks(plans, job->ranks, scratch, walked, err))
        return false;
    for (uint32_t r = 0; r < job->ranks; r++)
        predict_tell(&job->asked, &(struct predict_seen){job->sources[r].rank, job->steps, true, plans[r], &walked[r]});
    return true;
}

/* `walked` by step and rank. */
static bool walk_steps(const struct job *job, const struct host_costs *costs, struct walked *walked,
                       struct steptime_error *err)
{
    bool good = true;
    for (uint32_t i = 0; i < job->steps && good; i++) {
        struct arena scratch = {0};
        good = walk_step(job, i, costs, &scratch, &walked[i * job->ranks], err);
        arena_free(&scratch);
    }
    return good;
}

/* ---- a step from the step beside it ---- */

static bool walk_beside(const struct job *tested, uint32_t to, struct walked *walked, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct job unseen = *tested;
    unseen.asked.seen = NULL;
    const uint32_t from = to ? to - 1 : 1;
    const struct host_costs costs = {.step = from};
    const bool good = walk_step(&unseen, unseen.asked.plan.replay ? from : to, &costs, &scratch, walked, err);
    arena_free(&scratch);
    return good;
}

/* Nobody has measured what a question asks. */
static bool walk_tests(const struct job *job, struct walked *walked, struct steptime_error *err)
{
    bool good = true;
    for (uint32_t i = 0; i < job->steps && good && !job->asked.change; i++)
        good = walk_beside(job, i, &walked[i * job->ranks], err);
    return good;
}

/* ---- in place of each rank alone ---- */

static void take_step(const struct job *job, uint32_t r, uint32_t step, const struct walked *walked)
{
    struct prediction *into = &job->predictions[r];
    const double share = 1.0 / job->steps;
    add_walked(&into->walked, walked, share);
    range_moved(&into->steps[step].range, into->steps[step].step_us, walked->step_us);
    into->steps[step].step_us = walked->step_us;
    into->steps[step].active_us = walked->active_us;
}

static void take_test(const struct job *job, uint32_t r, uint32_t step, const struct walked *walked)
{
    struct prediction *into = &job->predictions[r];
    if (!into->tests)
        return;
    const double error = walked->step_us / into->steps[step].finished_us - 1;
    into->steps[step].from_beside_us = walked->step_us;
    into->error += fabs(error) / job->steps;
    into->bias += error / job->steps;
}

static void open_rank(struct prediction *into)
{
    into->alone_us = into->walked.step_us;
    into->together = true;
    into->walked = (struct walked){0};
    into->host_share = 0; /* each rank has its own, and they are walked as one */
    into->unprofiled_us = into->error = into->bias = 0;
}

static void take(const struct job *job, const struct walked *as_is, const struct walked *unprofiled,
                 const struct walked *tests)
{
    for (uint32_t r = 0; r < job->ranks; r++) {
        open_rank(&job->predictions[r]);
        for (uint32_t i = 0; i < job->steps; i++) {
            const uint32_t at = i * job->ranks + r;
            take_step(job, r, i, &as_is[at]);
            take_test(job, r, i, &tests[at]);
            job->predictions[r].unprofiled_us += unprofiled[at].step_us / job->steps;
        }
        range_prediction(&job->asked, &job->predictions[r]);
    }
}

static const struct overheads *const *overheads_of_ranks(const struct job *job, struct arena *arena)
{
    const struct overheads **overheads = arena_array(arena, job->ranks, sizeof *overheads);
    for (uint32_t r = 0; r < job->ranks; r++)
        overheads[r] =
            job->asked.plan.overheads ? job->asked.plan.overheads : overheads_of_steps(&job->sources[r], arena);
    return overheads;
}

bool predict_together(const struct predict_source *sources, uint32_t ranks, const struct predict_asked *asked,
                      struct prediction *predictions, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct job job = {sources, ranks, sources[0].count, *asked, predictions}, without = job;
    without.asked.plan.with_profiler = false;
    without.asked.seen = NULL;
    const size_t count = (size_t)ranks * job.steps;
    struct walked *as_is = arena_array(&scratch, count, sizeof *as_is);
    struct walked *unprofiled = arena_array(&scratch, count, sizeof *unprofiled);
    struct walked *tests = arena_array(&scratch, count, sizeof *tests);
    const struct host_costs costs = {.of_ranks = overheads_of_ranks(&job, &scratch)};
    const bool good = walk_steps(&job, &costs, as_is, err) &&
                      (job.asked.only_steps || walk_steps(&without, &costs, unprofiled, err)) &&
                      walk_tests(&job, tests, err);
    if (good)
        take(&job, as_is, unprofiled, tests);
    arena_free(&scratch);
    return good;
}
