/* SPDX-License-Identifier: Apache-2.0 */
/* What a job weighs in a population, in the order of enum weight. */
#ifndef FLEET_WEIGHTS_H
#define FLEET_WEIGHTS_H

#include "fleet/step/job.h"
#include "population.h"

/* 1, its cNodes, and its cNodes times its duration; without a duration times one step, without that nothing. */
static inline void weights_of_job(const struct job *job, double step_ms, double weight[WEIGHTS])
{
    const double cnodes = job->field[JOB_CNODES];
    weight[WEIGHT_JOB] = 1;
    weight[WEIGHT_GPU] = cnodes;
    weight[WEIGHT_GPU_TIME] = cnodes * job_figure(job, JOB_DURATION_S, isnan(step_ms) ? 0 : step_ms / 1e3);
}

static inline str weight_word(enum weight weight)
{
    return weight == WEIGHT_JOB ? S("job") : weight == WEIGHT_GPU ? S("gpu") : S("gpu_time");
}

#endif
