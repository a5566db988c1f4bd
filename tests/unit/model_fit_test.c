/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares find what was planted, whatever a few rows say; fitting finds the coefficients of planted kernels. */
#include "cmocka_first.h"

#include <math.h>

#include "hw/catalogue.h"
#include "model/families.h"
#include "model/fit.h"
#include "model/least_squares.h"

/* ---- least squares ---- */

enum { POINTS = 60 };

/* y = exp(-a t) + b, of which every tenth point is far off. */
static double planted(int i)
{
    const double t = i * 0.1;
    return exp(-0.7 * t) + 0.3 + (i % 10 == 3 ? 5 : 0);
}

static void decay_residuals(const void *context, const double *x, double *residuals)
{
    for (int i = 0; i < POINTS; i++)
        residuals[i] = exp(-x[0] * i * 0.1) + x[1] - planted(i);
}

static void least_squares_find_what_was_planted(void **state)
{
    const double low[] = {0, -10}, high[] = {10, 10};
    const struct least_squares problem = {.rows = POINTS,
                                          .parameters = 2,
                                          .low = low,
                                          .high = high,
                                          .knee = 0.01,
                                          .steps = 200,
                                          .residuals = decay_residuals};
    double x[] = {3, -2};
    least_squares(&problem, x);
    assert_true(fabs(x[0] - 0.7) < 0.02);
    assert_true(fabs(x[1] - 0.3) < 0.02);
}

static void bounds_are_kept(void **state)
{
    const double low[] = {1, -10}, high[] = {10, 10};
    const struct least_squares problem = {.rows = POINTS,
                                          .parameters = 2,
                                          .low = low,
                                          .high = high,
                                          .knee = 0.01,
                                          .steps = 100,
                                          .residuals = decay_residuals};
    double x[] = {3, -2};
    least_squares(&problem, x);
    assert_true(x[0] >= 1);
}

/* ---- fitting a family ---- */

static uint32_t dice = 12345;

static int64_t roll(int64_t least, int64_t most)
{
    dice = dice * 1664525 + 1013904223;
    return least + (int64_t)(dice >> 8) % (most - least + 1);
}

static const struct family *gemm;

/* Kernels whose times follow the form itself, with coefficients other than its starts. */
static void plant_rows(struct measurements *measurements, uint32_t device, uint32_t rows, struct arena *arena)
{
    double planted[FAMILY_PARAMETERS];
    for (uint32_t i = 0; i < gemm->parameter_count; i++)
        planted[i] = gemm->parameters[i].start;
    planted[0] = 41;
    planted[2] = 0.7;
    for (uint32_t i = 0; i < rows; i++) {
        struct measurement *row = &measurements->rows[measurements->count++];
        row->device = device;
        row->kernel = (struct kernel){.form = FORM_BMM,
                                      .alone = true,
                                      .dtype = DTYPE_F32,
                                      .size = {roll(1, 300), roll(1, 900), roll(1, 900), roll(1, 900)}};
        row->us = gemm->us(&row->kernel, &measurements->devices[device], planted);
    }
}

static struct measurements planted_measurements(uint32_t rows, struct arena *arena)
{
    const struct catalogue *catalogue = catalogue_new(arena);
    const struct gpu_signs silent = {-1, -1};
    struct measurements measurements = {.rows = arena_array(arena, 2 * rows, sizeof(struct measurement)),
                                        .device_count = 2};
    measurements.devices[0] = *catalogue_gpu(catalogue, S("Tesla V100-PCIE-32GB"), silent);
    measurements.devices[1] = *catalogue_gpu(catalogue, S("NVIDIA A100-PCIE-40GB"), silent);
    gemm = kernel_family_of_name(S("gemm"));
    dice = 12345;
    plant_rows(&measurements, 0, rows, arena);
    plant_rows(&measurements, 1, rows, arena);
    return measurements;
}

static void a_family_finds_its_own_coefficients(void **state)
{
    struct arena arena = {0};
    struct family_model model;
    const struct measurements measurements = planted_measurements(120, &arena);
    fit_family(gemm, &measurements, NULL, &arena, &model);
    assert_int_equal(model.group_count, 1);
    const struct group_model *group = &model.groups[0];
    assert_int_equal(group->set_count, 3);
    for (uint32_t i = 0; i < group->set_count; i++)
        assert_true(group->sets[i].error < 0.02);
    arena_free(&arena);
}

/* Ten rows of a device whose calls cost what others do not: its error falls by a third at the least. */
static void ten_rows_adapt_a_device(void **state)
{
    struct arena arena = {0};
    struct models *models = models_copy_built_in(&arena);
    struct measurements measurements = planted_measurements(200, &arena);
    measurements.device_count = 1;
    measurements.devices[0] = *catalogue_gpu(models->catalogue, S("NVIDIA L4"), (struct gpu_signs){-1, -1});
    measurements.count = 0;
    plant_rows(&measurements, 0, 200, &arena);
    const uint32_t all = measurements.count;
    double before = 0, after = 0;
    measurements.count = 10;
    const struct models old = *models_copy_built_in(&arena);
    assert_int_equal(fit_adapt(models, &measurements, &arena), 1);
    for (uint32_t i = 10; i < all; i++) {
        struct estimate estimate;
        const struct measurement *row = &measurements.rows[i];
        models_estimate(&old, &measurements.devices[0], &row->kernel, &estimate, NULL);
        before += fabs(estimate.us / row->us - 1);
        models_estimate(models, &measurements.devices[0], &row->kernel, &estimate, NULL);
        after += fabs(estimate.us / row->us - 1);
    }
    assert_true(after < before * 2 / 3);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_find_what_was_planted),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(a_family_finds_its_own_coefficients),
        cmocka_unit_test(ten_rows_adapt_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
