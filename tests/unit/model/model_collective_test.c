/* SPDX-License-Identifier: Apache-2.0 */
/* What the form of collectives must do on any machine, measured or not. */
#include "model_case.h"

#include "model/estimate/interval.h"
#include "model/fit/possible.h"
#include "model/tables/table.h"
#include "ops/rows/collective.h"

static const char *const devices[] = {"NVIDIA A100-SXM4-80GB", "H100", "H800", "NVIDIA B200", "RTX 6000 Ada"};
enum { DEVICES = sizeof devices / sizeof *devices };

static const enum collective_kind kinds[] = {
    COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_GATHER, COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_TO_ALL, COLLECTIVE_BROADCAST,  COLLECTIVE_POINT_TO_POINT,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct kernel collective(enum collective_kind kind, int64_t bytes, int64_t ranks, int64_t server)
{
    return (struct kernel){.form = FORM_COLLECTIVE, .collective = {kind + 1, bytes, ranks, server}};
}

static double link_rate(const char *name)
{
    const struct hardware hardware = device(name);
    return hardware.figure[HW_GPU_LINK] > 0 ? hardware.figure[HW_GPU_LINK] : hardware.figure[HW_HOST_LINK];
}

static struct hardware with_network(const char *name, double rate)
{
    struct hardware hardware = device(name);
    hardware.figure[HW_NETWORK] = rate;
    return hardware;
}

/* The latency of small messages scatters by half where it was measured, and is what was measured there. */
static void larger_messages_take_longer(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int64_t bytes = 1024; bytes < (int64_t)1 << 32; bytes *= 4) {
                const double us = us_on(devices[i], collective(kinds[kind], bytes, 8, 8));
                const double more = us_on(devices[i], collective(kinds[kind], bytes * 4, 8, 8));
                assert_true(more > us * (bytes < 4 << 20 ? 0.6 : 1.2));
            }
}

static void no_link_carries_more_than_it_can(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int64_t ranks = 2; ranks <= 8; ranks *= 2) {
                const double us = us_on(devices[i], collective(kinds[kind], 1 << 30, ranks, 8));
                const double bus = (1 << 30) * collective_bus_factor(kinds[kind], ranks) / us * 1e6;
                assert_true(bus < 1.25 * link_rate(devices[i]));
                assert_true(bus > 0.05 * link_rate(devices[i]));
            }
}

static void several_servers_are_slower_than_one(void **state)
{
    const struct hardware slow = with_network("H100", 25e9), fast = with_network("H100", 400e9);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct kernel within = collective(kinds[kind], 1 << 28, 8, 8),
                            across = collective(kinds[kind], 1 << 28, 64, 8);
        assert_true(estimate_on(&slow, across).us > 2 * estimate_on(&slow, within).us);
        assert_true(estimate_on(&slow, across).us > 2 * estimate_on(&fast, across).us);
    }
}

static void a_network_that_is_not_known_is_asked_for(void **state)
{
    const struct hardware none = with_network("H100", 0);
    const str said = refusal(&none, collective(COLLECTIVE_ALL_REDUCE, 1 << 20, 16, 8));
    assert_true(str_has(said, hw_key_word(HW_NETWORK)));
    estimate_on(&none, collective(COLLECTIVE_ALL_REDUCE, 1 << 20, 8, 8));
}

static void odd_collectives_have_a_time_too(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        us_on(devices[i], collective(COLLECTIVE_ALL_REDUCE, 1, 1, 1));
        us_on(devices[i], collective(COLLECTIVE_ALL_REDUCE, 1, 3, 72));
        us_on(devices[i], collective(COLLECTIVE_ALL_REDUCE, 1 << 20, 72, 72));
        us_on(devices[i], collective(COLLECTIVE_OTHER, 1 << 20, 2, 8));
    }
}

static void a_message_of_nothing_is_refused(void **state)
{
    const struct hardware h100 = device("H100");
    assert_true(str_has(refusal(&h100, collective(COLLECTIVE_ALL_REDUCE, 0, 8, 8)), S("bytes")));
}

static struct kernel by_library(enum library library, int64_t bytes, int64_t ranks)
{
    struct kernel kernel = collective(COLLECTIVE_ALL_REDUCE, bytes, ranks, 8);
    kernel.library = library;
    return kernel;
}

/* Measured: 5.8 and 3.5 us by engines, 15.6 us by NCCL. */
static void engines_reduce_small_messages_sooner_than_nccl(void **state)
{
    static const enum library engines[] = {LIBRARY_VLLM, LIBRARY_SGLANG, LIBRARY_TRTLLM};
    const double nccl = us_on("H100", by_library(LIBRARY_NCCL, 4096, 8));
    for (int i = 0; i < 3; i++)
        assert_true(us_on("H100", by_library(engines[i], 4096, 8)) < 0.6 * nccl);
}

/* The mean of libraries, and wider by what they differ. */
static void who_tells_no_library_is_told_less(void **state)
{
    const struct hardware h100 = device("H100");
    const struct estimate none = estimate_on(&h100, by_library(LIBRARY_UNTOLD, 4096, 8)),
                          unknown = estimate_on(&h100, by_library(LIBRARY_UNKNOWN, 4096, 8)),
                          nccl = estimate_on(&h100, by_library(LIBRARY_NCCL, 4096, 8)),
                          trtllm = estimate_on(&h100, by_library(LIBRARY_TRTLLM, 4096, 8));
    assert_true(trtllm.us < none.us && none.us < nccl.us);
    assert_true(none.us == unknown.us);
    assert_true(estimate_sd(&none) > 3 * estimate_sd(&nccl));
}

static void queued_collectives_are_measured_on_their_generation(void **state)
{
    const struct kernel kernel = collective(COLLECTIVE_ALL_GATHER, 1 << 20, 8, 8);
    const struct hardware b200 = device("NVIDIA B200"), v100 = device("Tesla V100-SXM2-32GB");
    const struct estimate near = estimate_on(&b200, kernel), far = estimate_on(&v100, kernel);
    assert_int_equal(near.basis, BASIS_MEASURED);
    assert_int_equal(far.basis, BASIS_CARRIED);
    assert_true(estimate_sd(&far) > 2 * estimate_sd(&near));
}

/* Lone calls hold a launch; and of boards without links of their own lone calls alone were measured. */
static void lone_calls_and_boards_without_links_go_by_other_rows(void **state)
{
    struct kernel lone = collective(COLLECTIVE_ALL_REDUCE, 1 << 20, 8, 8);
    const struct hardware a100 = device("NVIDIA A100-SXM4-80GB"), ada = device("RTX 6000 Ada");
    assert_true(str_eq(estimate_on(&ada, lone).model, S("ring")));
    assert_true(str_eq(estimate_on(&a100, lone).model, S("all_reduce")));
    lone.alone = true;
    assert_true(str_eq(estimate_on(&a100, lone).model, S("ring")));
}

static void a_message_sooner_there_than_its_link_allows_is_no_measurement(void **state)
{
    const struct hardware h100 = device("H100"); /* 450 GB/s: 2^30 bytes, seven of eight parts, in 2088 us */
    const struct kernel kernel = collective(COLLECTIVE_ALL_REDUCE, 1 << 30, 8, 8);
    assert_false(time_is_possible(&kernel, &h100, 1400));
    assert_true(time_is_possible(&kernel, &h100, 4000));
    const struct kernel across = collective(COLLECTIVE_ALL_REDUCE, 1 << 30, 16, 8);
    assert_true(time_is_possible(&across, &h100, 1));
}

static void tables_name_collectives_by_their_words(void **state)
{
    struct kernel kernel;
    assert_null(kernel_of_op(S("all_gather"), (const int64_t[]){4096, 16, 8}, 3, &kernel));
    assert_int_equal(kernel.form, FORM_COLLECTIVE);
    assert_int_equal(kernel.collective.kind, COLLECTIVE_ALL_GATHER + 1);
    assert_int_equal(kernel.collective.bytes, 4096);
    assert_int_equal(kernel.collective.ranks, 16);
    assert_int_equal(kernel.collective.server_ranks, 8);
    assert_non_null(kernel_of_op(S("all_gather"), (const int64_t[]){4096, 0, 8}, 3, &kernel));
    assert_non_null(kernel_of_op(S("all_gather"), (const int64_t[]){4096, 16}, 2, &kernel));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(larger_messages_take_longer),
        cmocka_unit_test(no_link_carries_more_than_it_can),
        cmocka_unit_test(several_servers_are_slower_than_one),
        cmocka_unit_test(a_network_that_is_not_known_is_asked_for),
        cmocka_unit_test(odd_collectives_have_a_time_too),
        cmocka_unit_test(a_message_of_nothing_is_refused),
        cmocka_unit_test(engines_reduce_small_messages_sooner_than_nccl),
        cmocka_unit_test(who_tells_no_library_is_told_less),
        cmocka_unit_test(queued_collectives_are_measured_on_their_generation),
        cmocka_unit_test(lone_calls_and_boards_without_links_go_by_other_rows),
        cmocka_unit_test(a_message_sooner_there_than_its_link_allows_is_no_measurement),
        cmocka_unit_test(tables_name_collectives_by_their_words),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
