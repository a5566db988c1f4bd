/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of jobs. The six case studies are those of Wang et al. 2019, tables IV and V; their times are what the
 * equations give for them on the paper's base configuration.
 */
#include "fleet_step_case.h"

#include <stdio.h>

/* ---- the paper ---- */

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

static void shares_are_those_of_the_table(struct job job, double input, double compute, double memory, double weight)
{
    const struct cluster paper = cluster_paper();
    const struct job_step got = job_step(&job, &paper);
    const double wanted[PARTS] = {input, compute, memory, weight, 0};
    double sum = 0;
    for (int part = 0; part < PARTS; part++) {
        near(100 * got.ms[part] / got.step_ms, wanted[part], 0.051);
        sum += got.ms[part];
    }
    near(sum, got.step_ms, 1e-9 * got.step_ms);
}

static void every_part_has_its_share(void **state)
{
    shares_are_those_of_the_table(multi_interests(), 13.9, 5.1, 53.6, 27.3);
    shares_are_those_of_the_table(resnet50(), 2.1, 76.8, 17.3, 3.9);
    shares_are_those_of_the_table(nmt(), 0, 63.9, 28.6, 7.5);
    shares_are_those_of_the_table(bert(), 0, 58.2, 32.7, 9.1);
    shares_are_those_of_the_table(speech(), 9.8, 87.7, 2.5, 0);
    shares_are_those_of_the_table(gcn(), 0.1, 25.9, 22.2, 51.7);
}

static double step_with(struct job job, const char *setting)
{
    struct cluster cluster = cluster_paper();
    struct steptime_error err = {0};
    if (!cluster_set(&cluster, str_of(setting), &err))
        fail_msg("%s", err.message);
    return job_step(&job, &cluster).step_ms;
}

static void with_ideal_overlap_the_longest_is_the_step(void **state)
{
    near(step_with(multi_interests(), "overlap=ideal"), 157.2, 0.05);
    near(step_with(resnet50(), "overlap=100%"), 248.2, 0.05);
    near(step_with(nmt(), "overlap=1"), 469.8, 0.05);
    near(step_with(bert(), "overlap=ideal"), 426.0, 0.05);
    near(step_with(speech(), "overlap=ideal"), 1055.1, 0.05);
    near(step_with(gcn(), "overlap=ideal"), 85.7, 0.05);
    near(step_with(gcn(), "overlap=none"), 165.68, 0.01);
}

static void overlap_hides_its_share_and_never_more_than_computing_takes(void **state)
{
    double before = INFINITY;
    for (int percent = 0; percent <= 100; percent += 10) {
        char setting[32];
        snprintf(setting, sizeof setting, "overlap=%d%%", percent);
        const double step = step_with(resnet50(), setting);
        near(step, 248.17 + (1 - percent / 100.0) * 15.63, 0.01);
        assert_true(step < before);
        before = step;
    }
}

static void on_a_v100_they_take_what_the_equations_say(void **state)
{
    struct cluster v100 = cluster_paper();
    assert_true(cluster_set(&v100, S("flops=15TFLOPS"), NULL));
    assert_true(cluster_set(&v100, S("memory=900GB/s"), NULL));
    const struct job jobs[] = {multi_interests(), resnet50(), nmt(), bert(), speech(), gcn()};
    const double wanted[] = {279.93, 214.83, 437.37, 413.18, 899.62, 158.32};
    for (int i = 0; i < 6; i++)
        near(job_step(&jobs[i], &v100).step_ms, wanted[i], 0.01);
}

static void time_by_resource_adds_up_to_the_step(void **state)
{
    const struct cluster paper = cluster_paper();
    const struct job job = multi_interests();
    const struct job_step step = job_step(&job, &paper);
    double sum = 0;
    for (int r = 0; r < RESOURCES; r++)
        sum += step.by_resource_ms[r];
    near(sum, step.step_ms, 1e-9);
    near(step.by_resource_ms[RESOURCE_NETWORK], 1e3 * 122e6 / (0.7 * 3.125e9), 1e-9);
    assert_int_equal(step.bottleneck, PART_MEMORY_BOUND);
}

static void replicas_of_a_server_divide_its_pcie(void **state)
{
    struct cluster shared = cluster_paper();
    assert_true(cluster_set(&shared, S("pcie_share=server"), NULL));
    const struct job local = resnet50(), alone = speech(), apart = multi_interests();
    near(job_step(&local, &shared).ms[PART_INPUT], 8 * 38e6 / 7e9 * 1e3, 1e-9);
    near(job_step(&alone, &shared).ms[PART_INPUT], 114.857, 0.001);
    near(job_step(&apart, &shared).step_ms, 267.65, 0.01);
    assert_true(cluster_set(&shared, S("pcie_share=2"), NULL));
    near(job_step(&alone, &shared).ms[PART_INPUT], 2 * 114.857, 0.001);
}

/* ---- today's ---- */

/* 32 GPUs of 4 servers, G = 1 GB: 2 (g-1)/g G / B_gpu + 2 (N-1)/N (G/g) / (B_network/g), one way. */
static void data_parallel_runs_rings_in_servers_and_between_them(void **state)
{
    const struct cluster cluster = wide();
    const double gradient = 1e9, moved = 2 * 2 * 31 / 32.0 * gradient;
    const struct job job = today(ARCHITECTURE_DATA_PARALLEL, 32, moved);
    const struct job_step step = job_step(&job, &cluster);
    near(step.by_resource_ms[RESOURCE_GPU_LINK], 1e3 * 2 * 7 / 8.0 * gradient / 400e9, 1e-9);
    near(step.by_resource_ms[RESOURCE_NETWORK], 1e3 * 2 * 3 / 4.0 * gradient / 100e9, 1e-9);
    const struct job one_server = today(ARCHITECTURE_DATA_PARALLEL, 8, 2 * 2 * 7 / 8.0 * gradient);
    near(job_step(&one_server, &cluster).step_ms, 1e3 * 2 * 7 / 8.0 * gradient / 400e9, 1e-9);
    const struct job alone = today(ARCHITECTURE_DATA_PARALLEL, 1, 0);
    near(job_step(&alone, &cluster).step_ms, 0, 0);
}

static void latency_is_that_of_the_shorter_of_ring_and_tree(void **state)
{
    struct cluster cluster = wide();
    cluster.latency_s[RESOURCE_NETWORK] = 1e-3;
    const struct job few = today(ARCHITECTURE_DATA_PARALLEL, 16, 1), many = today(ARCHITECTURE_DATA_PARALLEL, 8192, 1);
    near(job_step(&few, &cluster).step_ms, 2, 1e-6);
    near(job_step(&many, &cluster).step_ms, 2 * 10, 1e-6);
    const struct job ring = today(ARCHITECTURE_ZERO2, 8192, 1);
    near(job_step(&ring, &cluster).step_ms, 2 * 1023, 1e-6);
    const struct job gathers = today(ARCHITECTURE_FSDP, 8192, 1);
    near(job_step(&gathers, &cluster).step_ms, 3 * 1023, 1e-6);
    const struct job whole = today(ARCHITECTURE_DATA_PARALLEL, 16, 4 * 15 / 16.0 * 1e9);
    const double one_message_ms = job_step(&whole, &cluster).step_ms;
    assert_true(cluster_set(&cluster, S("bucket=100MB"), NULL));
    near(job_step(&whole, &cluster).step_ms - one_message_ms, 9 * 2, 1e-6);
}

/* 8 x 4 x 4: tensors stay in the server, replicas of one shard meet on the network with the seven others beside them. */
static void degrees_multiply(void **state)
{
    const struct cluster cluster = wide();
    struct job job = today(ARCHITECTURE_DATA_PARALLEL, 128, 4 * 3 / 4.0 * 1e9);
    job.field[JOB_TENSOR_PARALLEL] = 8;
    job.field[JOB_PIPELINE_PARALLEL] = 4;
    job.field[JOB_TENSOR_BYTES] = 8e9;
    job.field[JOB_PIPELINE_BYTES] = 1e8;
    assert_string_equal(job_problem(&job), "micro_batches is missing for data-parallel");
    job.field[JOB_MICRO_BATCHES] = 12;
    job.field[JOB_FLOPS] = 11e12;
    assert_null(job_problem(&job));
    const struct job_step step = job_step(&job, &cluster);
    const double tensor_ms = 1e3 * 8e9 / 2 / 400e9;
    near(step.by_resource_ms[RESOURCE_GPU_LINK], tensor_ms, 1e-9);
    near(step.by_resource_ms[RESOURCE_NETWORK], 1e3 * (8 * 3e9 + 8 * 1e8) / 2 / 100e9, 1e-9);
    near(step.ms[PART_BUBBLE], (1000 + tensor_ms) * 3 / 12, 1e-9);
    job.field[JOB_CNODES] = 16;
    assert_non_null(job_problem(&job));
}

static void experts_exchange_in_pairs(void **state)
{
    const struct cluster cluster = wide();
    struct job job = today(ARCHITECTURE_DATA_PARALLEL, 16, 0);
    job.architecture = ARCHITECTURE_EXPERT_PARALLEL;
    assert_string_equal(job_problem(&job), "expert_bytes is missing for expert-parallel");
    job.field[JOB_EXPERT_BYTES] = 15e9;
    const struct job_step step = job_step(&job, &cluster);
    near(step.by_resource_ms[RESOURCE_GPU_LINK], 1e3 * 7e9 / 2 / 400e9, 1e-9);
    near(step.by_resource_ms[RESOURCE_NETWORK], 1e3 * 8 * 8e9 / 2 / 100e9, 1e-9);
}

static void gpus_without_links_talk_over_pcie(void **state)
{
    struct cluster cluster = wide();
    assert_true(cluster_set(&cluster, S("nvlink=0GB/s"), NULL));
    const struct job job = today(ARCHITECTURE_DATA_PARALLEL, 8, 2 * 2 * 7 / 8.0 * 1e9);
    near(job_step(&job, &cluster).by_resource_ms[RESOURCE_HOST_LINK], 1e3 * 2 * 7 / 8.0 * 1e9 / 10e9, 1e-9);
}

/* ---- any job ---- */

static double random_share(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.0;
}

/* Most fields are whole numbers, some missing, few 0 or huge. */
static struct job random_job(uint64_t *state)
{
    struct job job = job_of((enum architecture)(random_share(state) * ARCHITECTURES), 1);
    for (int i = 0; i < JOB_FIELDS; i++) {
        const double kind = random_share(state), whole = 1 + floor((i == JOB_CNODES ? 200 : 6) * random_share(state));
        job.field[i] = kind < 0.02 ? 0 : kind < 0.04 ? 1e12 * random_share(state) : kind < 0.9 ? whole : NAN;
    }
    return job;
}

static void a_job_without_a_problem_has_finite_times_that_faster_hardware_shortens(void **state)
{
    uint64_t random = 3;
    int without = 0;
    struct cluster slow = cluster_paper();
    for (int r = RESOURCE_HOST_LINK; r < RESOURCES; r++)
        slow.latency_s[r] = 1e-5;
    for (int i = 0; i < 200000; i++) {
        const struct job job = random_job(&random);
        if (job_problem(&job))
            continue;
        without++;
        const struct job_step before = job_step(&job, &slow);
        assert_true(isfinite(before.step_ms) && before.step_ms >= 0);
        struct cluster fast = slow;
        fast.rate[(int)(random_share(&random) * RESOURCES)] *= 2;
        assert_true(job_step(&job, &fast).step_ms <= before.step_ms);
        for (int part = 0; part < PARTS; part++)
            assert_true(isfinite(before.ms[part]) && before.ms[part] >= 0);
    }
    assert_true(without > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_six_case_studies_take_what_the_equations_say),
        cmocka_unit_test(every_part_has_its_share),
        cmocka_unit_test(with_ideal_overlap_the_longest_is_the_step),
        cmocka_unit_test(overlap_hides_its_share_and_never_more_than_computing_takes),
        cmocka_unit_test(on_a_v100_they_take_what_the_equations_say),
        cmocka_unit_test(time_by_resource_adds_up_to_the_step),
        cmocka_unit_test(replicas_of_a_server_divide_its_pcie),
        cmocka_unit_test(data_parallel_runs_rings_in_servers_and_between_them),
        cmocka_unit_test(latency_is_that_of_the_shorter_of_ring_and_tree),
        cmocka_unit_test(degrees_multiply),
        cmocka_unit_test(experts_exchange_in_pairs),
        cmocka_unit_test(gpus_without_links_talk_over_pcie),
        cmocka_unit_test(a_job_without_a_problem_has_finite_times_that_faster_hardware_shortens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
