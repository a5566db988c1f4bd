/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the first stage of a pipeline waits for the others. Only that stage was run, so the others are taken to take as long
 * as it does: before the first gradient comes back, each of them has run one piece of the batch forth and back. Their hosts
 * are ahead of them as this one's is: what counts is what devices do.
 */
#include "plan_private.h"

static int64_t stages_of(const struct program *program)
{
    for (uint32_t i = 0; i < program->mark_count; i++)
        if (program->marks[i].kind == MARK_STAGES)
            return program->marks[i].what;
    return 0;
}

static bool receives(const struct program *program, const struct plan_launch *launch)
{
    const struct collective *const c =
        launch->collective < program->collective_count ? &program->collectives[launch->collective] : NULL;
    return c && c->kind == COLLECTIVE_POINT_TO_POINT && c->out_elements > 0;
}

static bool is_of_stage(const struct plan *plan, const struct plan_launch *launch)
{
    const uint32_t op = plan->ops[launch->op].op;
    return launch->work != WORK_COMMUNICATION && op != OP_NONE && plan->program->ops[op].phase != PHASE_OPTIMIZER;
}

void plan_pipeline(struct plan *plan)
{
    const int64_t stages = stages_of(plan->program);
    double work_us = 0;
    uint32_t pieces = 0;
    plan->waiting = PLAN_NONE;
    if (stages < 2)
        return;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct plan_launch *const launch = &plan->launches[i];
        work_us += is_of_stage(plan, launch) ? launch->us : 0;
        if (!receives(plan->program, launch))
            continue;
        plan->waiting = pieces ? plan->waiting : i;
        pieces++;
    }
    if (!pieces)
        return;
    plan->waiting_us = (double)(stages - 1) * work_us / pieces;
    plan->launches[plan->waiting].us += plan->waiting_us;
}
