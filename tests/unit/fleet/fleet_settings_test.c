/* SPDX-License-Identifier: Apache-2.0 */
/* Words, problems and settings of jobs and clusters, and measured shares of the network. */
#include "fleet_step_case.h"
#include "unit/shared_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    struct arena arena = {0};
    struct cluster cluster = cluster_paper();
    assert_true(
        cluster_read_efficiency(&cluster, RESOURCE_NETWORK, shared_path("fleet/simai/nic_ratio.csv"), &arena, NULL));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(architectures_are_found_in_their_usual_spellings),
        cmocka_unit_test(what_cannot_be_is_named),
        cmocka_unit_test(settings_that_cannot_be_are_refused),
        cmocka_unit_test(figures_are_set_by_either_word),
        cmocka_unit_test(a_device_has_its_own_rates_and_measured_shares),
        cmocka_unit_test(shares_lie_between_those_of_the_table),
        cmocka_unit_test(published_tables_are_read),
        cmocka_unit_test(a_file_that_is_no_table_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
