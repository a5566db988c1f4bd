/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers in one call: their kernels and their least work, by hand. */
#include "unit/cmocka_first.h"

#include "ops/operators/reading.h"

static struct arena arena;

static int close_arena(void **state)
{
    arena_free(&arena);
    return 0;
}

#define LSTM_WEIGHTS "[[1024, 128], [1024, 256], [1024], [1024]]"
#define NO_SIZES     "[], [], [], [], [], [], [], [], [], []"
#define FLOATS       "[\"Tensor(float)\", \"GenericList[Tensor(float)]\", \"Int\", \"Tensor(float)\", \"Tensor(float)\"]"

/* 20 steps of 16 sequences of 128, 256 units. */
static const char lstm[] = "[[20, 16, 128], " LSTM_WEIGHTS ", [], [0], [1, 16, 256], [1, 16, 256], " NO_SIZES "]";
static const char gradient[] = "[[20, 16, 128], " LSTM_WEIGHTS ", [], [0], [1, 16, 256], [1, 16, 256], [20, 16, 256], "
                               "[20, 16, 256], [], [], " NO_SIZES ", [9], [[], [], [], []]]";

static struct lowering lowered_lying(const char *name, const char *dims, const char *values, const char *strides)
{
    const struct op_arguments arguments = {str_of(dims), S(FLOATS), str_of(values), str_of(strides)};
    const struct operator_call call = {.name = str_of(name), .arguments = &arguments, .direction = COPY_UNKNOWN};
    return operator_launches(&call, &arena);
}

static struct lowering lowered(const char *name, const char *dims, const char *values)
{
    return lowered_lying(name, dims, values, "");
}

static void is_product(struct kernel kernel, int64_t m, int64_t reduced, int64_t n)
{
    assert_int_equal(kernel.form, FORM_LINEAR);
    assert_int_equal(kernel.product.m, m);
    assert_int_equal(kernel.product.reduced, reduced);
    assert_int_equal(kernel.product.n, n);
}

static void is_steps(struct kernel kernel, int64_t batch, int64_t steps, int64_t units, int64_t gates, int64_t width)
{
    assert_int_equal(kernel.form, FORM_RECURRENT);
    assert_int_equal(kernel.recurrent.batch, batch);
    assert_int_equal(kernel.recurrent.steps, steps);
    assert_int_equal(kernel.recurrent.units, units);
    assert_int_equal(kernel.recurrent.gates, gates);
    assert_int_equal(kernel.recurrent.width, width);
}

static void a_layer_is_a_product_of_its_inputs_and_its_steps(void **state)
{
    const struct lowering forward = lowered("aten::_cudnn_rnn", lstm, "");
    assert_int_equal(forward.way, LOWERED_TO_KERNELS);
    assert_int_equal(forward.count, 2);
    is_product(forward.kernels[0], 20 * 16, 128, 1024);
    is_steps(forward.kernels[1], 16, 20, 256, 4, 256);
    assert_false(forward.kernels[1].backward || forward.kernels[1].recurrent.packed);
}

/* The eleventh argument: batch_first. */
static void what_has_sequences_first_is_copied(void **state)
{
    static const char flags[] = "[\"\", [], 4, \"\", \"\", \"\", 2, 256, 0, 1, true, 0.0, true, false, [], null]";
    static const char other[] = "[\"\", [], 4, \"\", \"\", \"\", 2, 256, 0, 1, false, 0.0, true, false, [], null]";
    const struct lowering first = lowered("aten::_cudnn_rnn", lstm, flags);
    assert_int_equal(first.count, 3);
    assert_int_equal(first.kernels[0].form, FORM_COPY);
    assert_int_equal(first.kernels[0].moved.bytes, 4 * 20 * 16 * 128);
    assert_int_equal(lowered_lying("aten::_cudnn_rnn", lstm, flags, "[[2048, 128, 1]]").count, 3);
    assert_int_equal(lowered_lying("aten::_cudnn_rnn", lstm, flags, "[[128, 2560, 1]]").count, 2);
    assert_int_equal(lowered("aten::_cudnn_rnn", lstm, other).count, 2);
    static const char back[] =
        "[\"\", [], 4, \"\", \"\", \"\", \"\", \"\", null, null, 2, 256, 0, 1, true, 0.0, true, false, [], "
        "null, \"\", [true, false, false, true]]";
    assert_int_equal(lowered("aten::_cudnn_rnn_backward", gradient, back).count, 4 + 3);
}

static void both_directions_and_all_layers_have_their_own(void **state)
{
    const struct lowering two = lowered("aten::_cudnn_rnn",
                                        "[[16, 20, 8], [[48, 8], [48, 16], [48], [48], [48, 8], [48, 16], [48], [48], "
                                        "[48, 32], [48, 16], [48], [48], [48, 32], [48, 16], [48], [48]], [], [0], "
                                        "[4, 16, 16], [], " NO_SIZES "]",
                                        "");
    assert_int_equal(two.count, 8);
    for (uint32_t i = 0; i < 8; i += 2) {
        is_product(two.kernels[i], 20 * 16, i < 4 ? 8 : 32, 48);
        is_steps(two.kernels[i + 1], 16, 20, 16, 3, 16);
    }
}

static void a_gradient_has_products_for_inputs_and_weights(void **state)
{
    const struct lowering all = lowered("aten::_cudnn_rnn_backward", gradient, "");
    assert_int_equal(all.count, 4);
    is_steps(all.kernels[0], 16, 20, 256, 4, 256);
    assert_true(all.kernels[0].backward);
    is_product(all.kernels[1], 20 * 16, 1024, 128);
    is_product(all.kernels[2], 1024, 20 * 16, 128);
    is_product(all.kernels[3], 1024, 20 * 16, 256);
    assert_int_equal(lowered("aten::_cudnn_rnn_backward", gradient, "[\"\", [true, false, false, false]]").count, 2);
    assert_int_equal(lowered("aten::_cudnn_rnn_backward", gradient, "[\"\", [true, false, false, true]]").count, 4);
}

static void a_projection_is_told_by_its_sizes(void **state)
{
    const struct lowering forward = lowered("aten::_cudnn_rnn",
                                            "[[20, 16, 128], [[1024, 128], [1024, 64], [1024], [1024], [64, 256]], [], "
                                            "[0], [1, 16, 64], [1, 16, 256], " NO_SIZES "]",
                                            "");
    assert_int_equal(forward.count, 2);
    is_steps(forward.kernels[1], 16, 20, 256, 4, 64);
    assert_true(kernel_flops(&forward.kernels[1]) == 2.0 * 20 * 16 * 5 * 256 * 64);
}

/* Five sequences of 3, 2, 2, 1 and 1 steps: 9 rows, and steps of 5, 3 and 1. */
static void packed_sequences_have_the_steps_of_the_longest(void **state)
{
    const struct lowering packed = lowered("aten::_cudnn_rnn",
                                           "[[9, 8], [[16, 8], [16, 16]], [], [0], [1, 5, 16], [], [], [], [], [], [], "
                                           "[], [], [], [[], [], []], []]",
                                           "");
    assert_int_equal(packed.count, 2);
    is_steps(packed.kernels[1], 3, 3, 16, 1, 16);
    assert_int_equal(packed.kernels[1].recurrent.packed, 1);
}

static void another_library_keeps_its_arguments_elsewhere(void **state)
{
    const struct lowering forward = lowered(
        "aten::miopen_rnn", "[[20, 16, 128], " LSTM_WEIGHTS ", [], [1, 16, 256], [1, 16, 256], " NO_SIZES "]", "");
    assert_int_equal(forward.count, 2);
    is_steps(forward.kernels[1], 16, 20, 256, 4, 256);
    assert_int_equal(lowered("aten::miopen_rnn_backward", gradient, "").count, 4);
}

static struct op_cost cost(const char *name, const char *dims, const char *values)
{
    return operator_cost(str_of(name), &(struct op_arguments){str_of(dims), S(FLOATS), str_of(values), S("")});
}

static void each_row_meets_each_matrix_once(void **state)
{
    const int64_t rows = 20 * 16, weights = 1024 * (128 + 256), touched = rows * 128 + weights + 2 * 1024 + rows * 256;
    const struct op_cost forward = cost("aten::_cudnn_rnn", lstm, "");
    assert_int_equal(forward.flops, 2 * rows * weights);
    assert_int_equal(forward.bytes, 4 * touched);
    assert_true(forward.matrix);
    assert_int_equal(cost("aten::_cudnn_rnn_backward", gradient, "").flops, 4 * rows * weights);
    assert_int_equal(cost("aten::_cudnn_rnn_backward", gradient, "").bytes, 8 * touched);
    assert_int_equal(cost("aten::_cudnn_rnn_backward", gradient, "[[true, true, true, false]]").flops,
                     2 * rows * weights);
}

static void what_was_not_recorded_is_no_layer(void **state)
{
    static const char *const dims[] = {
        "[]",
        "[[20, 16, 128], [], [], [0], [1, 16, 256]]",
        "[[20, 16, 128], [[1024]], [], [0], [1, 16, 256]]",
        "[[20, 16, 128], [[1024, 128]], [], [0], [1, 16, 256]]",
        "[[20, 16, 128], [[1024, 128], [512, 256]], [], [0], [1, 16, 256]]",
        "[[20, 16, 128], " LSTM_WEIGHTS ", [], [0], []]",
        "[[20, 16, 128], " LSTM_WEIGHTS ", [], [0], [1, 0, 256]]",
        "[[128], " LSTM_WEIGHTS ", [], [0], [1, 16, 256]]",
        "[[20, 16, 128], [[1024, 128], [1024, 0]], [], [0], [1, 16, 0]]",
        "[[0, 16, 128], " LSTM_WEIGHTS ", [], [0], [1, 16, 256]]",
        "[[4000000000, 4000000000, 4], [[4000000000, 4], [4000000000, 4000000000]], [], [0], [1, 4000000000, 7]]",
    };
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        const struct lowering lowering = lowered("aten::_cudnn_rnn", dims[i], "");
        for (uint32_t k = 0; k < lowering.count; k++)
            assert_true(lowering.kernels[k].form != FORM_RECURRENT);
        assert_true(cost("aten::_cudnn_rnn", dims[i], "").flops <= 0);
    }
}

static void fused_cells_are_one_kernel_over_their_gates(void **state)
{
    const struct lowering forward =
        lowered("aten::_thnn_fused_lstm_cell", "[[16, 1024], [16, 1024], [16, 256], [1024], [1024]]", "");
    assert_int_equal(forward.count, 1);
    assert_int_equal(forward.kernels[0].form, FORM_ELEMENTWISE);
    assert_int_equal(forward.kernels[0].elements.cols, 1024);
    const struct lowering back = lowered("aten::_thnn_fused_lstm_cell_backward_impl",
                                         "[[16, 256], [], [16, 256], [16, 256], [16, 1024], []]", "");
    assert_int_equal(back.count, 1);
    assert_int_equal(back.kernels[0].elements.cols, 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_is_a_product_of_its_inputs_and_its_steps),
        cmocka_unit_test(what_has_sequences_first_is_copied),
        cmocka_unit_test(both_directions_and_all_layers_have_their_own),
        cmocka_unit_test(a_gradient_has_products_for_inputs_and_weights),
        cmocka_unit_test(a_projection_is_told_by_its_sizes),
        cmocka_unit_test(packed_sequences_have_the_steps_of_the_longest),
        cmocka_unit_test(another_library_keeps_its_arguments_elsewhere),
        cmocka_unit_test(each_row_meets_each_matrix_once),
        cmocka_unit_test(what_was_not_recorded_is_no_layer),
        cmocka_unit_test(fused_cells_are_one_kernel_over_their_gates),
    };
    return cmocka_run_group_tests(tests, NULL, close_arena);
}
