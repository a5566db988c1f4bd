/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and clusters whose steps are known: the case studies of Wang et al. 2019, and a cluster of today. */
#ifndef FLEET_STEP_CASE_H
#define FLEET_STEP_CASE_H

#include "unit/cmocka_first.h"

#include <math.h>

#include "fleet/step/step.h"

static inline struct job job_of(enum architecture architecture, double cnodes)
{
    struct job job = {.architecture = architecture};
    for (int i = 0; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    job.field[JOB_CNODES] = cnodes;
    return job;
}

static inline struct job study(enum architecture architecture, double cnodes, double flops, double memory, double input,
                               double weight)
{
    struct job job = job_of(architecture, cnodes);
    job.field[JOB_FLOPS] = flops;
    job.field[JOB_MEMORY_BYTES] = memory;
    job.field[JOB_INPUT_BYTES] = input;
    job.field[JOB_WEIGHT_BYTES] = weight;
    assert_null(job_problem(&job));
    return job;
}

static inline struct job multi_interests(void)
{
    return study(ARCHITECTURE_PS_WORKER, 16, 105.8e9, 100.4e9, 261e6, 122e6);
}

static inline struct job resnet50(void)
{
    return study(ARCHITECTURE_ALLREDUCE_LOCAL, 8, 1.56e12, 31.9e9, 38e6, 357e6);
}

static inline struct job nmt(void)
{
    return study(ARCHITECTURE_ALLREDUCE_LOCAL, 8, 2.5e12, 101.6e9, 22e3, 1.33e9);
}

static inline struct job bert(void)
{
    return study(ARCHITECTURE_ALLREDUCE_LOCAL, 8, 2.1e12, 107.3e9, 46e3, 1.5e9);
}

static inline struct job speech(void)
{
    return study(ARCHITECTURE_1W1G, 1, 7.9e12, 20.4e9, 804e6, 728e6);
}

static inline struct job gcn(void)
{
    return study(ARCHITECTURE_PEARL, 8, 330.7e9, 25.79e9, 1.2e6, 3e9);
}

/* ---- the paper ---- */

static inline void near(double got, double wanted, double most)
{
    if (!(fabs(got - wanted) <= most))
        fail_msg("%.9g, not %.9g", got, wanted);
}

static inline struct cluster wide(void)
{
    struct cluster cluster = cluster_paper();
    for (int r = 0; r < RESOURCES; r++)
        cluster.efficiency[r] = 1;
    cluster.rate[RESOURCE_GPU_LINK] = 400e9;
    cluster.rate[RESOURCE_NETWORK] = 100e9;
    cluster.duplex = true;
    return cluster;
}

static inline struct job today(enum architecture architecture, double cnodes, double weight_bytes)
{
    return study(architecture, cnodes, 0, 0, 0, weight_bytes);
}

#endif
