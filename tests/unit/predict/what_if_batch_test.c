/* SPDX-License-Identifier: Apache-2.0 */
/* A batch found and changed: a model made with one batch and scaled is the model made with the other, operator by operator. */
#include "unit/cmocka_first.h"

#include <string.h>

#include "program/dlrm.h"
#include "predict/question/batch.h"

static struct arena arena;

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct program model(const char *name, int64_t batch)
{
    struct dlrm dlrm;
    struct steptime_error err = {0};
    if (!dlrm_find(str_of(name), &arena, &dlrm, &err))
        fail_msg("%s", err.message);
    dlrm.batch = batch;
    return program_of_dlrm(&dlrm, &arena);
}

static str without_blanks(str text)
{
    char *out = arena_alloc(&arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] != ' ')
            out[len++] = text.at[i];
    return (str){out, len};
}

static void scaled_is_made(const char *name, int64_t from, int64_t to)
{
    const struct program original = model(name, from), wanted = model(name, to);
    const struct batch batch = batch_of(&original);
    assert_int_equal(batch.size, from);
    const struct program scaled = batch_scaled(&original, from, to, &arena);
    assert_int_equal(scaled.count, wanted.count);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < scaled.count; i++) {
        const str is = without_blanks(scaled.ops[i].arguments.dims),
                  want = without_blanks(wanted.ops[i].arguments.dims);
        if (str_eq(is, want))
            continue;
        print_message("%s %.*s (%u): %.*s, not %.*s\n", name, (int)scaled.ops[i].name.len, scaled.ops[i].name.at, i,
                      (int)is.len, is.at, (int)want.len, want.at);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void models_of_another_batch_are_models_of_that_batch(void **state)
{
    const char *const names[] = {"default", "mlperf", "ddp"};
    for (int i = 0; i < 3; i++) {
        scaled_is_made(names[i], 2048, 4096);
        scaled_is_made(names[i], 2048, 512);
        scaled_is_made(names[i], 4096, 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_another_batch_are_models_of_that_batch),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
