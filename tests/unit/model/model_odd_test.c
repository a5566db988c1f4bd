/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that no table has: unaligned products, TF32, a few rows, addresses an element, lists of tensors, blocks a channel. */
#include "model/estimate/interval.h"
#include "model_case.h"

static struct kernel product(enum dtype dtype, int64_t m, int64_t k, int64_t n)
{
    return (struct kernel){.form = FORM_LINEAR, .dtype = dtype, .product = {1, m, k, n}};
}

static const char *const nvidia[] = {"A100", "H100", "B200"};

static void unaligned_products_take_longer(void **state)
{
    for (int i = 0; i < 3; i++) {
        const double aligned = us_on(nvidia[i], product(DTYPE_BF16, 4096, 4096, 4096)),
                     odd = us_on(nvidia[i], product(DTYPE_BF16, 4096, 4097, 4096));
        assert_in_range(100 * odd / aligned, 150, 2500);
    }
}

static double factor_of(const struct hardware *hardware, struct kernel kernel)
{
    const struct estimate estimate = estimate_on(hardware, kernel);
    double low, high;
    estimate_interval(&estimate, 0.9, &low, &high);
    return high / estimate.us;
}

/* One GPU was measured, which says nothing of how far its coefficients carry. */
static void their_error_is_known_where_they_were_measured(void **state)
{
    const struct hardware h100 = device("H100"), h200 = device("H200");
    for (int64_t rows = 1; rows <= 4096; rows *= 4096) {
        const struct kernel odd = product(DTYPE_BF16, rows, 4097, 4096);
        assert_int_equal(estimate_on(&h100, odd).basis, BASIS_CARRIED);
        assert_int_equal(estimate_on(&h200, odd).basis, BASIS_MEASURED);
        assert_true(factor_of(&h100, odd) > 2.9 && factor_of(&h200, odd) < 2);
    }
}

/* What engines ask for was measured on the H100; what cuBLAS alone does at any size is further off. */
static void products_of_no_engine_are_in_more_doubt(void **state)
{
    const struct hardware hardware = device("H100");
    struct kernel kernel = product(DTYPE_BF16, 4096, 4096, 4096);
    const double untold = estimate_on(&hardware, kernel).own;
    kernel.library = LIBRARY_VLLM;
    assert_true(untold > estimate_on(&hardware, kernel).own + 0.05);
    kernel = product(DTYPE_BF16, 64, 32, 64);
    kernel.form = FORM_BMM;
    kernel.product.batch = 64;
    assert_true(estimate_on(&hardware, kernel).own > 0.5);
}

static struct kernel tf32(int64_t size)
{
    struct kernel kernel = product(DTYPE_F32, size, size, size);
    kernel.format = FORMAT_TF32;
    return kernel;
}

static void tf32_is_between_single_and_half(void **state)
{
    for (int i = 0; i < 3; i++) {
        const double us = us_on(nvidia[i], tf32(4096));
        assert_true(us < us_on(nvidia[i], product(DTYPE_F32, 4096, 4096, 4096)));
        assert_true(us > us_on(nvidia[i], product(DTYPE_BF16, 4096, 4096, 4096)));
    }
}

/* A leave to round, which a device without it does not take. */
static void a_device_without_tf32_multiplies_single_precision(void **state)
{
    const struct hardware hardware = device("V100-PCIe-32GB");
    const double plain = estimate_on(&hardware, product(DTYPE_F32, 1024, 1024, 1024)).us;
    assert_true(fabs(estimate_on(&hardware, tf32(1024)).us - plain) < 1e-6);
}

static void tf32_is_in_more_doubt_than_what_was_measured(void **state)
{
    const struct hardware hardware = device("A100-SXM4-80GB");
    assert_true(estimate_on(&hardware, tf32(4096)).shared >
                estimate_on(&hardware, product(DTYPE_BF16, 4096, 4096, 4096)).shared + 0.1);
}

/* Of no size less than the same in order, and down columns no less than along rows. */
static void addresses_cost(void **state)
{
    double before = 0;
    for (int scattered = SCATTERED_NOT; scattered <= SCATTERED_COLUMNS; scattered++) {
        struct kernel kernel = {
            .form = FORM_ELEMENTWISE, .dtype = DTYPE_BF16, .elements = {.rows = 8192, .cols = 1024, .accesses = 2}};
        kernel.elements.scattered = scattered;
        const double us = us_on("H100", kernel);
        assert_true(us > before);
        before = us;
    }
}

/* However few they are, a block goes through a chunk by itself. */
static void a_chunk_of_a_list_takes_its_time(void **state)
{
    struct kernel kernel = {
        .form = FORM_ELEMENTWISE, .dtype = DTYPE_F32, .elements = {.rows = 1, .cols = 150528, .accesses = 3}};
    const double alone = us_on("A100", kernel);
    kernel.elements.chunk = 65536;
    assert_true(us_on("A100", kernel) > 4 * alone);
}

static void a_block_goes_through_its_channel(void **state)
{
    struct kernel kernel = {.form = FORM_BATCH_NORM, .dtype = DTYPE_F16, .norm = {32, 64, 3136}};
    const double whole = us_on("A100", kernel);
    kernel.variant = S("native");
    assert_true(us_on("A100", kernel) > 2 * whole);
}

/* Ten in a row and one among others: the start is paid again. */
static void a_product_among_others_starts_anew(void **state)
{
    struct kernel kernel = product(DTYPE_BF16, 128, 512, 512);
    const struct hardware hardware = device("H100");
    const struct estimate repeated = estimate_on(&hardware, kernel);
    kernel.among = true;
    const struct estimate among = estimate_on(&hardware, kernel);
    assert_true(among.us > repeated.us + 1 && among.shared > repeated.shared);
    kernel.alone = true;
    assert_true(estimate_on(&hardware, kernel).us > among.us);
}

/* What a repeated kernel finds of its own in L2, another has not left there. Beyond the L2 there is nothing to find. */
static void streams_among_others_find_less_in_the_l2(void **state)
{
    struct kernel small = {.form = FORM_ELEMENTWISE,
                           .dtype = DTYPE_F32,
                           .elements = {.rows = 2048, .cols = 1024, .accesses = 3}},
                  large = small;
    large.elements.rows *= 64;
    const double repeated[] = {us_on("A100", small), us_on("A100", large)};
    small.among = large.among = true;
    assert_true(us_on("A100", small) > 1.1 * repeated[0]);
    assert_true(fabs(us_on("A100", large) - repeated[1]) < 0.01 * repeated[1]);
}

/* Of its peak MI300X reaches less than NVIDIA's boards do; H100, of which no share is known, is as it was measured. */
static void a_board_reaches_the_share_that_was_measured(void **state)
{
    const struct hardware hardware = device("MI300X");
    struct hardware full = hardware;
    full.figure[HW_MATRIX_SHARE] = 0;
    const struct kernel kernel = product(DTYPE_BF16, 8192, 8192, 8192);
    assert_in_range(100 * estimate_on(&hardware, kernel).us / estimate_on(&full, kernel).us, 140, 170);
    assert_in_range(1e-12 * kernel_flops(&kernel) / (estimate_on(&hardware, kernel).us * 1e-6), 500, 680);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unaligned_products_take_longer),
        cmocka_unit_test(their_error_is_known_where_they_were_measured),
        cmocka_unit_test(products_of_no_engine_are_in_more_doubt),
        cmocka_unit_test(tf32_is_between_single_and_half),
        cmocka_unit_test(a_device_without_tf32_multiplies_single_precision),
        cmocka_unit_test(tf32_is_in_more_doubt_than_what_was_measured),
        cmocka_unit_test(addresses_cost),
        cmocka_unit_test(a_chunk_of_a_list_takes_its_time),
        cmocka_unit_test(a_block_goes_through_its_channel),
        cmocka_unit_test(a_product_among_others_starts_anew),
        cmocka_unit_test(streams_among_others_find_less_in_the_l2),
        cmocka_unit_test(a_board_reaches_the_share_that_was_measured),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
