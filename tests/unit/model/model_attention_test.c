/* SPDX-License-Identifier: Apache-2.0 */
#include "model_case.h"

static const char *const devices[] = {"NVIDIA T4", "NVIDIA A100-SXM4-80GB", "H100", "NVIDIA B200",
                                      "AMD Instinct MI300X"};
enum { DEVICES = sizeof devices / sizeof *devices };

static struct kernel attention(enum dtype dtype, int64_t queries, int64_t keys, bool causal)
{
    return (struct kernel){
        .form = FORM_ATTENTION,
        .dtype = dtype,
        .attention = {.batch = 8, .heads = 16, .queries = queries, .keys = keys, .width = 128, .causal = causal}};
}

static void long_sequences_run_at_a_good_part_of_the_peak(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const struct kernel kernel = attention(DTYPE_F16, 8192, 8192, false);
        const double peak_us = kernel_flops(&kernel) / device(devices[i]).figure[HW_FP16] * 1e6;
        assert_in_range(100 * us_on(devices[i], kernel) / peak_us, 110, 400);
    }
}

static void a_mask_halves_the_work_of_long_sequences(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        assert_in_range(100 * us_on(devices[i], attention(DTYPE_F16, 8192, 8192, true)) /
                            us_on(devices[i], attention(DTYPE_F16, 8192, 8192, false)),
                        45, 60);
}

/* Each of the last few queries meets almost all keys. */
static void a_mask_takes_nothing_from_a_single_query(void **state)
{
    const double masked = us_on("H100", attention(DTYPE_F16, 1, 8192, true));
    assert_true(masked > 0.99 * us_on("H100", attention(DTYPE_F16, 1, 8192, false)));
}

static void single_precision_and_going_back_take_longer(void **state)
{
    struct kernel back = attention(DTYPE_F16, 2048, 2048, false);
    back.backward = true;
    for (int i = 0; i < DEVICES; i++) {
        const double forth = us_on(devices[i], attention(DTYPE_F16, 2048, 2048, false));
        assert_true(us_on(devices[i], attention(DTYPE_F32, 2048, 2048, false)) > forth);
        assert_in_range(100 * us_on(devices[i], back) / forth, 200, 400);
    }
}

static void more_queries_and_keys_take_no_less(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int64_t length = 1; length < 65536; length *= 2) {
            const double us = us_on(devices[i], attention(DTYPE_F16, length, 1024, false));
            assert_true(us_on(devices[i], attention(DTYPE_F16, 2 * length, 1024, false)) >= us);
            assert_true(us_on(devices[i], attention(DTYPE_F16, length, 2048, false)) >= us);
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sequences_run_at_a_good_part_of_the_peak),
        cmocka_unit_test(a_mask_halves_the_work_of_long_sequences),
        cmocka_unit_test(a_mask_takes_nothing_from_a_single_query),
        cmocka_unit_test(single_precision_and_going_back_take_longer),
        cmocka_unit_test(more_queries_and_keys_take_no_less),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
