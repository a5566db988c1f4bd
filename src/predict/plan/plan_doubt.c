/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_doubt.h"

#include "walk.h"

static bool doubtful(const struct plan_launch *launch)
{
    return launch->basis != TIMED_RECORDED;
}

void plan_doubt_op(const struct plan *plan, const struct plan_op *op, struct estimate_sum *sum)
{
    for (uint32_t i = 0; i < op->launches && !op->gone; i++) {
        const struct plan_launch *launch = &plan->launches[op->first_launch + i];
        if (!launch->gone && doubtful(launch))
            estimate_sum_add(sum, &launch->estimate, launch->us);
    }
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

/* ---- the walk at the ends ---- */

static void scale_work(struct plan *plan, double factor)
{
    for (uint32_t i = 0; i < plan->launch_count; i++)
        plan->launches[i].us *= doubtful(&plan->launches[i]) ? factor : 1;
}

bool walk_scaled_us(struct plan *plan, double work, double host, double *step_us, struct steptime_error *err)
{
    scale_work(plan, work);
    plan_scale_host(plan, host);
    const bool good = walk_step_us(plan, step_us, err);
    scale_work(plan, 1 / work);
    plan_scale_host(plan, 1 / host);
    return good;
}
