/* SPDX-License-Identifier: Apache-2.0 */
/* How far off a plan may be: the doubt of its device work, and what the walk takes at the ends of it. */
#ifndef PREDICT_PLAN_DOUBT_H
#define PREDICT_PLAN_DOUBT_H

#include "model/estimate/interval.h"
#include "plan.h"

/* All work that is there and does not take what was recorded, as a sum of estimates. */
void plan_doubt(const struct plan *plan, struct estimate_sum *sum);

/* Of it what is of the step as a whole: a step of training that was never timed is no sum of kernels that run by themselves. */
double plan_whole_doubt(const struct plan *plan);

/* The same of the launches of one operator; more may be added to the same sum. */
void plan_doubt_op(const struct plan *plan, const struct plan_op *op, struct estimate_sum *sum);

/* The same of collectives alone, or of all other work, with what is of the step as a whole. */
void plan_doubt_part(const struct plan *plan, bool collectives, struct estimate_sum *sum);

bool plan_is_collective(const struct plan_launch *launch);

/* A launch's time without what it waits for stages of a pipeline. */
double plan_launch_us(const struct plan *plan, uint32_t launch);

/* So many times as long as planned take, of what is not recorded, work and collectives, and the host. */
struct plan_scale {
    double work, collectives, host;
};

bool walk_scaled_us(struct plan *plan, struct plan_scale scale, double *step_us, struct steptime_error *err);

#endif
