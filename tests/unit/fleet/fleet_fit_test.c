/* SPDX-License-Identifier: Apache-2.0 */
/* Efficiencies that were planted are found again. */
#include "unit/cmocka_first.h"

#include <math.h>

#include "fleet/step/fit.h"
#include "fleet/step/goodput.h"

enum { JOBS = 60 };

/* Numbers from 0 to 1, the same in every run. */
static double random_share(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.0;
}

static void make_jobs(struct job *jobs, const struct cluster *truth, double noise)
{
    uint64_t state = 7;
    for (int i = 0; i < JOBS; i++) {
        struct job *job = &jobs[i];
        *job = (struct job){.architecture = ARCHITECTURE_PS_WORKER};
        for (int f = 0; f < JOB_FIELDS; f++)
            job->field[f] = NAN;
        job->field[JOB_CNODES] = 4;
        job->field[JOB_INPUT_BYTES] = 1e9 * random_share(&state);
        job->field[JOB_FLOPS] = 2e12 * random_share(&state);
        job->field[JOB_MEMORY_BYTES] = 2e11 * random_share(&state);
        job->field[JOB_WEIGHT_BYTES] = 1e9 * random_share(&state);
        job->field[JOB_MEASURED_MS] = job_step(job, truth).step_ms * (1 + noise * (2 * random_share(&state) - 1));
    }
}

static struct cluster truth(void)
{
    struct cluster cluster = cluster_paper();
    const double shares[RESOURCES] = {0.45, 0.85, 0.6, 0.7, 0.35};
    for (int r = 0; r < RESOURCES; r++)
        cluster.efficiency[r] = shares[r];
    return cluster;
}

static void near(double got, double wanted, double most)
{
    if (!(fabs(got - wanted) <= most))
        fail_msg("%.6g, not %.6g", got, wanted);
}

static struct fit fitted(const struct job *jobs, const struct cluster *from, bool overlap)
{
    struct fit fit;
    assert_true(fit_efficiencies(jobs, JOBS, from, &(struct fit_asked){overlap}, &fit));
    return fit;
}

static void planted_shares_are_found_from_steps_alone(void **state)
{
    static struct job jobs[JOBS];
    const struct cluster planted = truth(), paper = cluster_paper();
    make_jobs(jobs, &planted, 0);
    const struct fit fit = fitted(jobs, &paper, false);
    for (int r = 0; r < RESOURCES; r++)
        if (r != RESOURCE_GPU_LINK)
            near(fit.cluster.efficiency[r], planted.efficiency[r], 1e-3);
    assert_false(fit.fitted[RESOURCE_GPU_LINK]);
    assert_true(fit.fitted[RESOURCE_NETWORK]);
    assert_int_equal(fit.jobs, JOBS);
    assert_true(fit.error < 1e-4 && fit.error_before > 0.1);
}

static void a_few_wrong_clocks_do_not_decide(void **state)
{
    static struct job jobs[JOBS];
    const struct cluster planted = truth(), paper = cluster_paper();
    make_jobs(jobs, &planted, 0.05);
    for (int i = 0; i < JOBS; i += 12)
        jobs[i].field[JOB_MEASURED_MS] *= 20;
    const struct fit fit = fitted(jobs, &paper, false);
    near(fit.cluster.efficiency[RESOURCE_NETWORK], 0.35, 0.05);
    near(fit.cluster.efficiency[RESOURCE_MEMORY], 0.85, 0.13);
}

static void overlap_is_found_where_it_is_asked_for(void **state)
{
    static struct job jobs[JOBS];
    struct cluster planted = cluster_paper();
    const struct cluster paper = cluster_paper();
    planted.overlap = 0.6;
    make_jobs(jobs, &planted, 0);
    near(fitted(jobs, &paper, true).cluster.overlap, 0.6, 0.02);
    assert_true(fitted(jobs, &paper, false).error > 0.01);
}

static void jobs_without_a_clock_say_nothing(void **state)
{
    static struct job jobs[JOBS];
    const struct cluster paper = cluster_paper();
    make_jobs(jobs, &paper, 0);
    for (int i = 0; i < JOBS; i++)
        jobs[i].field[JOB_MEASURED_MS] = NAN;
    struct fit fit;
    assert_false(fit_efficiencies(jobs, JOBS, &paper, &(struct fit_asked){0}, &fit));
}

static void a_job_gets_the_amounts_that_its_parts_took(void **state)
{
    struct job job = {.architecture = ARCHITECTURE_1W1G};
    for (int f = 0; f < JOB_FIELDS; f++)
        job.field[f] = NAN;
    const struct cluster paper = cluster_paper();
    assert_false(fit_job(&job, &paper));
    job.field[JOB_MEASURED_INPUT_MS] = 12;
    job.field[JOB_MEASURED_COMPUTE_MS] = 80;
    assert_true(fit_job(&job, &paper));
    assert_null(job_problem(&job));
    const struct job_step step = job_step(&job, &paper);
    near(step.ms[PART_INPUT], 12, 1e-9);
    near(step.ms[PART_COMPUTE_BOUND] + step.ms[PART_MEMORY_BOUND], 80, 1e-9);
}

static void goodput_is_ideal_over_measured(void **state)
{
    static struct job jobs[JOBS];
    const struct cluster paper = cluster_paper();
    make_jobs(jobs, &paper, 0);
    jobs[0].field[JOB_FLOPS] = 11e12;
    jobs[0].field[JOB_MEMORY_BYTES] = 1.5e12;
    jobs[0].field[JOB_MEASURED_MS] = 3000;
    const struct goodput goodput = job_goodput(&jobs[0], &paper);
    near(goodput.mfu, 1 / 3.0, 1e-12);
    near(goodput.program, 0.5, 1e-12);
    assert_true(isnan(goodput.productive));
    jobs[0].field[JOB_STEPS] = 600;
    jobs[0].field[JOB_DURATION_S] = 2400;
    near(job_goodput(&jobs[0], &paper).productive, 0.75, 1e-12);
    jobs[0].field[JOB_PRODUCTIVE_S] = 1200;
    near(job_goodput(&jobs[0], &paper).productive, 0.5, 1e-12);
    jobs[0].field[JOB_PRODUCTIVE_S] = 2401;
    assert_string_equal(job_problem(&jobs[0]), "productive_s is more than duration_s");
    jobs[0].field[JOB_MEASURED_MS] = NAN;
    assert_true(isnan(job_goodput(&jobs[0], &paper).mfu));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_shares_are_found_from_steps_alone),
        cmocka_unit_test(a_few_wrong_clocks_do_not_decide),
        cmocka_unit_test(overlap_is_found_where_it_is_asked_for),
        cmocka_unit_test(jobs_without_a_clock_say_nothing),
        cmocka_unit_test(a_job_gets_the_amounts_that_its_parts_took),
        cmocka_unit_test(goodput_is_ideal_over_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
