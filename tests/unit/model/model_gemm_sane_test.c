/* SPDX-License-Identifier: Apache-2.0 */
/* Absurdities of products in single precision that need no measurement, on every device of the catalogue. */
#include "every_gpu.h"

static struct kernel product(enum kernel_form form, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    return (struct kernel){.form = form, .dtype = DTYPE_F32, .product = {batch, m, n, k}};
}

/* Of the peak that single precision has there. */
static double share_of(const struct hardware *hardware, struct kernel kernel)
{
    const double peak = fmax(hardware->figure[HW_FP32], hardware->figure[HW_FP32_MATRIX]);
    return kernel_flops(&kernel) / peak * 1e6 / us_of(hardware, kernel);
}

static void a_batch_of_one_is_a_linear_layer(void **state)
{
    for (uint32_t i = 0; i < gpus; i++)
        for (int64_t m = 1; m <= 8192; m *= 8)
            assert_true(us_of(&gpu[i], product(FORM_BMM, 1, m, 4096, 2048)) ==
                        us_of(&gpu[i], product(FORM_LINEAR, 1, m, 4096, 2048)));
}

/* A fifth: boards that are built for few watts reach less, and L4 has 0.44 of what its peak wants. */
static void every_device_reaches_a_sane_share_of_its_peak(void **state)
{
    for (uint32_t i = 0; i < gpus; i++)
        for (int64_t size = 4096; size <= 8192; size *= 2) {
            const double linear = share_of(&gpu[i], product(FORM_LINEAR, 1, size, size, size));
            const double batched = share_of(&gpu[i], product(FORM_BMM, 8, size / 2, size / 2, size / 2));
            if (linear < 0.2 || linear > 1.05 || batched < 0.2 || batched > 1.05)
                fail_msg("%.*s, %d: linear %.2f, bmm %.2f of its peak", (int)gpu[i].name.len, gpu[i].name.at, (int)size,
                         linear, batched);
        }
}

/* Boards of the same kind, one generation after the other. */
static const char *const successors[][2] = {
    {"NVIDIA Tesla P100 SXM2 16GB", "NVIDIA Tesla V100 SXM2"},
    {"NVIDIA Tesla V100 SXM2", "NVIDIA A100-SXM4-40GB"},
    {"NVIDIA A100-SXM4-80GB", "NVIDIA H100 SXM 80GB"},
    {"NVIDIA H100 SXM 80GB", "NVIDIA B200"},
    {"NVIDIA B200", "NVIDIA B300"},
    {"NVIDIA Tesla P4", "NVIDIA T4"},
    {"NVIDIA T4", "NVIDIA L4"},
    {"NVIDIA A40", "NVIDIA L40"},
    {"NVIDIA GeForce GTX 1080 Ti", "NVIDIA GeForce RTX 2080 Ti"},
    {"NVIDIA GeForce RTX 2080 Ti", "NVIDIA GeForce RTX 3090"},
    {"NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 4090"},
    {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 5090"},
    {"AMD Instinct MI100", "AMD Instinct MI210"},
    {"AMD Instinct MI250X", "AMD Instinct MI300X"},
    {"AMD Instinct MI300X", "AMD Instinct MI350X"},
};

static const struct hardware *named(const char *name)
{
    const struct hardware *found = catalogue_gpu(catalogue_built_in(), str_of(name), (struct gpu_signs){-1, -1});
    if (!found)
        fail_msg("no %s", name);
    return found;
}

static void none_falls_far_behind_its_predecessor(void **state)
{
    for (size_t i = 0; i < sizeof successors / sizeof *successors; i++)
        for (int64_t size = 256; size <= 8192; size *= 2)
            for (int64_t batch = 1; batch <= 64; batch *= 64) {
                const struct kernel kernel = product(FORM_BMM, batch, size, size, size);
                const double before = share_of(named(successors[i][0]), kernel);
                const double after = share_of(named(successors[i][1]), kernel);
                if (after < before / 5)
                    fail_msg("%s has %.3f of its peak, its predecessor %.3f (%d x %d)", successors[i][1], after, before,
                             (int)batch, (int)size);
            }
}

/*
 * It bears no known name: what was learned of one device holds there alone. Another device may be the nearest to the better
 * board; its name is told then.
 */
static void more_arithmetic_or_memory_takes_no_longer(void **state)
{
    static const enum hw_key faster[] = {HW_FP32, HW_CLOCK, HW_MEMORY_RATE};
    for (uint32_t i = 0; i < gpus; i++)
        for (int64_t m = 64; m <= 8192; m *= 4)
            for (size_t key = 0; key < sizeof faster / sizeof *faster; key++) {
                const struct kernel kernel = product(FORM_BMM, 8, m, 1024, 1024);
                struct hardware one = gpu[i], better;
                one.name = S("NVIDIA board that nobody built");
                better = one;
                better.figure[faster[key]] *= 1.02;
                if (faster[key] == HW_FP32) /* on whichever units */
                    better.figure[HW_FP32_MATRIX] *= 1.02;
                const struct estimate before = estimate_of(&one, kernel), after = estimate_of(&better, kernel);
                if (str_eq(before.from, after.from) && after.us > 1.005 * before.us)
                    fail_msg("%.*s, m %d: more %s, and %.3f of the time", (int)gpu[i].name.len, gpu[i].name.at, (int)m,
                             hw_key_word(faster[key]).at, after.us / before.us);
            }
}

/* But for cutting K into parts, which larger products may be and smaller ones not. */
static void more_rows_columns_or_batches_take_no_less(void **state)
{
    for (uint32_t i = 0; i < gpus; i++) {
        struct hardware one = gpu[i];
        one.name = S("NVIDIA board that nobody built");
        for (int64_t size = 32; size <= 4096; size *= 2) {
            const double us = us_of(&one, product(FORM_BMM, 4, size, 512, size));
            const struct kernel more[] = {
                product(FORM_BMM, 4, 2 * size, 512, size), product(FORM_BMM, 4, size, 1024, size),
                product(FORM_BMM, 4, size, 512, 2 * size), product(FORM_BMM, 8, size, 512, size)};
            for (size_t j = 0; j < sizeof more / sizeof *more; j++)
                if (us_of(&one, more[j]) < 0.999 * us)
                    fail_msg("%.*s, %d: way %d of more takes %.3f of the time", (int)gpu[i].name.len, gpu[i].name.at,
                             (int)size, (int)j, us_of(&one, more[j]) / us);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_one_is_a_linear_layer),
        cmocka_unit_test(every_device_reaches_a_sane_share_of_its_peak),
        cmocka_unit_test(none_falls_far_behind_its_predecessor),
        cmocka_unit_test(more_arithmetic_or_memory_takes_no_longer),
        cmocka_unit_test(more_rows_columns_or_batches_take_no_less),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
