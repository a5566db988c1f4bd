/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_doubt.h"

#include "walk.h"

static bool doubtful(const struct plan_launch *launch)
{
    return launch->basis != TIMED_RECORDED;
}

bool plan_is_collective(const struct plan_launch *launch)
{
    return !launch->gone && launch->has_kernel && launch->kernel.form == FORM_COLLECTIVE;
}

/* Of a launch's time what waits for the stages of a pipeline behind it. */
static double *waiting_in(struct plan *plan, uint32_t launch)
{
    return plan->waiting == launch ? &plan->waiting_us : NULL;
}

double plan_launch_us(const struct plan *plan, uint32_t launch)
{
    return plan->launches[launch].us - (plan->waiting == launch ? plan->waiting_us : 0);
}

static void add_doubt(const struct plan *plan, uint32_t at, struct estimate_sum *sum)
{
    const struct plan_launch *const launch = &plan->launches[at];
    if (!launch->gone && doubtful(launch))
        estimate_sum_add(sum, &launch->estimate, plan_launch_us(plan, at));
}

void plan_doubt_op(const struct plan *plan, const struct plan_op *op, struct estimate_sum *sum)
{
    for (uint32_t i = 0; i < op->launches && !op->gone; i++)
        add_doubt(plan, op->first_launch + i, sum);
}

/*
 * Of which nothing was timed: each kernel is estimated as if it ran by itself, whatever names it, a table of operators or the
 * script's own code. Steps of training take longer than that sum on some devices.
 */
static bool is_supposed_training(const struct program *program)
{
    const bool supposed = program->source == PROGRAM_LIST || program->source == PROGRAM_EXECUTION;
    for (uint32_t i = 0; supposed && i < program->count; i++)
        if (program->ops[i].phase == PHASE_BACKWARD)
            return true;
    return false;
}

double plan_whole_doubt(const struct plan *plan)
{
    return is_supposed_training(plan->program) ? training_doubt : 0;
}

void plan_doubt(const struct plan *plan, struct estimate_sum *sum)
{
    sum->whole = plan_whole_doubt(plan);
    for (uint32_t i = 0; i < plan->count; i++)
        plan_doubt_op(plan, &plan->ops[i], sum);
}

void plan_doubt_part(const struct plan *plan, bool collectives, struct estimate_sum *sum)
{
    sum->whole = collectives ? 0 : plan_whole_doubt(plan);
    for (uint32_t i = 0; i < plan->count; i++)
        for (uint32_t k = 0; k < plan->ops[i].launches && !plan->ops[i].gone; k++)
            if (plan_is_collective(&plan->launches[plan->ops[i].first_launch + k]) == collectives)
                add_doubt(plan, plan->ops[i].first_launch + k, sum);
}

/* ---- the walk at the ends ---- */

/* Waiting for other stages is their work. */
static void scale_launch(struct plan *plan, uint32_t at, double work, double collectives)
{
    struct plan_launch *const launch = &plan->launches[at];
    double *const waiting_us = waiting_in(plan, at);
    if (!doubtful(launch))
        return;
    launch->us = plan_launch_us(plan, at) * (plan_is_collective(launch) ? collectives : work);
    if (waiting_us) {
        *waiting_us *= work;
        launch->us += *waiting_us;
    }
}

static void scale_work(struct plan *plan, double work, double collectives)
{
    for (uint32_t i = 0; i < plan->launch_count; i++)
        scale_launch(plan, i, work, collectives);
}

bool walk_scaled_us(struct plan *plan, struct plan_scale scale, double *step_us, struct steptime_error *err)
{
    scale_work(plan, scale.work, scale.collectives);
    plan_scale_host(plan, scale.host);
    const bool good = walk_step_us(plan, step_us, err);
    scale_work(plan, 1 / scale.work, 1 / scale.collectives);
    plan_scale_host(plan, 1 / scale.host);
    return good;
}
