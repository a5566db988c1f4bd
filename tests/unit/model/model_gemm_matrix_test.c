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
static void a_device_without_units_computes_in_a_wider_type(void **state)
{
    const struct kernel eight = product(DTYPE_F8, 4096, 4096, 4096), half = product(DTYPE_BF16, 4096, 4096, 4096);
    assert_true(us_on("NVIDIA A100-SXM4-80GB", eight) > peak_us("NVIDIA A100-SXM4-80GB", HW_BF16, eight));
    assert_true(us_on("Tesla P4", half) > peak_us("Tesla P4", HW_FP32, half));
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
        cmocka_unit_test(a_device_without_units_computes_in_a_wider_type),
        cmocka_unit_test(a_product_without_columns_is_refused),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
