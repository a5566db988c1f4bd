/* SPDX-License-Identifier: Apache-2.0 */
#include "goodput.h"

/* As the table tells it, or the steps that were kept times what one takes; over the time of the job. */
static double productive(const struct job *job)
{
    const double steps_s = job->field[JOB_STEPS] * job->field[JOB_MEASURED_MS] / 1e3;
    const double duration_s = job->field[JOB_DURATION_S];
    return duration_s > 0 ? job_figure(job, JOB_PRODUCTIVE_S, steps_s) / duration_s : NAN;
}

struct goodput job_goodput(const struct job *job, const struct cluster *cluster)
{
    const double measured_s = job->field[JOB_MEASURED_MS] / 1e3;
    const double arithmetic_s = job->field[JOB_FLOPS] / cluster->rate[RESOURCE_FLOPS];
    const double memory_s = job->field[JOB_MEMORY_BYTES] / cluster->rate[RESOURCE_MEMORY];
    const bool measured = measured_s > 0;
    return (struct goodput){
        .mfu = measured ? arithmetic_s / measured_s : NAN,
        .program = measured ? fmax(arithmetic_s, memory_s) / measured_s : NAN,
        .productive = productive(job),
    };
}
