/* SPDX-License-Identifier: Apache-2.0 */
/* What is not known is told as not known, and doubt adds up as it should. */
#include "model_case.h"

#include "model/estimate/interval.h"
#include "ops/rows/collective.h"

static struct kernel product(enum dtype dtype, int64_t m)
{
    return (struct kernel){.form = FORM_LINEAR, .dtype = dtype, .variant = S("linear"), .product = {1, m, 1024, 1024}};
}

/* Student's distribution of four degrees of freedom, from tables: 0.741, 1.533, 2.132 at 50, 80 and 90 %. */
static void intervals_are_those_of_students_distribution(void **state)
{
    const double level[] = {0.5, 0.8, 0.9}, quantile[] = {0.7407, 1.5332, 2.1318};
    for (int i = 0; i < 3; i++)
        assert_true(fabs(interval_half_width(sqrt(2), level[i]) - quantile[i]) < 1e-3);
    assert_true(fabs(interval_half_width(interval_sd(0.3, 0.9), 0.9) - 0.3) < 1e-12);
}

static void an_interval_lies_about_its_time(void **state)
{
    const struct estimate estimate = {.us = 100, .shared = 0.1, .own = 0.1};
    double low, high, wider_low, wider_high;
    estimate_interval(&estimate, 0.5, &low, &high);
    estimate_interval(&estimate, 0.9, &wider_low, &wider_high);
    assert_true(wider_low < low && low < 100 && 100 < high && high < wider_high);
    assert_true(fabs(low * high - 1e4) < 1e-6);
}

/* Attention has no measurements here: its error is unknown, not nothing, and its interval is wide. */
static void what_was_never_measured_has_no_error(void **state)
{
    struct kernel kernel = {.form = FORM_BYTES, .dtype = DTYPE_F32, .variant = S(""), .moved = {.bytes = 1 << 20}};
    const struct hardware v100 = device("Tesla V100-PCIE-32GB");
    const struct estimate estimate = estimate_on(&v100, kernel);
    assert_int_equal(estimate.basis, BASIS_BYTES);
    assert_true(isnan(estimate.error));
    assert_true(estimate_sd(&estimate) > 0.5);
    assert_int_equal(estimate.from.len, 0);
}

static void what_was_measured_says_by_whom(void **state)
{
    const struct hardware v100 = device("Tesla V100-PCIE-32GB"), l4 = device("NVIDIA L4");
    const struct estimate own = estimate_on(&v100, product(DTYPE_F32, 4096));
    const struct estimate carried = estimate_on(&l4, product(DTYPE_F32, 4096));
    assert_int_equal(own.basis, BASIS_MEASURED);
    assert_true(str_eq(own.from, v100.name));
    assert_int_equal(carried.basis, BASIS_CARRIED);
    assert_true(carried.from.len > 0 && !str_eq(carried.from, l4.name));
    assert_true(estimate_sd(&carried) > 2 * estimate_sd(&own));
}

/* Another vendor is never near. */
static void strangers_are_told_less_surely(void **state)
{
    const struct hardware l4 = device("NVIDIA L4"), mi300x = device("MI300X");
    const struct estimate near = estimate_on(&l4, product(DTYPE_F32, 4096));
    const struct estimate far = estimate_on(&mi300x, product(DTYPE_F32, 4096));
    assert_true(far.shared > 1.4 * near.shared);
}

/* GPUs left out were off by 3 % in additions once their host was told: beside what hosts may differ by, a device is off by little more. */
static void beside_hosts_a_device_is_off_as_those_left_out_were(void **state)
{
    const struct hardware l4 = device("NVIDIA L4");
    const struct kernel add = {.form = FORM_ELEMENTWISE,
                               .dtype = DTYPE_F32,
                               .variant = S("add"),
                               .elements = {.rows = 1 << 16, .cols = 4096, .accesses = 3}};
    const struct estimate vector = estimate_on(&l4, add), products = estimate_on(&l4, product(DTYPE_F32, 4096));
    assert_int_equal(vector.basis, BASIS_CARRIED);
    assert_true(vector.shared < 0.8 * products.shared);
    assert_true(vector.shared > 0.3 * products.shared);
}

/* ---- sums ---- */

static struct estimate part(double us, uint32_t family, double shared, double own)
{
    return (struct estimate){.us = us, .family = family, .shared = shared, .own = own};
}

static struct kernel lone_all_reduce(int64_t bytes, int64_t ranks)
{
    return (struct kernel){.form = FORM_COLLECTIVE,
                           .alone = true,
                           .dtype = DTYPE_F32,
                           .variant = S(""),
                           .collective = {COLLECTIVE_ALL_REDUCE + 1, bytes, ranks, ranks}};
}

/* What machines differ by is latency; large messages go as the link does on all of them. */
static void doubt_goes_with_what_decides_at_a_size(void **state)
{
    const struct hardware v100 = device("Tesla V100-SXM2-32GB");
    const struct estimate small = estimate_on(&v100, lone_all_reduce(2048, 8)),
                          large = estimate_on(&v100, lone_all_reduce(1 << 30, 8));
    assert_int_equal(small.basis, BASIS_CARRIED);
    assert_true(estimate_sd(&small) > 1.5 * estimate_sd(&large));
    assert_true(estimate_sd(&large) > 0.1);
}

/* Of boards without links of their own the host decides, whatever the chip. */
static void over_the_host_the_chip_says_little(void **state)
{
    const struct hardware l40s = device("NVIDIA L40S");
    const struct estimate estimate = estimate_on(&l40s, lone_all_reduce(1 << 30, 4));
    assert_int_equal(estimate.basis, BASIS_CARRIED);
    assert_true(estimate_sd(&estimate) > 0.15);
}

static void what_is_shared_does_not_cancel_within_a_family(void **state)
{
    struct estimate_sum sum = {0};
    double shared, own;
    for (int i = 0; i < 64; i++) {
        const struct estimate one = part(10 + i, 1, 0.1, 0.1);
        estimate_sum_add(&sum, &one, one.us);
    }
    estimate_sum_sd(&sum, &shared, &own);
    assert_true(fabs(shared - 0.1) < 1e-9);
    assert_true(own < 0.04);
}

/* sqrt(0.75 x 2 x 0.05^2 + 0.25 x 0.1^2) of two families, half of the time each. */
static void families_go_together_a_little(void **state)
{
    struct estimate_sum sum = {0};
    double shared, own;
    const struct estimate one = part(10, 1, 0.1, 0), other = part(10, 2, 0.1, 0);
    estimate_sum_add(&sum, &one, 10);
    estimate_sum_add(&sum, &other, 10);
    estimate_sum_sd(&sum, &shared, &own);
    assert_true(fabs(shared - sqrt(0.75 * 2 * 0.0025 + 0.25 * 0.01)) < 1e-9);
    assert_true(own == 0);
}

/* A shape that runs a hundred times is off a hundred times alike. */
static void one_shape_is_off_alike_each_time(void **state)
{
    struct estimate_sum sum = {0};
    double shared, own;
    const struct estimate one = part(10, 1, 0, 0.2);
    for (int i = 0; i < 100; i++)
        estimate_sum_add(&sum, &one, one.us);
    estimate_sum_sd(&sum, &shared, &own);
    assert_true(fabs(own - 0.2) < 1e-9);
}

/* What a step takes beside its kernels is no kernel's, and does not cancel among many. */
static void a_sum_may_be_off_as_a_whole(void **state)
{
    struct estimate_sum sum = {.whole = 0.3}, joined = {0};
    double shared, own;
    const struct estimate one = part(10, 1, 0.4, 0);
    estimate_sum_add(&sum, &one, one.us);
    estimate_sum_join(&joined, &sum);
    estimate_sum_sd(&joined, &shared, &own);
    assert_true(fabs(shared - 0.5) < 1e-9);
}

/* The test rows of five GPUs lie so far from what their training rows say. */
static void a_measured_device_is_off_as_a_whole_by_family(void **state)
{
    const struct hardware v100 = device("Tesla V100-PCIE-32GB");
    const struct kernel add = {.form = FORM_ELEMENTWISE,
                               .dtype = DTYPE_F32,
                               .variant = S("add"),
                               .elements = {.rows = 4096, .cols = 4096, .accesses = 3}};
    const struct estimate product_there = estimate_on(&v100, product(DTYPE_F32, 4096)),
                          add_there = estimate_on(&v100, add);
    assert_int_equal(add_there.basis, BASIS_MEASURED);
    assert_true(product_there.shared >= 0.055 && add_there.shared < 0.02);
}

static double half_of(enum library library, int64_t rows)
{
    const struct hardware h100 = device("NVIDIA H100 SXM 80GB");
    struct kernel kernel = product(DTYPE_BF16, rows);
    kernel.format = FORMAT_W8A8_FP8;
    kernel.library = library;
    const struct estimate estimate = estimate_on(&h100, kernel);
    return estimate_sd(&estimate);
}

static void engines_whose_kernels_are_alike_are_told_more_surely(void **state)
{
    assert_true(half_of(LIBRARY_TRTLLM, 4096) < half_of(LIBRARY_SGLANG, 4096));
    assert_true(half_of(LIBRARY_SGLANG, 4096) < half_of(LIBRARY_VLLM, 4096));
    assert_true(half_of(LIBRARY_VLLM, 64) < 0.5 * half_of(LIBRARY_VLLM, 8192));
}

static double block_us(const char *name, enum library library)
{
    const struct hardware there = device(name);
    struct kernel kernel = product(DTYPE_BF16, 16);
    kernel.format = FORMAT_W8A8_BLOCK;
    kernel.library = library;
    return estimate_on(&there, kernel).us;
}

/* Of scales of blocks: on a measured generation engines differ, and nothing of that is carried to another one. */
static void what_engines_launch_stays_with_their_generation(void **state)
{
    const double measured =
        block_us("NVIDIA H100 SXM 80GB", LIBRARY_SGLANG) / block_us("NVIDIA H100 SXM 80GB", LIBRARY_TRTLLM);
    assert_true(fabs(log(measured)) > 0.01);
    assert_true(block_us("NVIDIA L40S", LIBRARY_SGLANG) == block_us("NVIDIA L40S", LIBRARY_TRTLLM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_those_of_students_distribution),
        cmocka_unit_test(an_interval_lies_about_its_time),
        cmocka_unit_test(what_was_never_measured_has_no_error),
        cmocka_unit_test(what_was_measured_says_by_whom),
        cmocka_unit_test(strangers_are_told_less_surely),
        cmocka_unit_test(beside_hosts_a_device_is_off_as_those_left_out_were),
        cmocka_unit_test(doubt_goes_with_what_decides_at_a_size),
        cmocka_unit_test(over_the_host_the_chip_says_little),
        cmocka_unit_test(what_is_shared_does_not_cancel_within_a_family),
        cmocka_unit_test(families_go_together_a_little),
        cmocka_unit_test(one_shape_is_off_alike_each_time),
        cmocka_unit_test(a_sum_may_be_off_as_a_whole),
        cmocka_unit_test(a_measured_device_is_off_as_a_whole_by_family),
        cmocka_unit_test(engines_whose_kernels_are_alike_are_told_more_surely),
        cmocka_unit_test(what_engines_launch_stays_with_their_generation),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
