/* SPDX-License-Identifier: Apache-2.0 */
/* Absurdities of element-wise kernels, softmax and layer norm that need no measurement, on every device of the catalogue. */
#include "every_gpu.h"

static struct kernel rows_of(enum kernel_form form, int64_t rows, int64_t cols)
{
    return (struct kernel){.form = form, .dtype = DTYPE_F32, .rows = {rows, cols}};
}

static struct kernel elements_of(int64_t rows, int64_t cols)
{
    return (struct kernel){.form = FORM_ELEMENTWISE,
                           .dtype = DTYPE_F32,
                           .variant = S("add"),
                           .elements = {.rows = rows, .cols = cols, .accesses = 3}};
}

/* Of the memory's rate, every element moved once. */
static double share_of(const struct hardware *hardware, struct kernel kernel)
{
    return kernel_bytes(&kernel) / hardware->figure[HW_MEMORY_RATE] * 1e6 / us_of(hardware, kernel);
}

/* Softmax of wide rows reads them three times where they leave the caches, and layer norm twice. */
static void every_device_reaches_a_sane_share_of_its_memory(void **state)
{
    for (uint32_t i = 0; i < gpus; i++) {
        const double add = share_of(&gpu[i], elements_of(1 << 19, 4096));
        const double softmax = share_of(&gpu[i], rows_of(FORM_SOFTMAX, 1 << 16, 4096));
        const double norm = share_of(&gpu[i], rows_of(FORM_LAYER_NORM, 1 << 16, 4096));
        if (add < 0.65 || add > 1 || softmax < 0.2 || softmax > 1 || norm < 0.3 || norm > 1)
            fail_msg("%.*s: addition %.2f, softmax %.2f, layer norm %.2f of the memory's rate", (int)gpu[i].name.len,
                     gpu[i].name.at, add, softmax, norm);
    }
}

/* A board that bears no known name, so that only its figures speak; as long as these speak for the same source. */
static void a_faster_board_takes_no_longer(void **state)
{
    static const enum hw_key faster[] = {HW_FP32, HW_CLOCK, HW_MEMORY_RATE, HW_STREAM_SHARE, HW_L2_BYTES};
    for (uint32_t i = 0; i < gpus; i++)
        for (int64_t rows = 64; rows <= 65536; rows *= 16)
            for (size_t key = 0; key < sizeof faster / sizeof *faster; key++) {
                const struct kernel kernels[] = {elements_of(rows, 2048), rows_of(FORM_SOFTMAX, rows, 2048),
                                                 rows_of(FORM_LAYER_NORM, rows, 2048)};
                struct hardware one = gpu[i], better;
                one.name = S("NVIDIA board that nobody built");
                better = one;
                better.figure[faster[key]] *= 1.05;
                for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
                    const struct estimate before = estimate_of(&one, kernels[k]);
                    const struct estimate after = estimate_of(&better, kernels[k]);
                    if (str_eq(before.from, after.from) && after.us > 1.001 * before.us)
                        fail_msg("%.*s, %d rows, kernel %d: more %s takes longer", (int)gpu[i].name.len, gpu[i].name.at,
                                 (int)rows, (int)k, hw_key_word(faster[key]).at);
                }
            }
}

static void more_rows_take_no_less(void **state)
{
    for (uint32_t i = 0; i < gpus; i++)
        for (int64_t rows = 1; rows <= 1 << 18; rows *= 2) {
            const struct kernel less[] = {elements_of(rows, 1000), rows_of(FORM_SOFTMAX, rows, 1000),
                                          rows_of(FORM_LAYER_NORM, rows, 1000)};
            const struct kernel more[] = {elements_of(2 * rows, 1000), rows_of(FORM_SOFTMAX, 2 * rows, 1000),
                                          rows_of(FORM_LAYER_NORM, 2 * rows, 1000)};
            for (size_t k = 0; k < sizeof less / sizeof *less; k++)
                assert_true(us_of(&gpu[i], more[k]) >= 0.999 * us_of(&gpu[i], less[k]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_reaches_a_sane_share_of_its_memory),
        cmocka_unit_test(a_faster_board_takes_no_longer),
        cmocka_unit_test(more_rows_take_no_less),
    };
    return cmocka_run_group_tests(tests, open_models, close_models);
}
