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
        if (a->steps[i].step != b->steps[i].step)
            return false;
    return true;
}

enum { NOBODY = INT32_MAX }; /* no collective */

/* How many ranks come to a collective, where the fewest do. */
static int64_t fewest_in_step(const struct program *program)
{
    int64_t fewest = NOBODY;
    for (uint32_t i = 0; i < program->launch_count; i++) {
        const uint32_t at = program->launches[i].collective;
        if (at >= program->collective_count ||
            !collective_is_blocking((enum collective_kind)program->collectives[at].kind))
            continue;
        const int64_t size = meeting_size(program, &program->collectives[at]);
        fewest = size < fewest ? size : fewest;
    }
    return fewest;
}

static int64_t fewest_to_come(const struct predict_source *source)
{
    int64_t fewest = NOBODY;
    for (uint32_t i = 0; i < source->count; i++) {
        const int64_t in_step = fewest_in_step(&source->steps[i]);
        fewest = in_step < fewest ? in_step : fewest;
    }
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

/* `overheads` and `walked` by rank. */
static bool walk_step(const struct job *job, uint32_t step, const struct overheads *const *overheads,
                      struct arena *scratch, struct walked *walked, struct steptime_error *err)
{
    const struct plan **plans = arena_array(scratch, job->ranks, sizeof *plans);
    for (uint32_t r = 0; r < job->ranks; r++) {
        struct plan_options options = job->asked.plan;
        struct plan *plan = arena_alloc(scratch, sizeof *plan);
        options.overheads = overheads[r];
        if (!plan_of(&job->sources[r].steps[step], &options, scratch, plan, err) ||
            (job->asked.change && !job->asked.change(job->asked.context, plan, scratch, err)))
            return false;
        plans[r] = plan;
    }
    if (!walk_ranks(plans, job->ranks, scratch, walked, err))
        return false;
    for (uint32_t r = 0; r < job->ranks; r++)
        predict_tell(&job->asked, &(struct predict_seen){job->sources[r].rank, job->steps, true, plans[r], &walked[r]});
    return true;
}

/* `walked` by step and rank. */
static bool walk_steps(const struct job *job, const struct overheads *const *overheads, struct walked *walked,
                       struct steptime_error *err)
{
    bool good = true;
    for (uint32_t i = 0; i < job->steps && good; i++) {
        struct arena scratch = {0};
        good = walk_step(job, i, overheads, &scratch, &walked[i * job->ranks], err);
        arena_free(&scratch);
    }
    return good;
}

/* ---- a step from the step beside it ---- */

static bool walk_beside(const struct job *tested, uint32_t to, struct walked *walked, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct job unseen = *tested, *job = &unseen;
    job->asked.seen = NULL;
    const uint32_t from = to ? to - 1 : 1;
    const struct overheads **overheads = arena_array(&scratch, job->ranks, sizeof *overheads);
    for (uint32_t r = 0; r < job->ranks; r++)
        overheads[r] = job->asked.plan.overheads ? job->asked.plan.overheads
                                                 : overheads_of_step(&job->sources[r].steps[from], &scratch);
    const bool good = walk_step(job, job->asked.plan.replay ? from : to, overheads, &scratch, walked, err);
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
    const struct overheads *const *overheads = overheads_of_ranks(&job, &scratch);
    const bool good = walk_steps(&job, overheads, as_is, err) && walk_steps(&without, overheads, unprofiled, err) &&
                      walk_tests(&job, tests, err);
    if (good)
        take(&job, as_is, unprofiled, tests);
    arena_free(&scratch);
    return good;
}

/* ---- walks alone ---- */

static bool walk_alone(const struct job *job, uint32_t r, const struct overheads *overheads, struct walked *mean,
                       struct steptime_error *err)
{
    const struct predict_source *source = &job->sources[r];
    bool good = true;
    for (uint32_t i = 0; i < source->count && good; i++) {
        struct arena scratch = {0};
        struct plan plan;
        struct walked walked;
        good = predict_program(&source->steps[i], &job->asked, overheads, &scratch, &plan, &walked, err);
        if (good)
            add_walked(mean, &walked, 1.0 / source->count);
        arena_free(&scratch);
    }
    return good;
}

bool predict_walks(const struct predict_source *sources, uint32_t count, const struct predict_asked *asked,
                   struct walked *walked, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct job job = {.sources = sources, .ranks = count, .steps = sources[0].count, .asked = *asked};
    const struct overheads *const *overheads = overheads_of_ranks(&job, &scratch);
    struct walked *steps = arena_array(&scratch, (size_t)count * job.steps, sizeof *steps);
    const bool together =
        predict_job_kind(sources, count) == JOB_SAME_STEPS && walk_steps(&job, overheads, steps, NULL);
    bool good = true;
    for (uint32_t r = 0; r < count && good; r++) {
        walked[r] = (struct walked){0};
        for (uint32_t i = 0; together && i < job.steps; i++)
            add_walked(&walked[r], &steps[(size_t)i * count + r], 1.0 / job.steps);
        good = together || walk_alone(&job, r, overheads[r], &walked[r], err);
    }
    arena_free(&scratch);
    return good;
}
