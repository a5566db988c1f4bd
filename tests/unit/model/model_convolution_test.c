/* SPDX-License-Identifier: Apache-2.0 */
/* What the form of convolutions must do on any device, measured or not. */
#include "model_case.h"

static const char *const devices[] = {
    "NVIDIA Tesla P4", "NVIDIA T4", "Tesla V100-PCIE-32GB", "NVIDIA A100 80GB PCIe",
    "NVIDIA L4",       "H100",      "NVIDIA B200",          "AMD Instinct MI300X",
};
enum { DEVICES = sizeof devices / sizeof *devices };

/* batch, in, out, window, side, stride, padding */
static struct kernel layer(int64_t b, int64_t in, int64_t out, int64_t window, int64_t side, int64_t stride)
{
    const struct axis axis = {side, window, stride, window / 2, 1};
    return (struct kernel){
        .form = FORM_CONVOLUTION, .dtype = DTYPE_F32, .convolution = {b, in, out, 1, {axis_of_one(), axis, axis}}};
}

static double peak_us(const char *name, struct kernel kernel)
{
    return kernel_flops(&kernel) / device(name).figure[HW_FP32] * 1e6;
}

static void large_layers_take_a_good_part_of_the_peak(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const struct kernel one = layer(64, 512, 512, 1, 28, 1), five = layer(64, 256, 256, 5, 28, 1);
        assert_in_range(100 * us_on(devices[i], one) / peak_us(devices[i], one), 80, 400);
        assert_in_range(100 * us_on(devices[i], five) / peak_us(devices[i], five), 80, 400);
    }
}

/* Winograd saves at most four of the multiplications. */
static void windows_of_three_by_three_may_beat_the_peak_but_not_fourfold(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const struct kernel kernel = layer(64, 512, 512, 3, 28, 1);
        assert_in_range(100 * us_on(devices[i], kernel) / peak_us(devices[i], kernel), 25, 250);
    }
}

static void more_work_takes_no_less(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int size = 0; size < 3; size++)
            for (int64_t window = 1; window <= 3; window += 2) {
                double before = 0;
                for (int64_t n = 16; n <= 1024; n *= 2) {
                    const int64_t sizes[3] = {size ? 32 : n, size == 1 ? n : 128, size == 2 ? n : 128};
                    const double us = us_on(devices[i], layer(sizes[0], sizes[1], sizes[2], window, 28, 1));
                    assert_true(us > 0.95 * before);
                    before = us;
                }
            }
}

/*
 * As a recorded network shows: beside windows that are no Winograd's either, with as much arithmetic. By 1.3, and no more than
 * reading the further inputs takes.
 */
static void windows_of_one_position_are_slower_than_others(void **state)
{
    const struct kernel one = layer(64, 25 * 64, 256, 1, 28, 1), five = layer(64, 64, 256, 5, 28, 1);
    const double further_bytes = 4.0 * 64 * (25 - 1) * 64 * 28 * 28;
    for (int i = 0; i < DEVICES; i++) {
        const double us = us_on(devices[i], one), less = us_on(devices[i], five);
        const double read_us = further_bytes / device(devices[i]).figure[HW_MEMORY_RATE] * 1e6;
        assert_true(us > 1.2 * less);
        assert_true(us < 1.3 * less + 2 * read_us);
    }
}

static void strides_and_groups_take_work_away(void **state)
{
    struct kernel grouped = layer(32, 256, 256, 3, 56, 1);
    grouped.convolution.groups = 256;
    for (int i = 0; i < DEVICES; i++) {
        const double whole = us_on(devices[i], layer(32, 256, 256, 5, 56, 1));
        assert_true(us_on(devices[i], layer(32, 256, 256, 5, 56, 2)) < 0.5 * whole);
        assert_true(us_on(devices[i], grouped) < whole);
    }
}

static void odd_layers_have_a_time_too(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        us_on(devices[i], layer(1, 1, 1, 1, 1, 1));
        us_on(devices[i], layer(1, 3, 8, 11, 5, 4));
        us_on(devices[i], layer(1, 65536, 65536, 3, 1, 1));
    }
}

static void a_layer_without_channels_is_refused(void **state)
{
    const struct hardware h100 = device("H100");
    assert_true(str_has(refusal(&h100, layer(8, 0, 8, 3, 8, 1)), S("channels")));
}

/* A lone call pays for its launch, one inside a model does not. */
static void inside_a_model_nothing_is_paid_for_launching(void **state)
{
    struct kernel kernel = layer(1, 64, 64, 3, 14, 1);
    const double inside = us_on("H100", kernel);
    kernel.alone = true;
    assert_true(us_on("H100", kernel) > inside + 10);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_layers_take_a_good_part_of_the_peak),
        cmocka_unit_test(windows_of_three_by_three_may_beat_the_peak_but_not_fourfold),
        cmocka_unit_test(more_work_takes_no_less),
        cmocka_unit_test(windows_of_one_position_are_slower_than_others),
        cmocka_unit_test(strides_and_groups_take_work_away),
        cmocka_unit_test(odd_layers_have_a_time_too),
        cmocka_unit_test(a_layer_without_channels_is_refused),
        cmocka_unit_test(inside_a_model_nothing_is_paid_for_launching),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
