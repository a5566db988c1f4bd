/* SPDX-License-Identifier: Apache-2.0 */
/* What the form of products on matrix units must do on any device, measured or not. */
#include "model_case.h"

static const char *const devices[] = {"H100", "H200", "NVIDIA B200", "NVIDIA L4", "AMD Instinct MI300X"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* C[m x n] = A[m x k] B[k x n] */
static struct kernel product(enum dtype dtype, int64_t m, int64_t n, int64_t k)
{
    return (struct kernel){.form = FORM_LINEAR, .dtype = dtype, .product = {1, m, k, n}};
}

static double peak_us(const char *name, enum hw_key peak, struct kernel kernel)
{
    return kernel_flops(&kernel) / device(name).figure[peak] * 1e6;
}

static void large_products_run_near_the_peak_of_their_type(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const struct kernel eight = product(DTYPE_F8, 8192, 8192, 8192),
                            sixteen = product(DTYPE_BF16, 8192, 8192, 8192);
        assert_in_range(100 * us_on(devices[i], eight) / peak_us(devices[i], HW_FP8, eight), 90, 220);
        assert_in_range(100 * us_on(devices[i], sixteen) / peak_us(devices[i], HW_BF16, sixteen), 90, 220);
        assert_true(us_on(devices[i], eight) < us_on(devices[i], sixteen));
    }
}

/* One row: the whole of B comes from memory once. */
static void thin_products_run_at_the_pace_of_memory(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const double memory_us = 8192.0 * 8192 / device(devices[i]).figure[HW_MEMORY_RATE] * 1e6;
        assert_in_range(100 * us_on(devices[i], product(DTYPE_F8, 1, 8192, 8192)) / memory_us, 50, 400);
    }
}

static void more_work_takes_no_less(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int size = 0; size < 3; size++) {
            double before = 0;
            for (int64_t n = 1; n <= 65536; n *= 2) {
                const int64_t sizes[3] = {size ? 4096 : n, size == 1 ? n : 4096, size == 2 ? n : 4096};
                const double us = us_on(devices[i], product(DTYPE_F8, sizes[0], sizes[1], sizes[2]));
                assert_true(us > 0.98 * before);
                before = us;
            }
        }
}

/* An A100 has no units of 8 bits, a P100 none of either kind. */
/* What a device does not multiply is computed in ways that nobody measured. */
static void a_device_without_units_for_a_type_is_refused(void **state)
{
    const struct hardware a100 = device("NVIDIA A100-SXM4-80GB"), p4 = device("Tesla P4");
    assert_true(str_has(refusal(&a100, product(DTYPE_F8, 4096, 4096, 4096)), S("no peak for products in fp8")));
    assert_true(str_has(refusal(&p4, product(DTYPE_BF16, 4096, 4096, 4096)), S("no peak for products in bf16")));
}

/* ---- absurdities that need no measurement ---- */

static double us_of(const struct hardware *hardware, struct kernel kernel)
{
    struct estimate estimate;
    assert_true(models_estimate(models, hardware, &kernel, &estimate, NULL));
    return estimate.us;
}

/* Devices with peaks for 16 bits, as the catalogue has them. */
static uint32_t boards(struct hardware *into, uint32_t room)
{
    const struct catalogue *catalogue = catalogue_built_in();
    uint32_t count = 0;
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue) && count < room; i++) {
        const struct hardware *gpu = catalogue_gpu_at(catalogue, i);
        if (gpu->figure[HW_BF16] > 0 && gpu->figure[HW_SMS] > 0)
            into[count++] = *gpu;
    }
    assert_true(count > 20);
    return count;
}

static void a_batch_of_one_is_a_linear_layer(void **state)
{
    struct hardware gpu[128];
    for (uint32_t i = 0, count = boards(gpu, 128); i < count; i++)
        for (int64_t m = 1; m <= 8192; m *= 8) {
            struct kernel one = product(DTYPE_BF16, m, 4096, 4096), batched = one;
            batched.form = FORM_BMM;
            assert_true(us_of(&gpu[i], one) == us_of(&gpu[i], batched));
        }
}

/*
 * What a device does better takes no longer. It has a maker of its own: what was learned of a device goes by features that
 * jump, and holds there and for its siblings alone.
 */
static void a_faster_clock_or_memory_takes_no_longer(void **state)
{
    static const enum hw_key faster[] = {HW_CLOCK, HW_MEMORY_RATE, HW_BF16, HW_L2_BYTES, HW_POWER};
    struct hardware gpu[128];
    for (uint32_t i = 0, count = boards(gpu, 128); i < count; i++)
        for (int64_t m = 1; m <= 8192; m *= 8)
            for (size_t key = 0; key < sizeof faster / sizeof *faster; key++) {
                const struct kernel kernel = product(DTYPE_BF16, m, 4096, 4096);
                struct hardware one = gpu[i], better;
                one.name = S("Board that nobody built");
                better = one;
                better.figure[faster[key]] *= 1.05;
                if (us_of(&better, kernel) > 1.005 * us_of(&one, kernel))
                    fail_msg("%.*s, m %d: more %s, and %.3f of the time", (int)gpu[i].name.len, gpu[i].name.at, (int)m,
                             hw_key_word(faster[key]).at, us_of(&better, kernel) / us_of(&one, kernel));
            }
}

/* Of the peak, in products that fill any of them; and of the memory's rate, where weights alone are read. */
static void every_device_reaches_a_sane_share_of_what_it_has(void **state)
{
    struct hardware gpu[128];
    for (uint32_t i = 0, count = boards(gpu, 128); i < count; i++) {
        const struct kernel large = product(DTYPE_BF16, 8192, 8192, 8192), thin = product(DTYPE_BF16, 8, 16384, 16384);
        const double share = kernel_flops(&large) / gpu[i].figure[HW_BF16] * 1e6 / us_of(&gpu[i], large);
        const double rate = kernel_bytes(&thin) / gpu[i].figure[HW_MEMORY_RATE] * 1e6 / us_of(&gpu[i], thin);
        if (share < 0.35 || share > 1.05 || rate < 0.35 || rate > 1.05)
            fail_msg("%.*s: %.2f of its peak, %.2f of its memory's rate", (int)gpu[i].name.len, gpu[i].name.at, share,
                     rate);
    }
}

static void kernels_in_a_queue_take_less_than_lone_ones(void **state)
{
    struct kernel queued = product(DTYPE_BF16, 16, 1024, 1024), lone = queued;
    lone.alone = true;
    for (int i = 0; i < DEVICES; i++)
        assert_true(us_on(devices[i], queued) < us_on(devices[i], lone));
}

/* ---- formats and libraries ---- */

static void narrow_formats_take_less_where_weights_are_most(void **state)
{
    struct kernel plain = product(DTYPE_BF16, 8, 16384, 16384), eight = plain, four = plain, weights = plain;
    eight.format = FORMAT_W8A8_FP8;
    four.format = FORMAT_W4A4_FP4;
    weights.format = FORMAT_W4A16_INT4;
    assert_true(us_on("NVIDIA B200", eight) < 0.7 * us_on("NVIDIA B200", plain));
    assert_true(us_on("NVIDIA B200", four) < 0.8 * us_on("NVIDIA B200", eight));
    assert_true(us_on("NVIDIA A100-SXM4-80GB", weights) < 0.6 * us_on("NVIDIA A100-SXM4-80GB", plain));
}

static void a_format_without_units_is_refused(void **state)
{
    const struct hardware h100 = device("H100");
    struct kernel four = product(DTYPE_BF16, 16, 4096, 4096);
    four.format = FORMAT_W4A4_FP4;
    assert_true(str_has(refusal(&h100, four), S("lacks the figure fp4")));
}

/* Without a library it is the mean of them, which lies between. */
static void a_library_that_is_not_told_is_between_those_that_are(void **state)
{
    double least = INFINITY, most = 0;
    for (int library = LIBRARY_SGLANG; library <= LIBRARY_VLLM; library++) {
        struct kernel kernel = product(DTYPE_BF16, 1024, 4096, 4096);
        kernel.library = (enum library)library;
        least = fmin(least, us_on("NVIDIA L40S", kernel));
        most = fmax(most, us_on("NVIDIA L40S", kernel));
    }
    const double untold = us_on("NVIDIA L40S", product(DTYPE_BF16, 1024, 4096, 4096));
    assert_true(least < most && untold >= 0.99 * least && untold <= 1.01 * most);
}

static void a_product_without_columns_is_refused(void **state)
{
    const struct hardware h100 = device("H100");
    assert_true(str_has(refusal(&h100, product(DTYPE_F8, 8, 0, 8)), S("k is 0")));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_products_run_near_the_peak_of_their_type),
        cmocka_unit_test(thin_products_run_at_the_pace_of_memory),
        cmocka_unit_test(more_work_takes_no_less),
        cmocka_unit_test(a_device_without_units_for_a_type_is_refused),
        cmocka_unit_test(a_product_without_columns_is_refused),
        cmocka_unit_test(a_batch_of_one_is_a_linear_layer),
        cmocka_unit_test(a_faster_clock_or_memory_takes_no_longer),
        cmocka_unit_test(every_device_reaches_a_sane_share_of_what_it_has),
        cmocka_unit_test(kernels_in_a_queue_take_less_than_lone_ones),
        cmocka_unit_test(narrow_formats_take_less_where_weights_are_most),
        cmocka_unit_test(a_format_without_units_is_refused),
        cmocka_unit_test(a_library_that_is_not_told_is_between_those_that_are),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
