/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/goodput.h"

struct goodput job_goodput(const struct job *job, const struct cluster *cluster)
{
    const double measured_s = job->field[JOB_MEASURED_MS] / 1e3;
    const double arithmetic_s = job->field[JOB_FLOPS] / cluster->rate[RESOURCE_FLOPS];
    const double memory_s = job->field[JOB_MEMORY_BYTES] / cluster->rate[RESOURCE_MEMORY];
    if (!(measured_s > 0))
        return (struct goodput){NAN, NAN};
    return (struct goodput){
        .mfu = arithmetic_s / measured_s,
        .program = fmax(arithmetic_s, memory_s) / measured_s,
    };
}
