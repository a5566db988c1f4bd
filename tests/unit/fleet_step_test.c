/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of jobs. The six case studies are those of Wang et al. 2019, tables IV and V; their times are what the
 * equations give for them on the paper's base configuration.
 */
#include "cmocka_first.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/step/step.h"

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

static struct cluster wide(void)
{
    struct cluster cluster = cluster_paper();
    for (int r = 0; r < RESOURCES; r++)
        cluster.efficiency[r] = 1;
    cluster.rate[RESOURCE_GPU_LINK] = 400e9;
    cluster.rate[RESOURCE_NETWORK] = 100e9;
    cluster.duplex = true;
    return cluster;
}

static struct job today(enum architecture architecture, double cnodes, double weight_bytes)
{
    return study(architecture, cnodes, 0, 0, 0, weight_bytes);
}

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

/* ---- words and problems ---- */

static void architectures_are_found_in_their_usual_spellings(void **state)
{
    const char *const words[] = {"PS/Worker", "ps-worker", "ps_worker", "AllReduce-Local", "1W1G", "ZeRO-3", "DDP"};
    const enum architecture wanted[] = {ARCHITECTURE_PS_WORKER,       ARCHITECTURE_PS_WORKER, ARCHITECTURE_PS_WORKER,
                                        ARCHITECTURE_ALLREDUCE_LOCAL, ARCHITECTURE_1W1G,      ARCHITECTURE_FSDP,
                                        ARCHITECTURE_DATA_PARALLEL};
    enum architecture found;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_true(architecture_of_word(str_of(words[i]), &found));
        assert_int_equal(found, wanted[i]);
    }
    for (int i = 0; i < ARCHITECTURES; i++) {
        assert_true(architecture_of_word(architecture_word((enum architecture)i), &found));
        assert_int_equal(found, i);
    }
    assert_false(architecture_of_word(S("psworkers"), &found));
    assert_false(architecture_of_word(S(""), &found));
}

static void problem_is(enum job_field field, double value, const char *wanted)
{
    struct job job = multi_interests();
    job.field[field] = value;
    const char *const got = job_problem(&job);
    assert_string_equal(got ? got : "none", wanted);
}

static void what_cannot_be_is_named(void **state)
{
    problem_is(JOB_CNODES, 0, "cnodes is below 1");
    problem_is(JOB_CNODES, NAN, "cnodes is missing for ps-worker");
    problem_is(JOB_FLOPS, -1, "flops is negative");
    problem_is(JOB_FLOPS, INFINITY, "flops is inf, which cannot be");
    problem_is(JOB_WEIGHT_BYTES, NAN, "weight_bytes is missing for ps-worker");
    problem_is(JOB_MEMORY_BYTES, NAN, "memory_bytes is missing for ps-worker");
    problem_is(JOB_BATCH, NAN, "none");
    struct job alone = speech();
    alone.field[JOB_WEIGHT_BYTES] = NAN;
    assert_null(job_problem(&alone));
    alone.field[JOB_CNODES] = 2;
    assert_non_null(job_problem(&alone));
}

/* ---- settings ---- */

static void refused(const char *setting, const char *part)
{
    struct cluster cluster = cluster_paper(), before = cluster;
    struct steptime_error err = {0};
    assert_false(cluster_set(&cluster, str_of(setting), &err));
    if (!strstr(err.message, part))
        fail_msg("%s: %s", setting, err.message);
    assert_memory_equal(cluster.rate, before.rate, sizeof cluster.rate);
    assert_memory_equal(cluster.efficiency, before.efficiency, sizeof cluster.efficiency);
}

static void settings_that_cannot_be_are_refused(void **state)
{
    refused("ethernet=100", "has no unit");
    refused("ethernet=100TFLOPS", "another unit");
    refused("ethernett=100Gbps", "did you mean 'ethernet'");
    refused("ethernet=", "sets nothing");
    refused("ethernet=0Gbps", "zero");
    refused("ethernet=0.001bps", "next to nothing");
    refused("efficiency=1e-300", "above 0");
    refused("efficiency=0%", "above 0");
    refused("efficiency.network=120%", "at most 100%");
    refused("overlap=110%", "more than 100%");
    refused("precision=bf16", "no peak");
    refused("latency.flops=1us", "no figure");
}

static void figures_are_set_by_either_word(void **state)
{
    struct cluster cluster = cluster_paper();
    assert_true(cluster_set(&cluster, S("ethernet=100Gbps"), NULL));
    near(cluster.rate[RESOURCE_NETWORK], 12.5e9, 0);
    assert_true(cluster_set(&cluster, S("network = 200%"), NULL));
    near(cluster.rate[RESOURCE_NETWORK], 25e9, 0);
    assert_true(cluster_set(&cluster, S("ethernet=NDR"), NULL));
    near(cluster.rate[RESOURCE_NETWORK], 50e9, 1);
    assert_true(cluster.latency_s[RESOURCE_NETWORK] > 0);
    assert_true(cluster_set(&cluster, S("latency.network=3us"), NULL));
    near(cluster.latency_s[RESOURCE_NETWORK], 3e-6, 1e-15);
    assert_true(cluster_set(&cluster, S("efficiency=50%"), NULL));
    assert_true(cluster_set(&cluster, S("efficiency.memory=0.9"), NULL));
    near(cluster.efficiency[RESOURCE_MEMORY], 0.9, 1e-15);
    near(cluster.efficiency[RESOURCE_FLOPS], 0.5, 1e-15);
}

static void a_device_has_its_own_rates_and_measured_shares(void **state)
{
    struct arena arena = {0};
    struct hardware hardware;
    struct cluster cluster;
    assert_true(hardware_find(S("H100"), &arena, &hardware, NULL));
    assert_true(cluster_of_hardware(&hardware, &arena, &cluster, NULL));
    near(cluster.efficiency[RESOURCE_FLOPS], 0.803, 0);
    near(cluster.rate[RESOURCE_FLOPS], hardware.figure[HW_BF16], 0);
    assert_true(cluster_set(&cluster, S("precision=fp8"), NULL));
    near(cluster.efficiency[RESOURCE_FLOPS], 0.709, 0);
    near(cluster.rate[RESOURCE_FLOPS], hardware.figure[HW_FP8], 0);
    for (int r = 0; r < RESOURCES; r++)
        assert_true(cluster.rate[r] > 0 && cluster.efficiency[r] > 0 && cluster.source[r].len > 0);
    arena_free(&arena);
}

/* ---- measured tables ---- */

static struct cluster with_table(const char *text, struct arena *arena)
{
    char path[] = "/tmp/fleet_step_test_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    struct cluster cluster = cluster_paper();
    struct steptime_error err = {0};
    const bool good = cluster_read_efficiency(&cluster, RESOURCE_NETWORK, path, arena, &err);
    unlink(path);
    if (!good)
        fail_msg("%s", err.message);
    return cluster;
}

static double share(const struct cluster *cluster, double bytes, double servers)
{
    return cluster_efficiency(cluster, RESOURCE_NETWORK, bytes, servers);
}

static void shares_lie_between_those_of_the_table(void **state)
{
    struct arena arena = {0};
    const struct cluster cluster = with_table("Size,1 Node(NVLinkx),2Node-16GPU(NIC ),8Node-64GPU(NIC),Multi 16\n"
                                              "16777216,0.45,0.32,,0.86\n"
                                              "67108864,0.65,0.50,0.40,0.9\n",
                                              &arena);
    near(share(&cluster, 16777216, 2), 0.32, 1e-12);
    near(share(&cluster, 67108864, 8), 0.40, 1e-12);
    near(share(&cluster, 33554432, 2), 0.41, 1e-12);
    near(share(&cluster, 67108864, 4), 0.45, 1e-12);
    near(share(&cluster, 16777216, 8), 0.32, 1e-12);
    near(share(&cluster, 1e12, 1024), 0.40, 1e-12);
    assert_true(share(&cluster, 1e6, 2) < 0.2 && share(&cluster, 1, 2) > 0);
    const struct cluster plain = with_table("servers,size,share\n2,16MiB,32%\n2,64MiB,0.5\n", &arena);
    near(share(&plain, 33554432, 5), 0.41, 1e-12);
    arena_free(&arena);
}

/* SimAI's measurements: a message of 16 MiB between 2, 8 and 128 servers gets 0.32, 0.13 and 0.0087 of the line. */
static void published_tables_are_read(void **state)
{
    char path[600];
    const char *shared = getenv("STEPTIME_SHARED"), *checkout = getenv("STEPTIME_SOURCE");
    if (shared)
        snprintf(path, sizeof path, "%s/data/fleet/simai/nic_ratio.csv", shared);
    else
        snprintf(path, sizeof path, "%s/../shared/data/fleet/simai/nic_ratio.csv", checkout ? checkout : ".");
    struct arena arena = {0};
    struct cluster cluster = cluster_paper();
    if (!cluster_read_efficiency(&cluster, RESOURCE_NETWORK, path, &arena, NULL)) {
        print_message("SKIP: the published tables are not here\n");
        skip();
    }
    const double mib = 1048576, gib = 1024 * mib;
    near(share(&cluster, 16 * mib, 2), 0.32, 1e-12);
    near(share(&cluster, 16 * mib, 8), 0.13, 1e-12);
    near(share(&cluster, 16 * mib, 128), 0.0087, 1e-12);
    near(share(&cluster, gib, 8), 0.90, 1e-12);
    near(share(&cluster, 4 * gib, 128), 0.740175, 1e-12);
    const struct job few = today(ARCHITECTURE_DATA_PARALLEL, 16, 4 * 15 / 16.0 * 1e9);
    const struct job many = today(ARCHITECTURE_DATA_PARALLEL, 1024, 4 * 1023 / 1024.0 * 1e9);
    assert_true(job_step(&many, &cluster).step_ms > 2 * job_step(&few, &cluster).step_ms);
    arena_free(&arena);
}

static void a_file_that_is_no_table_says_so(void **state)
{
    struct arena arena = {0};
    struct cluster cluster = cluster_paper();
    struct steptime_error err = {0};
    assert_false(cluster_read_efficiency(&cluster, RESOURCE_NETWORK, "/nowhere", &arena, &err));
    assert_null(cluster.table[RESOURCE_NETWORK]);
    arena_free(&arena);
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
        cmocka_unit_test(architectures_are_found_in_their_usual_spellings),
        cmocka_unit_test(what_cannot_be_is_named),
        cmocka_unit_test(settings_that_cannot_be_are_refused),
        cmocka_unit_test(figures_are_set_by_either_word),
        cmocka_unit_test(a_device_has_its_own_rates_and_measured_shares),
        cmocka_unit_test(shares_lie_between_those_of_the_table),
        cmocka_unit_test(published_tables_are_read),
        cmocka_unit_test(a_file_that_is_no_table_says_so),
        cmocka_unit_test(a_job_without_a_problem_has_finite_times_that_faster_hardware_shortens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
