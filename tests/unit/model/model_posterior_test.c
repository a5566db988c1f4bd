/* SPDX-License-Identifier: Apache-2.0 */
/* A few rows move what is carried and narrow its doubt near them; rows that tell most are chosen first. */
#include "unit/cmocka_first.h"

#include <math.h>

#include "hw/catalogue.h"
#include "model/estimate/interval.h"
#include "model/fit/fit.h"
#include "model/posterior/choose.h"
#include "model/posterior/like.h"
#include "model/posterior/posterior.h"

static struct arena arena;
static struct models *models;
static const struct hardware *l4;

static int open_all(void **state)
{
    models = models_writable(&arena);
    l4 = catalogue_gpu(models->catalogue, S("NVIDIA L4"), (struct gpu_signs){-1, -1});
    return 0;
}

static int close_all(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct kernel product(int64_t batch, int64_t m, int64_t reduced, int64_t n)
{
    return (struct kernel){
        .form = FORM_BMM, .alone = true, .dtype = DTYPE_F32, .variant = S(""), .product = {batch, m, reduced, n}};
}

static struct estimate estimated(const struct models *by, const struct kernel *kernel)
{
    struct estimate estimate;
    assert_true(models_estimate(by, l4, kernel, &estimate, NULL));
    return estimate;
}

/* Rows that take `times` what is carried. */
static struct measurements rows_of(uint32_t count, double times)
{
    struct measurements measurements = {.rows = arena_array(&arena, count, sizeof(struct measurement)),
                                        .device_count = 1};
    measurements.devices[0] = *l4;
    for (uint32_t i = 0; i < count; i++) {
        struct measurement *row = &measurements.rows[measurements.count++];
        row->kernel = product(8 + i, 128 + 64 * (i % 5), 256 + 96 * (i % 3), 192 + 32 * i);
        row->us = estimated(models, &row->kernel).us * times;
    }
    return measurements;
}

static struct models adapted(const struct measurements *measurements)
{
    struct models after = *models;
    after.own = models_own_copied(models, &arena);
    assert_int_equal(fit_adapt(&after, measurements, &arena), 1);
    return after;
}

static void one_row_moves_all_a_little_and_more_rows_more(void **state)
{
    const struct kernel other = product(20, 400, 300, 500);
    const double times = 1.4;
    double left = log(times), doubt = estimate_sd(&(struct estimate){.shared = 9});
    for (uint32_t count = 1; count <= 16; count *= 4) {
        const struct measurements measurements = rows_of(count, times);
        const struct models after = adapted(&measurements);
        const struct estimate now = estimated(&after, &other);
        const double off = fabs(log(estimated(models, &other).us * times / now.us));
        assert_int_equal(now.basis, BASIS_CALIBRATED);
        assert_true(off < left + 0.01);
        assert_true(estimate_sd(&now) < doubt);
        left = off;
        doubt = estimate_sd(&now);
    }
    assert_true(left < 0.05);
}

static void far_from_the_rows_the_doubt_stays_wider(void **state)
{
    const struct measurements measurements = rows_of(10, 1.2);
    const struct models after = adapted(&measurements);
    const struct estimate near = estimated(&after, &measurements.rows[3].kernel);
    const struct kernel away = product(2, 24, 9000, 24);
    assert_true(estimate_sd(&near) < 0.6 * estimate_sd(&(struct estimate){.shared = estimated(models, &away).shared,
                                                                          .own = estimated(models, &away).own}));
    assert_true(estimated(&after, &away).own > near.own);
}

/* Rows half as far off as rows usually are, by the form of a sibling and what was learned of it. */
static void ten_rows_that_agree_leave_the_misfit_of_the_form(void **state)
{
    enum { ROWS = 10 };
    const struct hardware *h200 = catalogue_gpu(models->catalogue, S("NVIDIA H200"), (struct gpu_signs){-1, -1});
    struct measurements measurements = {.rows = arena_array(&arena, ROWS, sizeof(struct measurement)),
                                        .device_count = 1};
    struct estimate before, after;
    measurements.devices[0] = *h200;
    for (uint32_t i = 0; i < ROWS; i++) {
        struct measurement *row = &measurements.rows[measurements.count++];
        row->kernel = (struct kernel){.form = FORM_LINEAR,
                                      .dtype = DTYPE_BF16,
                                      .variant = S(""),
                                      .product = {1, 64 << i % 4, 1024 + 512 * i, 4096 - 256 * (i % 3)}};
        assert_true(models_estimate(models, h200, &row->kernel, &before, NULL));
        row->us = before.us * exp(0.5 * before.own * (i % 2 ? 1 : -1));
    }
    const struct models now = adapted(&measurements);
    const struct kernel other = {
        .form = FORM_LINEAR, .dtype = DTYPE_BF16, .variant = S(""), .product = {1, 300, 14336, 6144}};
    assert_true(models_estimate(models, h200, &other, &before, NULL));
    assert_true(models_estimate(&now, h200, &other, &after, NULL));
    assert_int_equal(after.basis, BASIS_CALIBRATED);
    assert_true(after.own > 0.6 * before.own);
    assert_true(estimate_sd(&after) < 1.1 * estimate_sd(&before));
}

static void other_devices_are_as_before(void **state)
{
    const struct measurements measurements = rows_of(10, 1.2);
    const struct models after = adapted(&measurements);
    const struct kernel kernel = product(20, 400, 300, 500);
    const struct hardware *l40s = catalogue_gpu(models->catalogue, S("NVIDIA L40S"), (struct gpu_signs){-1, -1});
    struct estimate before, now;
    assert_true(models_estimate(models, l40s, &kernel, &before, NULL));
    assert_true(models_estimate(&after, l40s, &kernel, &now, NULL));
    assert_true(before.us == now.us && before.basis == now.basis);
}

/* Two shapes nearly the same, one far away: after one of the two the other says little. */
static void a_row_that_is_told_by_another_is_not_chosen_next(void **state)
{
    const struct kernel kernels[] = {product(32, 512, 512, 512), product(32, 512, 512, 520), product(4, 64, 4096, 96)};
    struct wanted wanted[3];
    struct choice choices[3];
    for (uint32_t i = 0; i < 3; i++)
        wanted[i] = (struct wanted){&kernels[i], 1, 1};
    assert_int_equal(choose_rows(models, l4, wanted, 3, false, 2, choices), 2);
    assert_true((choices[0].at == 2) != (choices[1].at == 2));
    assert_true(choices[0].gain >= choices[1].gain);
}

/* What costs a thousand times the seconds is not worth it. */
static void seconds_count(void **state)
{
    const struct kernel kernels[] = {product(32, 512, 512, 512), product(32, 512, 512, 520)};
    struct wanted wanted[] = {{&kernels[0], 1, 1000}, {&kernels[1], 1, 1}};
    struct choice choices[1];
    assert_int_equal(choose_rows(models, l4, wanted, 2, true, 1, choices), 1);
    assert_int_equal(choices[0].at, 1);
    wanted[1].seconds = 0;
    assert_int_equal(choose_rows(models, l4, wanted, 2, true, 1, choices), 1);
    assert_int_equal(choices[0].at, 0);
}

static void kernels_alike_are_kernels(void **state)
{
    enum { LIKE = 200 };
    const struct kernel one = product(8, 4096, 4096, 4096);
    const struct kernel *const from[] = {&one};
    const struct kernel *const *like = kernels_like(from, 1, LIKE, l4, &arena);
    for (uint32_t i = 0; i < LIKE; i++) {
        assert_null(kernel_check(like[i]));
        assert_true(kernel_bytes(like[i]) < l4->figure[HW_MEMORY_BYTES]);
        assert_int_equal(like[i]->product.m % 8, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_moves_all_a_little_and_more_rows_more),
        cmocka_unit_test(far_from_the_rows_the_doubt_stays_wider),
        cmocka_unit_test(ten_rows_that_agree_leave_the_misfit_of_the_form),
        cmocka_unit_test(other_devices_are_as_before),
        cmocka_unit_test(a_row_that_is_told_by_another_is_not_chosen_next),
        cmocka_unit_test(seconds_count),
        cmocka_unit_test(kernels_alike_are_kernels),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
