/* SPDX-License-Identifier: Apache-2.0 */
/* A model made with two batches and put between them is the model made with a third, operator by operator. */
#include "unit/cmocka_first.h"

#include "predict/question/batch.h"
#include "predict/question/batch_between.h"
#include "program/dlrm.h"

static struct arena arena;

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct program model(int64_t batch)
{
    struct dlrm dlrm;
    struct steptime_error err = {0};
    if (!dlrm_find(S("default"), &arena, &dlrm, &err))
        fail_msg("%s", err.message);
    dlrm.batch = batch;
    return program_of_dlrm(&dlrm, &arena);
}

/* Numbers alone count. */
static bool same(str one, str other)
{
    size_t i = 0, k = 0;
    while (i < one.len || k < other.len) {
        if (i < one.len && one.at[i] == ' ')
            i++;
        else if (k < other.len && other.at[k] == ' ')
            k++;
        else if (i == one.len || k == other.len || one.at[i++] != other.at[k++])
            return false;
    }
    return true;
}

static uint32_t differing(const struct program *one, const struct program *other)
{
    uint32_t wrong = 0;
    assert_int_equal(one->count, other->count);
    for (uint32_t i = 0; i < one->count; i++)
        wrong += !same(one->ops[i].arguments.dims, other->ops[i].arguments.dims);
    return wrong;
}

static void two_runs_tell_a_third(void **state)
{
    const struct program few = model(2), more = model(3), wanted = model(512);
    const struct batch_between between = batch_between(&few, &more, (struct batches){2, 3, 512}, &arena);
    assert_int_equal(differing(&between.program, &wanted), 0);
    assert_true(between.by_both > 0);
    assert_int_equal(between.by_one, 0);
    assert_true(differing(&more, &wanted) > 0);
}

static struct program_op product(const char *dims)
{
    return (struct program_op){.name = S("aten::mm"), .arguments.dims = str_of(dims), .parent = OP_NONE, .end = 1};
}

/* Rows that values chose go with the batch, wherever they stand in the operator; a length that items are padded to stays. */
static void sizes_that_do_neither(void **state)
{
    const struct program_op of_few = product("[[8, 37], [37, 4], [2, 9, 4]]"),
                            of_more = product("[[8, 52], [52, 4], [3, 11, 4]]");
    const struct program few = {.ops = &of_few, .count = 1}, more = {.ops = &of_more, .count = 1};
    const struct batch_between between = batch_between(&few, &more, (struct batches){2, 3, 30}, &arena);
    assert_true(same(between.program.ops[0].arguments.dims, S("[[8, 520], [520, 4], [30, 11, 4]]")));
    assert_int_equal(between.by_both, 0);
    assert_int_equal(between.by_one, 1);
}

static void one_run_is_scaled_as_it_is_alone(void **state)
{
    const struct program more = model(8), scaled = batch_scaled(&more, 8, 512, &arena);
    const struct batch_between between = batch_between(NULL, &more, (struct batches){.more = 8, .to = 512}, &arena);
    assert_int_equal(differing(&between.program, &scaled), 0);
    assert_int_equal(between.by_both, 0);
    assert_true(between.by_one > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_tell_a_third),
        cmocka_unit_test(sizes_that_do_neither),
        cmocka_unit_test(one_run_is_scaled_as_it_is_alone),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
