/* SPDX-License-Identifier: Apache-2.0 */
/* What the form of matrix products must do whatever its coefficients are: it is used far from where it was fitted. */
#include "unit/cmocka_first.h"

#include <math.h>

#include "hw/catalogue.h"
#include "model/estimate/model.h"

static struct arena arena;
static const struct models *models;
static const struct catalogue *catalogue;

static int open_models(void **state)
{
    models = models_new(&arena);
    catalogue = catalogue_built_in();
    return 0;
}

static int close_models(void **state)
{
    arena_free(&arena);
    return 0;
}

static const struct hardware *device(const char *name)
{
    const struct hardware *found = catalogue_gpu(catalogue, str_of(name), (struct gpu_signs){-1, -1});
    assert_non_null(found);
    return found;
}

static struct estimate estimate(const char *name, struct kernel kernel)
{
    struct estimate estimate;
    struct steptime_error err;
    if (!models_estimate(models, device(name), &kernel, &estimate, &err))
        fail_msg("%s", err.message);
    return estimate;
}

static double us_of(const char *name, enum kernel_form form, int64_t b, int64_t m, int64_t n, int64_t k)
{
    return estimate(name, (struct kernel){.form = form, .dtype = DTYPE_F32, .product = {b, m, n, k}}).us;
}

static const char *const devices[] = {
    "NVIDIA Tesla P4", "NVIDIA T4",  "Tesla V100-PCIE-32GB",  "NVIDIA A100-PCIE-40GB", "NVIDIA A100 80GB PCIe",
    "NVIDIA L4",       "NVIDIA A10", "NVIDIA H100 80GB HBM3", "NVIDIA B200",           "AMD Instinct MI210",
};
enum { DEVICES = sizeof devices / sizeof *devices };

static double matrix_peak(const struct hardware *hardware)
{
    return fmax(hardware->figure[HW_FP32], hardware->figure[HW_FP32_MATRIX]);
}

/* The peaks of the catalogue: no product may beat them by more than boards differ from their data sheets. */
static void no_product_beats_the_device(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int64_t size = 64; size <= 16384; size *= 4) {
            const struct hardware *hardware = device(devices[i]);
            const double us = us_of(devices[i], FORM_LINEAR, 1, size, size, size);
            const double arithmetic_us = 2e6 * pow((double)size, 3) / matrix_peak(hardware);
            const double memory_us = 12e6 * pow((double)size, 2) / hardware->figure[HW_MEMORY_RATE];
            assert_true(us > 0.8 * arithmetic_us);
            assert_true(us > 0.4 * memory_us);
        }
}

/* Large products run at a good part of the peak on every device, also those of which nothing was measured. */
static void large_products_are_near_the_peak(void **state)
{
    for (int i = 0; i < DEVICES; i++) {
        const double ideal_us = 2e6 * pow(8192, 3) / matrix_peak(device(devices[i]));
        const double us = us_of(devices[i], FORM_LINEAR, 1, 8192, 8192, 8192);
        assert_true(us < 8 * ideal_us);
    }
}

static void more_work_takes_longer(void **state)
{
    for (int i = 0; i < DEVICES; i++)
        for (int64_t size = 256; size <= 8192; size *= 2) {
            const double us = us_of(devices[i], FORM_BMM, 8, size, size, size);
            assert_true(us_of(devices[i], FORM_BMM, 8, 4 * size, size, size) > us);
            assert_true(us_of(devices[i], FORM_BMM, 8, size, 4 * size, size) > us);
            assert_true(us_of(devices[i], FORM_BMM, 8, size, size, 4 * size) > us);
            assert_true(us_of(devices[i], FORM_BMM, 32, size, size, size) > us);
        }
}

/* n is the reduction: the same FLOPs with a long reduction move fewer bytes than with a short one. */
static void n_is_the_reduction(void **state)
{
    assert_true(us_of("Tesla V100-PCIE-32GB", FORM_BMM, 64, 1024, 4, 1024) >
                us_of("Tesla V100-PCIE-32GB", FORM_BMM, 64, 64, 1024, 64));
}

static void a_lone_call_costs_its_launch(void **state)
{
    struct kernel kernel = {.form = FORM_LINEAR, .dtype = DTYPE_F32, .product = {1, 16, 16, 16}};
    const double inside_us = estimate("Tesla V100-PCIE-32GB", kernel).us;
    kernel.alone = true;
    assert_true(inside_us < 10);
    assert_true(estimate("Tesla V100-PCIE-32GB", kernel).us > inside_us + 10);
}

/* Operations a microsecond of products of 512 x 512 matrices; `lone` or in a full queue. */
static double rate(const char *name, int64_t batch, bool lone)
{
    const struct kernel kernel = {
        .form = FORM_BMM, .dtype = DTYPE_F32, .alone = lone, .product = {batch, 512, 512, 512}};
    return 2.0 * (double)batch * 512 * 512 * 512 / estimate(name, kernel).us;
}

/* T4 is rated for half the power that its peak wants: it has that peak for a millisecond, not for long. */
static void a_board_short_of_power_slows_when_busy_for_long(void **state)
{
    const char *const short_of_power = "NVIDIA T4", *const other = "Tesla V100-PCIE-32GB";
    assert_true(rate(short_of_power, 16, true) > 1.3 * rate(short_of_power, 2048, true));
    assert_true(rate(short_of_power, 16, false) > 1.3 * rate(short_of_power, 2048, false));
    assert_true(rate(other, 16, true) < rate(other, 2048, true));
}

/* Measured operators by themselves sum up to what models of them take, on boards short of power as on others. */
static void in_a_model_the_clock_is_that_of_lone_kernels(void **state)
{
    for (int64_t batch = 64; batch <= 4096; batch *= 4) {
        assert_in_range((int64_t)(1000 * rate("NVIDIA T4", batch, false) / rate("NVIDIA T4", batch, true)), 1000, 1030);
        assert_in_range((int64_t)(1000 * rate("Tesla P4", batch, false) / rate("Tesla P4", batch, true)), 1000, 1030);
    }
}

/* Boards of AMD have no bursts: what their power does to long products it does to short ones. */
static void boards_without_bursts_are_as_slow_at_once(void **state)
{
    const char *const name = "AMD Instinct MI210";
    assert_true(rate(name, 64, false) < 1.02 * rate(name, 2048, false));
    assert_true(rate(name, 64, true) < 1.02 * rate(name, 2048, true));
}

static void sizes_that_are_none_are_named(void **state)
{
    struct estimate estimate;
    struct steptime_error err;
    struct kernel kernel = {.form = FORM_BMM, .product = {1, 2, 3, 0}};
    assert_false(models_estimate(models, device("NVIDIA T4"), &kernel, &estimate, &err));
    assert_string_equal(err.message, "k is 0 or less");
    kernel = (struct kernel){.form = FORM_BMM, .product = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}};
    assert_false(models_estimate(models, device("NVIDIA T4"), &kernel, &estimate, &err));
    kernel = (struct kernel){.form = FORM_BMM, .product = {1, 1 << 30, 1 << 30, 1 << 30}};
    assert_true(models_estimate(models, device("NVIDIA T4"), &kernel, &estimate, &err));
    assert_true(isfinite(estimate.us));
}

static void figures_that_lack_are_named(void **state)
{
    struct estimate estimate;
    struct steptime_error err;
    struct hardware hardware = *device("NVIDIA T4");
    const struct kernel kernel = {.form = FORM_BMM, .product = {1, 64, 64, 64}};
    hardware.figure[HW_MEMORY_RATE] = 0;
    assert_false(models_estimate(models, &hardware, &kernel, &estimate, &err));
    assert_non_null(strstr(err.message, "memory"));
}

static void measured_devices_say_so(void **state)
{
    const struct kernel kernel = {.form = FORM_LINEAR, .dtype = DTYPE_F32, .product = {1, 512, 512, 512}};
    assert_int_equal(estimate("Tesla V100-PCIE-32GB", kernel).basis, BASIS_MEASURED);
    assert_int_equal(estimate("NVIDIA H100 80GB HBM3", kernel).basis, BASIS_CARRIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_product_beats_the_device),
        cmocka_unit_test(large_products_are_near_the_peak),
        cmocka_unit_test(more_work_takes_longer),
        cmocka_unit_test(n_is_the_reduction),
        cmocka_unit_test(a_lone_call_costs_its_launch),
        cmocka_unit_test(sizes_that_are_none_are_named),
        cmocka_unit_test(figures_that_lack_are_named),
        cmocka_unit_test(measured_devices_say_so),
        cmocka_unit_test(a_board_short_of_power_slows_when_busy_for_long),
        cmocka_unit_test(in_a_model_the_clock_is_that_of_lone_kernels),
        cmocka_unit_test(boards_without_bursts_are_as_slow_at_once),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
