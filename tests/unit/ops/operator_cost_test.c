/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas against sums done by hand. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>

#include "ops/operators/operators.h"

static struct op_cost cost(const char *name, const char *dims, const char *types, const char *values)
{
    return operator_cost(
        str_of(name), &(struct op_arguments){.dims = str_of(dims), .types = str_of(types), .values = str_of(values)});
}

static void costs(const char *name, const char *dims, const char *types, const char *values, int64_t flops,
                  int64_t bytes)
{
    const struct op_cost got = cost(name, dims, types, values);
    if (got.flops != flops || got.bytes != bytes)
        fail_msg("%s %s: %lld flop, %lld bytes; expected %lld, %lld", name, dims, (long long)got.flops,
                 (long long)got.bytes, (long long)flops, (long long)bytes);
}

static void an_expanded_index_is_read_as_it_is_stored(void **state)
{
    static const struct {
        const char *strides;
        int64_t index_bytes;
    } cases[] = {
        {"", 8 * 100 * 64},
        {"[[64, 1], [], [64, 1], [], []]", 8 * 100 * 64},
        {"[[64, 1], [], [1, 0], [], []]", 8 * 100},
        {"[[64, 1], [], [0, 0], [], []]", 8},
        {"[[64, 1], [], [1], [], []]", 8 * 100 * 64}, /* no strides of this tensor */
        {"[[64, 1]]", 8 * 100 * 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct op_arguments call = {S("[[5000, 64], [], [100, 64], [], []]"),
                                          S("[\"c10::BFloat16\", \"Scalar\", \"long int\", \"Scalar\", \"\"]"),
                                          S("[\"\", \"0\", \"\", \"False\", \"\"]"), str_of(cases[i].strides)};
        assert_int_equal(operator_cost(S("aten::gather"), &call).bytes, 2 * 2 * 100 * 64 + cases[i].index_bytes);
    }
}

static void products_of_matrices(void **state)
{
    const char *const half = "[\"c10::Half\", \"c10::Half\"]", *const floats = "[\"float\", \"float\", \"float\"]";
    costs("aten::mm", "[[197, 768], [768, 2304]]", half, "", 2LL * 197 * 768 * 2304,
          2 * (197 * 768 + 768 * 2304 + 197 * 2304));
    costs("aten::addmm", "[[3072], [197, 768], [768, 3072], [], []]", floats, "", 2LL * 197 * 768 * 3072,
          4 * (197 * 768 + 768 * 3072 + 197 * 3072));
    costs("aten::bmm", "[[8, 10, 20], [8, 20, 30]]", half, "", 2 * 8 * 10 * 20 * 30, 2 * 8 * (200 + 600 + 300));
    costs("aten::baddbmm", "[[8, 10, 30], [8, 10, 20], [8, 20, 30], [], []]", floats, "", 2 * 8 * 10 * 20 * 30,
          4 * 8 * (200 + 600 + 300));
    costs("aten::linear", "[[4, 5, 16], [7, 16], [7]]", floats, "", 2 * 20 * 16 * 7, 4 * (320 + 112 + 140));
    costs("aten::linear", "[[4, 16], [16]]", floats, "", 2 * 4 * 16, 4 * (64 + 16 + 4));
    costs("aten::matmul", "[[3, 1, 4, 5], [6, 5, 2]]", floats, "", 2 * 18 * 4 * 5 * 2, 4 * (60 + 60 + 18 * 8));
    costs("aten::matmul", "[[5], [5]]", floats, "", 10, 4 * 11);
    costs("aten::mv", "[[6, 5], [5]]", floats, "", 60, 4 * (30 + 5 + 6));
}

static void products_that_do_not_fit_are_unknown(void **state)
{
    const char *const floats = "[\"float\", \"float\"]";
    costs("aten::mm", "[[2, 3], [4, 5]]", floats, "", -1, -1);
    costs("aten::mm", "[[2, 3]]", floats, "", -1, -1);
    costs("aten::mm", "[[], []]", floats, "", -1, -1);
    costs("aten::mm", "", "", "", -1, -1);
    costs("aten::bmm", "[[2, 3, 4], [3, 4, 5]]", floats, "", -1, -1);
    costs("aten::matmul", "[[2, 3, 4], [5, 4, 2]]", floats, "", -1, -1);
    costs("aten::mm", "[[4000000000, 4000000000], [4000000000, 4000000000]]", floats, "", -1, -1);
}

static void without_types_the_traffic_is_unknown(void **state)
{
    costs("aten::mm", "[[2, 3], [3, 5]]", "[]", "", 60, -1);
    costs("aten::mm", "[[2, 3], [3, 5]]", "", "", 60, -1);
}

static void a_name_without_formula_is_unknown(void **state)
{
    costs("aten::no_such_operator", "[[2, 3], [3, 5]]", "[\"float\", \"float\"]", "", -1, -1);
    assert_false(operator_has_cost(S("aten::no_such_operator")));
    assert_true(operator_has_cost(S("aten::mm")));
}

/* 10 images of 64 x 56 x 56 through 128 filters of 3 x 3, stride 2: 28 x 28 out. */
static void convolutions(void **state)
{
    const char *const types = "[\"float\", \"float\", \"\", \"ScalarList\", \"ScalarList\", \"ScalarList\", "
                              "\"Scalar\", \"ScalarList\", \"Scalar\"]";
    const char *const dims = "[[10, 64, 56, 56], [128, 64, 3, 3], [], [], [], [], [], [], []]";
    const int64_t flops = 2LL * 10 * 28 * 28 * 128 * 64 * 9,
                  bytes = 4LL * (10 * 64 * 56 * 56 + 128 * 64 * 9 + 10 * 128 * 28 * 28);
    costs("aten::convolution", dims, types,
          "[\"\", \"\", \"\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"False\", \"[0, 0]\", \"1\"]", flops, bytes);
    costs("aten::cudnn_convolution", dims, types, "[\"\", \"\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"1\", \"False\"]",
          flops, bytes);
    costs("aten::cudnn_convolution", dims, types, "[\"\", \"\", \"\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"1\"]",
          flops, bytes);
    costs("aten::miopen_convolution", dims, types, "[\"\", \"\", \"\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"1\"]",
          flops, bytes);
    costs("aten::convolution", dims, types, "", -1, -1); /* neither stride nor padding known */
    /* One filter a channel: the weight has the groups divided out. */
    costs("aten::convolution", "[[1, 8, 4, 4], [8, 1, 3, 3]]", types,
          "[\"\", \"\", \"\", \"[1]\", \"[1]\", \"[1]\", \"False\"]", 2 * 16 * 8 * 9, 4 * (128 + 72 + 128));
    costs("aten::conv_transpose2d", "[[1, 8, 4, 4], [8, 16, 2, 2]]", types, "", 2 * 16 * 8 * 16 * 4, -1);
}

static void gradients_of_convolutions(void **state)
{
    const char *const types = "[\"float\", \"float\", \"float\"]";
    const char *const dims = "[[10, 128, 28, 28], [10, 64, 56, 56], [128, 64, 3, 3]]";
    const int64_t once = 2LL * 10 * 28 * 28 * 128 * 64 * 9;
    const int64_t dy = 4LL * 10 * 128 * 28 * 28, x = 4LL * 10 * 64 * 56 * 56, w = 4LL * 128 * 64 * 9;
    costs("aten::convolution_backward", dims, types,
          "[\"\", \"\", \"\", \"[0]\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"False\", \"[0, 0]\", \"1\", \"[True, "
          "True, False]\"]",
          2 * once, dy + 2 * x + 2 * w);
    costs("aten::convolution_backward", dims, types,
          "[\"\", \"\", \"\", \"[0]\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"False\", \"[0, 0]\", \"1\", \"[False, "
          "True, False]\"]",
          once, dy + x + w);
    costs("aten::cudnn_convolution_backward", "[[10, 64, 56, 56], [10, 128, 28, 28], [128, 64, 3, 3]]", types, "",
          2 * once, dy + 2 * x + 2 * w);
    /* The mask is the last argument, whether allow_tf32 stands before it or not. */
    costs("aten::cudnn_convolution_backward", "[[10, 64, 56, 56], [10, 128, 28, 28], [128, 64, 3, 3]]", types,
          "[\"\", \"\", \"\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"1\", \"True\", \"False\", \"[False, True]\"]", once,
          dy + x + w);
}

static void attention(void **state)
{
    const char *const types = "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"Scalar\"]";
    const char *const dims = "[[1, 12, 197, 64], [1, 12, 197, 64], [1, 12, 197, 64], [], []]";
    const int64_t flops = 2LL * 12 * 197 * 197 * 128, bytes = 2LL * 4 * 12 * 197 * 64;
    costs("aten::_scaled_dot_product_flash_attention", dims, types, "[\"\", \"\", \"\", \"0.\", \"False\"]", flops,
          bytes);
    costs("aten::_scaled_dot_product_flash_attention", dims, types, "[\"\", \"\", \"\", \"0.\", \"True\"]", flops / 2,
          bytes);
    costs("aten::_flash_attention_forward", "[[1, 197, 12, 64], [1, 197, 12, 64], [1, 197, 12, 64]]", types, "", flops,
          bytes);
    costs("aten::_scaled_dot_product_flash_attention_backward",
          "[[1, 12, 197, 64], [1, 12, 197, 64], [1, 12, 197, 64], [1, 12, 197, 64]]",
          "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]", "", flops / 2 * 5,
          2LL * 8 * 12 * 197 * 64);
    /* Eight heads of queries share two of keys. */
    costs("aten::_scaled_dot_product_flash_attention", "[[2, 8, 10, 16], [2, 2, 30, 16], [2, 2, 30, 16]]", types, "",
          2 * 2 * 8 * 10 * 30 * 32, 2 * (2560 + 1920 + 1920 + 2560));
    costs("aten::_flash_attention_forward", "[[394, 12, 64], [394, 12, 64], [394, 12, 64]]", types, "", -1,
          -1); /* packed sequences */
}

static void elements(void **state)
{
    const char *const floats = "[\"float\", \"float\", \"Scalar\"]";
    costs("aten::add", "[[32, 1, 8], [16, 8], []]", floats, "", 32 * 16 * 8, 4 * (256 + 128 + 4096));
    costs("aten::add_", "[[32, 8], [32, 8], []]", floats, "", 256, 3 * 4 * 256);
    costs("aten::mul", "[[10], []]", "[\"c10::Half\", \"double\"]", "", 10, 20 + 8 + 20); /* a number does not widen */
    costs("aten::relu", "[[64, 64]]", floats, "", 4096, 8 * 4096);
    costs("aten::gt", "[[64], []]", "[\"float\", \"Scalar\"]", "", 64, 4 * 64 + 64);
    costs("aten::copy_", "[[64], [64], []]", "[\"c10::Half\", \"float\", \"Scalar\"]", "", 0, 2 * 64 + 4 * 64);
    costs("aten::zero_", "[[64]]", "[\"double\"]", "", 0, 512);
    costs("aten::add", "[[3], [4]]", floats, "", -1, -1);
    costs("aten::_foreach_add_", "[[[128, 128], [128]], [[128, 128], [128]], []]",
          "[\"TensorList\", \"TensorList\", \"Scalar\"]", "", 128 * 128 + 128, -1);
    costs("aten::_softmax", "[[32, 10], [], []]", "[\"float\", \"Scalar\", \"Scalar\"]", "", 5 * 320, 8 * 320);
    costs("aten::native_layer_norm", "[[2, 3, 8], [], [8], [8], []]", floats, "", 8 * 48, 8 * 48);
}

static void reductions(void **state)
{
    const char *const types = "[\"float\", \"\", \"Scalar\", \"\"]";
    costs("aten::sum", "[[32, 40], []]", "[\"float\", \"\"]", "", 1280, 4 * 1281);
    costs("aten::sum", "[[32, 40], [], [], []]", types, "[\"\", \"[0]\", \"True\", \"\"]", 1280, 4 * (1280 + 40));
    costs("aten::sum", "[[32, 40], [], [], []]", types, "[\"\", \"[-1]\", \"True\", \"\"]", 1280, 4 * (1280 + 32));
    costs("aten::sum", "[[32, 40], [], [], []]", types, "", 1280, -1);
    costs("aten::max", "[[32, 40], [32, 40]]", "[\"float\", \"float\"]", "", 1280, 12 * 1280);
}

static void lookups(void **state)
{
    costs("aten::embedding", "[[1000, 16], [4, 8]]", "[\"float\", \"long int\"]", "", 0, 2 * 32 * 64 + 32 * 8);
    costs("aten::_embedding_bag", "[[20000, 16], [64], [16], [], [], [], [], [], []]",
          "[\"float\", \"long int\", \"long int\", \"Scalar\", \"Scalar\", \"Scalar\", \"\", \"Scalar\", \"Scalar\"]",
          "[\"\", \"\", \"\", \"False\", \"0\", \"False\", \"\", \"False\", \"-1\"]", 64 * 16, (64 + 16) * 64 + 80 * 8);
    costs("aten::max_pool2d_with_indices", "[[2, 3, 8, 8], [], [], [], [], []]", "[\"float\"]",
          "[\"\", \"[3, 3]\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"False\"]", 96 * 9, 4 * (384 + 96) + 8 * 96);
}

static void hostile_shapes_end_in_unknown(void **state)
{
    const char *const dims[] = {"[[9223372036854775807], [9223372036854775807]]",
                                "[[[]], [[]]]",
                                "[[[1, 2]], [[3]]]",
                                "[]",
                                "[[1], [1], [1], [1], [1]]",
                                "[[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9]]",
                                "[[0, 0], [0, 0]]",
                                "[[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]"};
    const char *const values[] = {"", "[",
                                  "[\"\", \"[9223372036854775807, 9223372036854775807]\", \"[-1, -1]\", \"[0, 0]\"]",
                                  "[\"\", \"\", \"[1]\", \"[9223372036854775807]\", \"[0]\", \"[4294967296]\"]"};
    const char *const types[] = {"", "[\"float\", \"float\", \"float\"]", "[\"TensorList\"]", "[1]"};
    for (uint32_t f = 0; f < op_formula_count(); f++) {
        str rest = op_formula_at(f).names, pattern;
        struct arena arena = {0};
        while (str_cut(&rest, '|', &pattern)) {
            const str tail = str_from(pattern, 1);
            const str bare = str_ends(tail, S("$")) ? (str){tail.at, tail.len - 1} : tail;
            for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
                for (size_t v = 0; v < sizeof values / sizeof *values; v++)
                    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
                        const struct op_cost got = cost(str_z(&arena, bare), dims[d], types[t], values[v]);
                        assert_true(got.flops >= -1 && got.bytes >= -1);
                    }
        }
        arena_free(&arena);
    }
}

static void every_formula_names_its_source(void **state)
{
    for (uint32_t i = 0; i < op_formula_count(); i++) {
        const struct op_formula formula = op_formula_at(i);
        assert_true(formula.names.len && formula.flops.len && formula.bytes.len && formula.source.len);
    }
}

/* doc/numbers/ops.md, or "" where the source is absent. */
static str manual(struct arena *arena)
{
    const char *source = getenv("STEPTIME_SOURCE");
    FILE *file = source ? fopen(str_z(arena, str_printf(arena, "%s/doc/numbers/ops.md", source)), "r") : NULL;
    if (!file)
        return S("");
    enum { MOST = 1 << 18 };
    char *text = arena_alloc(arena, MOST);
    const size_t len = fread(text, 1, MOST, file);
    fclose(file);
    return (str){text, len};
}

static void the_manual_has_every_formula(void **state)
{
    struct arena arena = {0};
    const str text = manual(&arena);
    for (uint32_t i = 0; i < op_formula_count() && text.len; i++) {
        const struct op_formula f = op_formula_at(i);
        const str row = str_printf(&arena, "| %.*s | %.*s | %.*s |", (int)f.flops.len, f.flops.at, (int)f.bytes.len,
                                   f.bytes.at, (int)f.source.len, f.source.at);
        str names = f.names, pattern;
        assert_true(str_has(text, row));
        while (str_cut(&names, '|', &pattern)) {
            const bool whole = str_ends(pattern, S("$"));
            const str name =
                str_printf(&arena, "`%.*s%s`", (int)pattern.len - 1 - whole, pattern.at + 1, whole ? "" : "...");
            if (!str_has(text, name))
                fail_msg("doc/numbers/ops.md lacks %s", name.at);
        }
    }
    arena_free(&arena);
    if (!text.len)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(an_expanded_index_is_read_as_it_is_stored),
        cmocka_unit_test(products_that_do_not_fit_are_unknown),
        cmocka_unit_test(without_types_the_traffic_is_unknown),
        cmocka_unit_test(a_name_without_formula_is_unknown),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(gradients_of_convolutions),
        cmocka_unit_test(attention),
        cmocka_unit_test(elements),
        cmocka_unit_test(reductions),
        cmocka_unit_test(lookups),
        cmocka_unit_test(hostile_shapes_end_in_unknown),
        cmocka_unit_test(every_formula_names_its_source),
        cmocka_unit_test(the_manual_has_every_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
