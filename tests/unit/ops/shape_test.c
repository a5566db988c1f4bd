/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded arguments: sizes, types, values. */
#include "unit/cmocka_first.h"

#include "ops/words/dtype.h"
#include "ops/words/shape.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

/* A shape as text again: arguments between bars, tensors of a list between semicolons, "." for no sizes. */
static str shown(const struct shape *shape)
{
    str text = S("");
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct shape_argument *argument = &shape->arguments[i];
        text = str_printf(&arena, "%.*s%s%s", (int)text.len, text.at, i ? "|" : "", argument->list ? "list " : "");
        for (uint32_t j = 0; j < argument->count; j++) {
            text = str_printf(&arena, "%.*s%s", (int)text.len, text.at, j ? ";" : "");
            for (uint32_t k = 0; k < argument->tensors[j].rank; k++)
                text = str_printf(&arena, "%.*s%s%lld", (int)text.len, text.at, k ? "," : "",
                                  (long long)argument->tensors[j].at[k]);
            if (!argument->tensors[j].rank)
                text = str_printf(&arena, "%.*s.", (int)text.len, text.at);
        }
    }
    return text;
}

static void reads(const char *text, const char *shape_text)
{
    struct shape shape;
    assert_true(shape_parse(str_of(text), &arena, &shape));
    assert_string_equal(str_z(&arena, shown(&shape)), shape_text);
}

static void rejects(const char *text)
{
    struct shape shape;
    assert_false(shape_parse(str_of(text), &arena, &shape));
    assert_int_equal(shape.count, 0);
}

static void a_shape_is_a_list_of_tensors(void **state)
{
    reads("[[64, 3, 7, 7], [], [64]]", "64,3,7,7|.|64");
    reads("[[1,2],[3]]", "1,2|3");
    reads("[]", "");
    reads("[[]]", ".");
    reads("[[0, 5]]", "0,5");
    reads("\"[[2, 3]]\"", "2,3");
}

static void an_argument_may_be_a_list_of_tensors(void **state)
{
    reads("[[64, 3], [], [[2],[2]]]", "64,3|.|list 2;2");
    reads("[[[128, 128], [128]], []]", "list 128,128;128|.");
    reads("[[[], [7]]]", "list .;7");
}

static void what_is_no_shape_is_refused(void **state)
{
    const char *const texts[] = {"",           "[",          "]",      "[[1, 2]", "[1, 2]",  "[[[[1]]]]",
                                 "[[1, [2]]]", "[[[1], 2]]", "[[-1]]", "[[a]]",   "[[1.5]]", "[[99999999999999999999]]",
                                 "[[1]] x",    "null",       "[[1]]]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        rejects(texts[i]);
}

static void brackets_without_end_need_no_stack(void **state)
{
    enum { DEPTH = 1 << 20 };
    char *text = arena_alloc(&arena, DEPTH);
    memset(text, '[', DEPTH - 1);
    text[DEPTH - 1] = ']';
    struct shape shape;
    assert_false(shape_parse((str){text, DEPTH}, &arena, &shape));
}

static void elements_are_a_product_that_must_fit(void **state)
{
    const int64_t sizes[] = {1LL << 40, 1LL << 22, 4};
    assert_int_equal(dims_elements((struct tensor_dims){sizes, 2}), 1LL << 62);
    assert_int_equal(dims_elements((struct tensor_dims){sizes, 3}), -1);
    assert_int_equal(dims_elements((struct tensor_dims){sizes, 0}), 1);
    const int64_t empty[] = {1LL << 62, 1LL << 62, 0};
    assert_int_equal(dims_elements((struct tensor_dims){empty, 3}), 0);
}

static void lists_of_texts(void **state)
{
    struct text_list list;
    assert_true(text_list_parse(S("[\"\", \"[16, 16]\", \"False\",\"a\\\"b\", 3, [1, 2]]"), &arena, &list));
    assert_int_equal(list.count, 6);
    assert_string_equal(str_z(&arena, list.at[1]), "[16, 16]");
    assert_string_equal(str_z(&arena, list.at[3]), "a\\\"b");
    assert_string_equal(str_z(&arena, list.at[4]), "3");
    assert_string_equal(str_z(&arena, list.at[5]), "[1, 2]");
    assert_int_equal(text_list_at(&list, 9).len, 0);
    assert_true(text_list_parse(S("[]"), &arena, &list));
    assert_int_equal(list.count, 0);
    assert_false(text_list_parse(S("\"x\""), &arena, &list));
    assert_true(text_list_parse(S("[\"never closed]"), &arena, &list));
    assert_int_equal(list.count, 1);
}

static void lists_of_integers(void **state)
{
    int64_t at[3];
    assert_int_equal(integers_parse(S("[2, 3]"), at, 3), 2);
    assert_int_equal(at[1], 3);
    assert_int_equal(integers_parse(S("[-1]"), at, 3), 1);
    assert_int_equal(integers_parse(S("[1, 2, 3, 4]"), at, 3), 3);
    assert_int_equal(integers_parse(S("[]"), at, 3), 0);
    assert_int_equal(integers_parse(S("[1, x]"), at, 3), 0);
    assert_int_equal(integers_parse(S("7"), at, 3), 0);
}

static void types_of_all_writers(void **state)
{
    assert_int_equal(dtype_of_word(S("float")), DTYPE_F32);
    assert_int_equal(dtype_of_word(S("c10::BFloat16")), DTYPE_BF16);
    assert_int_equal(dtype_of_word(S("Tensor(long int)")), DTYPE_I64);
    assert_int_equal(dtype_of_word(S("Scalar")), DTYPE_NONE);
    assert_int_equal(dtype_of_word(S("TensorList")), DTYPE_UNKNOWN);
    assert_int_equal(dtype_bytes(DTYPE_F16), 2);
    assert_int_equal(dtype_bytes(DTYPE_UNKNOWN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_shape_is_a_list_of_tensors, clear),
        cmocka_unit_test_teardown(an_argument_may_be_a_list_of_tensors, clear),
        cmocka_unit_test_teardown(what_is_no_shape_is_refused, clear),
        cmocka_unit_test_teardown(brackets_without_end_need_no_stack, clear),
        cmocka_unit_test_teardown(elements_are_a_product_that_must_fit, clear),
        cmocka_unit_test_teardown(lists_of_texts, clear),
        cmocka_unit_test_teardown(lists_of_integers, clear),
        cmocka_unit_test_teardown(types_of_all_writers, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
