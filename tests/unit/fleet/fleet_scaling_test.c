/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that grow with their workers. */
#include "unit/fleet/fleet_step_case.h"

#include "fleet/step/fit.h"
#include "fleet/step/scaling_fit.h"

/* Means of the largest of n normal values as tables have them (Teichroew 1956), within what Blom's form is off. */
static void the_largest_of_many_is_that_of_the_tables(void **state)
{
    static const double known[][2] = {{2, 0.5642}, {3, 0.8463}, {5, 1.1630}, {10, 1.5388}, {20, 1.8675}};
    near(scaling_largest(1), 0, 1e-12);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        near(scaling_largest(known[i][0]), known[i][1], (known[i][0] < 8 ? 0.05 : 0.01) * known[i][1]);
    near(scaling_largest(1e6), 4.863, 0.05);
    near(scaling_slowest(0, 1e6), 1, 0);
    for (double n = 1, before = 0; n < 1e7; n *= 1.5) {
        assert_true(scaling_slowest(0.1, n) > before);
        before = scaling_slowest(0.1, n);
    }
}

static struct job measured_alone(double cnodes)
{
    struct job job = job_of(ARCHITECTURE_DATA_PARALLEL, cnodes);
    job.field[JOB_ALONE_MS] = 100;
    job.field[JOB_GPUS_PER_SERVER] = 4;
    job.field[JOB_WEIGHT_BYTES] = 1e9;
    assert_null(job_problem(&job));
    return job;
}

static struct cluster spread(void)
{
    struct cluster cluster = cluster_paper();
    cluster.scaling = (struct scaling){.step_spread = 0.1, .network_spread = 0.2, .two_servers = 1.5};
    return cluster;
}

static void a_worker_alone_takes_what_was_measured_and_many_wait_for_the_slowest(void **state)
{
    const struct cluster cluster = spread();
    struct job job = measured_alone(1);
    near(job_step(&job, &cluster).step_ms, 100, 1e-9);
    job = measured_alone(16);
    near(job_step(&job, &cluster).ms[PART_COMPUTE_BOUND], 100 * scaling_slowest(0.1, 16), 1e-9);
}

static void two_servers_have_one_way_between_them_and_the_slowest_is_waited_for(void **state)
{
    const struct cluster slower = spread(), paper = cluster_paper();
    const double more[][2] = {{4, 0}, {8, 1.5}, {16, 1}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        const struct job job = measured_alone(more[i][0]);
        near(job_step(&job, &slower).by_resource_ms[RESOURCE_NETWORK],
             job_step(&job, &paper).by_resource_ms[RESOURCE_NETWORK] * more[i][1] * scaling_slowest(0.2, more[i][0]),
             1e-9);
        near(job_step(&job, &slower).by_resource_ms[RESOURCE_GPU_LINK],
             job_step(&job, &paper).by_resource_ms[RESOURCE_GPU_LINK], 1e-9);
    }
}

static void servers_count_as_told(void **state)
{
    const struct cluster paper = cluster_paper();
    struct job job = measured_alone(8);
    const double two = job_step(&job, &paper).by_resource_ms[RESOURCE_NETWORK];
    job.field[JOB_SERVERS] = 4;
    near(job_step(&job, &paper).by_resource_ms[RESOURCE_NETWORK], two * (3.0 / 4) / (1.0 / 2), 1e-9);
    job.field[JOB_SERVERS] = 9;
    assert_non_null(job_problem(&job));
}

static void by_layer_gradients_pass_beside_two_thirds_of_computing(void **state)
{
    struct cluster cluster = cluster_paper();
    cluster.scaling.by_layer = true;
    struct job job = measured_alone(8);
    job.field[JOB_WEIGHT_BYTES] = 1e6;
    near(job_step(&job, &cluster).step_ms, 100, 1e-9);
    job.field[JOB_WEIGHT_BYTES] = 1e9;
    const struct job_step step = job_step(&job, &cluster);
    near(step.step_ms, 100 + step.ms[PART_WEIGHT] - 200.0 / 3, 1e-9);
}

static void inputs_of_a_server_add_to_what_one_alone_has(void **state)
{
    struct cluster cluster = cluster_paper();
    struct job job = measured_alone(4);
    job.field[JOB_INPUT_BYTES] = 7e7;
    near(job_step(&job, &cluster).ms[PART_INPUT], 0, 1e-12);
    cluster.host_link_is_shared = true;
    near(job_step(&job, &cluster).ms[PART_INPUT], 3 * 1e3 * 7e7 / (0.7 * 10e9), 1e-9);
}

static void elsewhere_what_one_alone_takes_becomes_arithmetic(void **state)
{
    const struct cluster cluster = spread();
    struct job job = measured_alone(16);
    const double here = job_step(&job, &cluster).step_ms;
    assert_true(fit_job(&job, &cluster));
    assert_true(isnan(job.field[JOB_ALONE_MS]));
    near(job_step(&job, &cluster).step_ms, here, 1e-9);
}

/* Four models at 2 to 32 workers; the constants that made their steps. */
enum { MODELS = 4, SCALES = 5 };

static void make_jobs(struct scaled_job *jobs, const struct cluster *truth)
{
    static const double alone[MODELS] = {100, 300, 60, 500}, weights[MODELS] = {2e7, 4e8, 1e8, 1e9};
    for (uint32_t i = 0; i < MODELS * SCALES; i++) {
        jobs[i] = (struct scaled_job){measured_alone(2 << i % SCALES), i / SCALES};
        jobs[i].job.field[JOB_ALONE_MS] = alone[i / SCALES];
        jobs[i].job.field[JOB_WEIGHT_BYTES] = 4 * weights[i / SCALES];
        jobs[i].job.field[JOB_MEASURED_MS] = job_step(&jobs[i].job, truth).step_ms;
    }
}

static void planted_constants_are_found_from_half_of_the_models(void **state)
{
    const struct cluster paper = cluster_paper(), begin = scaling_cluster(&paper);
    struct cluster truth = begin;
    truth.scaling = (struct scaling){0.06, 0.2, 1.4, true};
    truth.efficiency[RESOURCE_NETWORK] = 0.4;
    truth.efficiency[RESOURCE_GPU_LINK] = 0.25;
    struct scaled_job jobs[MODELS * SCALES];
    make_jobs(jobs, &truth);
    const bool left_out[MODELS] = {true, false, true, false}, none[MODELS] = {true, true, true, true};
    struct scaling_fit fit;
    assert_false(scaling_fit(jobs, MODELS * SCALES, none, &begin, &fit));
    assert_true(scaling_fit(jobs, MODELS * SCALES, left_out, &begin, &fit));
    assert_int_equal(fit.models, 2);
    assert_int_equal(fit.jobs, 2 * SCALES);
    assert_false(fit.fitted[SCALING_HOST_LINK]);
    near(fit.cluster.scaling.step_spread, 0.06, 0.005);
    for (uint32_t i = 0; i < MODELS * SCALES; i++)
        near(scaling_residual(&jobs[i], &fit.cluster), 0, 0.03);
    assert_true(fit.log_error > 0.09 && fit.log_error < 0.15); /* two models tell little of a third */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_of_many_is_that_of_the_tables),
        cmocka_unit_test(a_worker_alone_takes_what_was_measured_and_many_wait_for_the_slowest),
        cmocka_unit_test(two_servers_have_one_way_between_them_and_the_slowest_is_waited_for),
        cmocka_unit_test(servers_count_as_told),
        cmocka_unit_test(by_layer_gradients_pass_beside_two_thirds_of_computing),
        cmocka_unit_test(inputs_of_a_server_add_to_what_one_alone_has),
        cmocka_unit_test(elsewhere_what_one_alone_takes_becomes_arithmetic),
        cmocka_unit_test(planted_constants_are_found_from_half_of_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
