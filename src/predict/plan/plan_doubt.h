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

/* What a step takes where all that is not recorded takes `work` times as long, and the host `host` times. */
bool walk_scaled_us(struct plan *plan, double work, double host, double *step_us, struct steptime_error *err);

#endif
