/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of jobs. The six case studies are those of Wang et al. 2019, tables IV and V; their times are what the
 * equations give for them on the paper's base configuration.
 */
#include "cmocka_first.h"

#include <math.h>

#include "fleet/step.h"

/* ---- jobs ---- */

static struct job job_of(enum architecture architecture, double cnodes)
{
    struct job job = {.architecture = architecture};
    for (int i = 0; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    job.field[JOB_CNODES] = cnodes;
    return job;
}

static struct job study(enum architecture architecture, double cnodes, double flops, double memory, double input,
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

static struct job multi_interests(void)
{
    return study(ARCHITECTURE_PS_WORKER, 16, 105.8e9, 100.4e9, 261e6, 122e6);
}

static struct job resnet50(void)
{
    return study(ARCHITECTURE_ALLREDUCE_LOCAL, 8, 1.56e12, 31.9e9, 38e6, 357e6);
}

static struct job nmt(void)
{
    return study(ARCHITECTURE_ALLREDUCE_LOCAL, 8, 2.5e12, 101.6e9, 22e3, 1.33e9);
}

static struct job bert(void)
{
    return study(ARCHITECTURE_ALLREDUCE_LOCAL, 8, 2.1e12, 107.3e9, 46e3, 1.5e9);
}

static struct job speech(void)
{
    return study(ARCHITECTURE_1W1G, 1, 7.9e12, 20.4e9, 804e6, 728e6);
}

static struct job gcn(void)
{
    return study(ARCHITECTURE_PEARL, 8, 330.7e9, 25.79e9, 1.2e6, 3e9);
}

/* ---- the paper ---- */

static void near(double got, double wanted, double most)
{
    if (!(fabs(got - wanted) <= most))
        fail_msg("%.9g, not %.9g", got, wanted);
}

static void takes(struct job job, double input, double compute, double memory, double weight, double step)
{
    const struct cluster paper = cluster_paper();
    const struct job_step got = job_step(&job, &paper);
    near(got.ms[PART_INPUT], input, 0.01);
    near(got.ms[PART_COMPUTE_BOUND], compute, 0.01);
    near(got.ms[PART_MEMORY_BOUND], memory, 0.01);
    near(got.ms[PART_WEIGHT], weight, 0.01);
    near(got.step_ms, step, 0.01);
}

static void the_six_case_studies_take_what_the_equations_say(void **state)
{
    takes(multi_interests(), 37.29, 13.74, 143.43, 73.20, 267.65);
    takes(resnet50(), 5.43, 202.60, 45.57, 10.20, 263.80);
    takes(nmt(), 0.00, 324.68, 145.14, 38.00, 507.82);
    takes(bert(), 0.01, 272.73, 153.29, 42.86, 468.88);
    takes(speech(), 114.86, 1025.97, 29.14, 0, 1169.97);
    takes(gcn(), 0.17, 42.95, 36.84, 85.71, 165.68);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_six_case_studies_take_what_the_equations_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
