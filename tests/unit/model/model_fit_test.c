/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares find what was planted, whatever a few rows say; fitting finds the coefficients of planted kernels. */
#include "unit/cmocka_first.h"

#include <math.h>

#include "hw/catalogue.h"
#include "model/families/families.h"
#include "model/fit/fit.h"
#include "model/fit/fit_work.h"
#include "model/fit/least_squares.h"

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
                                      .product = {roll(1, 300), roll(1, 900), roll(1, 900), roll(1, 900)}};
        row->us = gemm->us(&row->kernel, &measurements->devices[device], planted);
    }
}

static struct measurements planted_measurements(uint32_t rows, struct arena *arena)
{
    const struct catalogue *catalogue = catalogue_built_in();
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
    struct models *models = models_writable(&arena);
    struct measurements measurements = planted_measurements(200, &arena);
    measurements.device_count = 1;
    measurements.devices[0] = *catalogue_gpu(models->catalogue, S("NVIDIA L4"), (struct gpu_signs){-1, -1});
    measurements.count = 0;
    plant_rows(&measurements, 0, 200, &arena);
    const uint32_t all = measurements.count;
    double before = 0, after = 0;
    measurements.count = 10;
    const struct models old = *models_writable(&arena);
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

/* Rows as another measured device would have them than the one that figures take for the nearest. */
static void ten_rows_tell_which_device_is_alike(void **state)
{
    struct kin kin;
    struct arena arena = {0};
    struct models *models = models_writable(&arena);
    struct measurements measurements = planted_measurements(10, &arena);
    const struct hardware *l4 = catalogue_gpu(models->catalogue, S("NVIDIA L4"), (struct gpu_signs){-1, -1});
    const struct hardware *p100 =
        catalogue_gpu(models->catalogue, S("Tesla P100-PCIE-16GB"), (struct gpu_signs){-1, -1});
    const struct group_model *group = coefficients_group(models_family(models, gemm), S("bmm"));
    const struct coefficient_set alike = *coefficients_for(group, p100, &kin);
    assert_int_equal(kin.kinship, KINSHIP_SELF);
    assert_false(str_eq(coefficients_for(group, l4, &kin)->device, alike.device));
    measurements.device_count = 1;
    measurements.devices[0] = *l4;
    for (uint32_t i = 0; i < measurements.count; i++) {
        measurements.rows[i].device = 0;
        measurements.rows[i].us = gemm->us(&measurements.rows[i].kernel, l4, alike.value);
    }
    measurements.count = 10;
    fit_adapt(models, &measurements, &arena);
    group = coefficients_group(models_family(models, gemm), S("bmm"));
    const struct coefficient_set *adapted = coefficients_for(group, l4, &kin);
    assert_int_equal(kin.kinship, KINSHIP_SELF);
    for (uint32_t i = 0; i < gemm->parameter_count; i++)
        assert_true(fabs(adapted->value[i] - alike.value[i]) <= 1e-6 * fabs(alike.value[i]));
    arena_free(&arena);
}

/* ---- the host's share ---- */

static const double launches[] = {26, 33, 45, 26, 26};
enum { HOSTS = sizeof launches / sizeof *launches };

/* Additions on boards that differ in their figures and, more, in the hosts that launch them. */
static struct measurements planted_hosts(const struct family *family, uint32_t rows, struct arena *arena)
{
    const char *const names[] = {"Tesla V100-PCIE-32GB", "NVIDIA A100-PCIE-40GB", "Tesla T4", "Tesla P100-PCIE-16GB",
                                 "Tesla P4"};
    const struct catalogue *catalogue = catalogue_built_in();
    struct measurements measurements = {.rows = arena_array(arena, (size_t)HOSTS * rows, sizeof(struct measurement)),
                                        .device_count = HOSTS};
    dice = 99;
    for (uint32_t device = 0; device < HOSTS; device++) {
        double planted[FAMILY_PARAMETERS];
        for (uint32_t i = 0; i < family->parameter_count; i++)
            planted[i] = family->parameters[i].host ? launches[device] : family->parameters[i].start;
        measurements.devices[device] = *catalogue_gpu(catalogue, str_of(names[device]), (struct gpu_signs){-1, -1});
        for (uint32_t i = 0; i < rows; i++) {
            struct measurement *row = &measurements.rows[measurements.count++];
            row->device = device;
            row->kernel = (struct kernel){
                .form = FORM_ELEMENTWISE,
                .alone = true,
                .dtype = DTYPE_F32,
                .variant = S("add"),
                .elements = {.rows = roll(1, i % 2 ? 300 : 16000), .cols = roll(1, 4000), .accesses = 3}};
            row->us = family->us(&row->kernel, &measurements.devices[device], planted);
        }
    }
    return measurements;
}

static double candidate(const struct group_model *group, const char *name)
{
    for (uint32_t i = 0; i < group->candidate_count; i++)
        if (str_eq(group->candidates[i].name, str_of(name)))
            return group->candidates[i].error;
    fail_msg("no candidate %s", name);
    return 0;
}

static void assert_launch(const struct family *family, const struct coefficient_set *set, double us)
{
    for (uint32_t i = 0; i < family->parameter_count; i++)
        if (family->parameters[i].host)
            assert_true(fabs(set->value[i] / us - 1) < 0.05);
}

/* Carried are the GPUs' coefficients, which are the same, and the launch in the middle; a row of the host tells the rest. */
static void hosts_are_fitted_apart_from_gpus(void **state)
{
    struct arena arena = {0};
    struct family_model model;
    const struct family *family = kernel_family_of_name(S("elementwise"));
    const struct measurements measurements = planted_hosts(family, 300, &arena);
    fit_family(family, &measurements, NULL, &arena, &model);
    const struct group_model *group = &model.groups[0];
    assert_int_equal(group->carry, CARRY_VENDOR);
    assert_int_equal(group->vendor_count, 1);
    assert_true(str_eq(group->vendors[0].device, S("NVIDIA")));
    assert_launch(family, &group->vendors[0], 26);
    assert_true(candidate(group, "vendor") > 0.05);
    assert_true(candidate(group, "vendor+launch") < 0.03);
    arena_free(&arena);
}

/* To take a fast host for a slow one is the larger error: of four the lower of the middle two, not what lies between them. */
static void of_two_hosts_in_the_middle_the_faster_is_carried(void **state)
{
    const struct family *family = kernel_family_of_name(S("elementwise"));
    struct coefficient_set own[4] = {0}, carried = {0};
    const struct work work = {.family = family, .own = own, .part_count = 4};
    for (uint32_t device = 0; device < 4; device++)
        for (uint32_t i = 0; i < family->parameter_count; i++)
            own[device].value[i] = (double[]){45, 26.4, 32, 26}[device];
    host_in_the_middle(&work, (bool[]){true, true, true, true}, &carried);
    assert_launch(family, &carried, 26.4);
    host_in_the_middle(&work, (bool[]){true, false, true, false}, &carried);
    assert_launch(family, &carried, 32);
}

/* A host that is fast in half of its rows and slow in the other half: as far from the ones as from the others. */
static void a_host_goes_to_the_middle_of_its_rows(void **state)
{
    enum { ROWS = 8 };
    struct arena arena = {0};
    const struct family *family = kernel_family_of_name(S("elementwise"));
    struct measurements measurements = planted_hosts(family, ROWS, &arena);
    struct coefficient_set set = {0};
    const struct measurement *at[ROWS];
    for (uint32_t i = 0; i < family->parameter_count; i++)
        set.value[i] = family->parameters[i].host ? launches[0] : family->parameters[i].start;
    for (uint32_t i = 0; i < ROWS; i++) {
        struct measurement *row = &measurements.rows[i];
        row->kernel.elements.rows = 1;
        row->us = family->us(&row->kernel, &measurements.devices[0], set.value) * (i % 2 ? 1.5 : 1);
        at[i] = row;
    }
    const struct work work = {.family = family, .devices = measurements.devices};
    host_to_the_middle(&work, (struct rows){at, ROWS}, &set);
    assert_launch(family, &set, launches[0] * sqrt(1.5));
    arena_free(&arena);
}

/*
 * Rows that memory limits tell the efficiency of a board whose streams nobody measured, and nothing of arithmetic nor of
 * a share that was: those are as open as without them.
 */
static void widths_say_what_rows_tell(void **state)
{
    struct arena arena = {0};
    struct family_model model;
    const struct family *family = kernel_family_of_name(S("elementwise"));
    const struct measurements measurements = planted_hosts(family, 300, &arena);
    fit_family(family, &measurements, NULL, &arena, &model);
    const struct group_model *group = &model.groups[0];
    for (uint32_t set = 1; set < group->set_count; set++)
        for (uint32_t i = 0; i < family->parameter_count; i++) {
            const struct parameter *parameter = &family->parameters[i];
            const double open = group->sets[set].width[i] / parameter->spread;
            const bool measured = group->sets[set].hardware.figure[HW_STREAM_SHARE] > 0;
            assert_true(open > 0 && open < 1.0001);
            if (!strcmp(parameter->name, measured ? "reached" : "efficiency"))
                assert_true(open < 0.9);
            if (!strcmp(parameter->name, measured ? "efficiency" : "reached"))
                assert_true(open > 0.99);
        }
    arena_free(&arena);
}

static void a_vendors_coefficients_are_for_its_devices(void **state)
{
    struct kin kin;
    struct arena arena = {0};
    struct models *models = models_writable(&arena);
    const struct family *family = kernel_family_of_name(S("elementwise"));
    const struct group_model *group = coefficients_group(models_family(models, family), S("add"));
    const struct gpu_signs silent = {-1, -1};
    assert_int_equal(group->carry, CARRY_VENDOR);
    const struct coefficient_set *h100 =
        coefficients_for(group, catalogue_gpu(models->catalogue, S("H100"), silent), &kin);
    const struct coefficient_set *mi300x =
        coefficients_for(group, catalogue_gpu(models->catalogue, S("MI300X"), silent), &kin);
    assert_true(str_eq(h100->device, S("NVIDIA")));
    assert_true(str_eq(mi300x->device, S("AMD")));
    struct hardware unknown = *catalogue_gpu(models->catalogue, S("H100"), silent);
    unknown.name = S("mine");
    assert_ptr_equal(coefficients_for(group, &unknown, &kin), &group->sets[0]);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_find_what_was_planted),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(a_family_finds_its_own_coefficients),
        cmocka_unit_test(ten_rows_adapt_a_device),
        cmocka_unit_test(ten_rows_tell_which_device_is_alike),
        cmocka_unit_test(hosts_are_fitted_apart_from_gpus),
        cmocka_unit_test(of_two_hosts_in_the_middle_the_faster_is_carried),
        cmocka_unit_test(a_host_goes_to_the_middle_of_its_rows),
        cmocka_unit_test(widths_say_what_rows_tell),
        cmocka_unit_test(a_vendors_coefficients_are_for_its_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
