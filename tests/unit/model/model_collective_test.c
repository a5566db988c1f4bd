/* SPDX-License-Identifier: Apache-2.0 */
/* What the form of collectives must do on any machine, measured or not. */
#include "model_case.h"

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
        cmocka_unit_test(tables_name_collectives_by_their_words),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
