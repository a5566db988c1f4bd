/* SPDX-License-Identifier: Apache-2.0 */
/* Operators and the kernels they launch, by hand. */
#include "unit/cmocka_first.h"

#include "ops/operators/reading.h"

static struct arena arena;

static int close_arena(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct lowering lowered(const char *name, const char *dims, const char *values)
{
    const struct op_arguments arguments = {.dims = str_of(dims), .types = S(""), .values = str_of(values)};
    const struct operator_call call = {.name = str_of(name), .arguments = &arguments, .direction = COPY_UNKNOWN};
    return operator_launches(&call, &arena);
}

/* `scattered`: of the sizes that may be left out the first of element-wise kernels; the others are as where they are left out. */
static void sizes_scattered(struct kernel kernel, enum kernel_form form, const int64_t *expected,
                            enum scattered scattered)
{
    assert_int_equal(kernel.form, form);
    const struct form_sizes named = form_sizes_of(form);
    for (uint32_t i = 0; i < named.count; i++) {
        const bool order = str_eq(str_of(named.at[i].name), S("scattered"));
        const int64_t wanted = order ? (int64_t)scattered : named.at[i].optional ? named.at[i].otherwise : *expected++;
        if (kernel_size(&kernel, &named.at[i]) != wanted)
            fail_msg("%s is %lld, not %lld", named.at[i].name, (long long)kernel_size(&kernel, &named.at[i]),
                     (long long)wanted);
    }
}

static void sizes(struct kernel kernel, enum kernel_form form, const int64_t *expected)
{
    sizes_scattered(kernel, form, expected, SCATTERED_NOT);
}

/* A call of one kernel. */
static struct kernel the_kernel(const char *name, const char *dims, const char *values)
{
    const struct lowering lowering = lowered(name, dims, values);
    if (lowering.count != 1)
        fail_msg("%s %s: %u kernels, %s", name, dims, lowering.count, lowering_way_word(lowering.way).at);
    return lowering.kernels[0];
}

static void launches(const char *name, const char *dims, const char *values, enum kernel_form form,
                     const int64_t *expected)
{
    sizes(the_kernel(name, dims, values), form, expected);
}

/* Rows of one operand stand for those of another: an address is worked out for each element. */
static void broadcasts(const char *name, const char *dims, const int64_t *expected)
{
    sizes_scattered(the_kernel(name, dims, ""), FORM_ELEMENTWISE, expected, SCATTERED_ROWS);
}

static void products_have_the_reduction_third(void **state)
{
    launches("aten::mm", "[[4, 5], [5, 6]]", "", FORM_LINEAR, (const int64_t[]){1, 4, 5, 6});
    launches("aten::addmm", "[[6], [4, 5], [5, 6], [], []]", "", FORM_LINEAR, (const int64_t[]){1, 4, 5, 6});
    launches("aten::bmm", "[[3, 4, 5], [3, 5, 6]]", "", FORM_BMM, (const int64_t[]){3, 4, 5, 6});
    launches("aten::linear", "[[2, 4, 5], [6, 5], [6]]", "", FORM_LINEAR, (const int64_t[]){1, 8, 5, 6});
    launches("aten::matmul", "[[2, 4, 5], [5, 6]]", "", FORM_LINEAR, (const int64_t[]){1, 8, 5, 6});
    launches("aten::matmul", "[[2, 4, 5], [2, 5, 6]]", "", FORM_BMM, (const int64_t[]){2, 4, 5, 6});
}

static void a_gradient_is_two_products_and_the_sum_of_the_bias(void **state)
{
    const struct op_arguments own = {.dims = S("[[4, 6]]")}, forward = {.dims = S("[[6], [4, 5], [5, 6], [], []]")};
    const struct operator_call call = {.name = S("AddmmBackward0"),
                                       .arguments = &own,
                                       .phase = PHASE_BACKWARD,
                                       .forward = S("aten::addmm"),
                                       .forward_arguments = &forward};
    const struct lowering lowering = operator_launches(&call, &arena);
    assert_int_equal(lowering.way, LOWERED_TO_CALLS);
    assert_int_equal(lowering.count, 3);
    sizes(lowering.kernels[0], FORM_LINEAR, (const int64_t[]){1, 4, 6, 5});
    sizes(lowering.kernels[1], FORM_LINEAR, (const int64_t[]){1, 5, 4, 6});
    sizes(lowering.kernels[2], FORM_REDUCTION, (const int64_t[]){6, 4});
    assert_true(lowering.kernels[0].backward);
}

static void convolutions_need_their_window(void **state)
{
    const char *const dims = "[[2, 16, 32, 32], [8, 16, 3, 3], [], [], [], [], [], [], []]";
    launches("aten::cudnn_convolution", dims, "[\"\", \"\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"1\"]",
             FORM_CONVOLUTION, (const int64_t[]){2, 16, 8, 3, 3, 32, 32, 2, 2, 1, 1, 1});
    const struct lowering unknown = lowered("aten::cudnn_convolution", dims, "");
    assert_int_equal(unknown.way, LOWERED_TO_BYTES);
    assert_non_null(unknown.why);
}

/* As recordings before values were kept: the next call reads the output, the gradient call has input and output. */
static void windows_follow_from_the_sizes_of_images(void **state)
{
    const struct op_arguments own = {.dims = S("[[2, 16, 32, 32], [8, 16, 3, 3], [], []]")};
    const struct op_arguments counter = {.dims = S("[[], [], []]")}, norm = {.dims = S("[[2, 8, 16, 16], [8], [8]]")};
    const struct op_arguments *const after[] = {&counter, &norm};
    const struct operator_call call = {
        .name = S("aten::cudnn_convolution"), .arguments = &own, .after = after, .after_count = 2};
    const struct lowering lowering = operator_launches(&call, &arena);
    assert_int_equal(lowering.way, LOWERED_TO_KERNELS);
    sizes(lowering.kernels[0], FORM_CONVOLUTION, (const int64_t[]){2, 16, 8, 3, 3, 32, 32, 2, 2, 1, 1, 1});

    const struct lowering back =
        lowered("aten::cudnn_convolution_backward", "[[2, 64, 56, 56], [2, 32, 56, 56], [32, 64, 1, 1], [], []]", "");
    assert_int_equal(back.way, LOWERED_TO_KERNELS);
    assert_int_equal(back.count, 2);
    sizes(back.kernels[0], FORM_CONVOLUTION, (const int64_t[]){2, 64, 32, 1, 1, 56, 56, 1, 1, 0, 0, 1});
    assert_int_equal(
        lowered("aten::cudnn_convolution_backward", "[[2, 64, 56, 56], [2, 32, 90, 90], [32, 64, 1, 1]]", "").way,
        LOWERED_TO_BYTES);
}

static struct lowering lowered_of(const char *name, const char *dims, const char *types, const char *values)
{
    const struct op_arguments arguments = {str_of(dims), .types = str_of(types), .values = str_of(values)};
    const struct operator_call call = {.name = str_of(name), .arguments = &arguments, .direction = COPY_UNKNOWN};
    return operator_launches(&call, &arena);
}

static void sums_of_whole_numbers_are_copied_wider_first(void **state)
{
    const char *const dims = "[[8, 100], [], [], []]", *const types = "[\"bool\", \"\", \"\", \"\"]";
    const struct lowering widest = lowered_of("aten::sum", dims, types, "[\"\", \"[1]\", \"False\", \"\"]");
    assert_int_equal(widest.count, 2);
    sizes(widest.kernels[0], FORM_ELEMENTWISE, (const int64_t[]){1, 800, 9});
    sizes(widest.kernels[1], FORM_REDUCTION, (const int64_t[]){8, 100});
    assert_int_equal(widest.kernels[1].dtype, DTYPE_I64);
    const struct lowering asked = lowered_of("aten::sum", dims, types, "[\"\", \"[1]\", \"False\", \"2\"]");
    assert_int_equal(asked.kernels[1].dtype, DTYPE_I16);
    assert_int_equal(lowered("aten::sum", dims, "[\"\", \"[1]\", \"False\", \"\"]").count, 1);
}

static void operands_are_broadcast_against_each_other(void **state)
{
    broadcasts("aten::add", "[[4, 100, 1], [4, 1, 100], []]", (const int64_t[]){400, 100, 4}); /* bytes */
}

static void resized_images_are_written_whole(void **state)
{
    launches("aten::upsample_bilinear2d", "[[2, 3, 8, 8], [], [], []]", "[\"\", \"[16, 16]\", \"False\", \"\"]",
             FORM_INDEX, (const int64_t[]){2 * 3 * 64 * 4, 2 * 3 * 256 * 4});
}

static void element_wise_operators_count_tensors(void **state)
{
    launches("aten::add", "[[8, 16], [8, 16], []]", "", FORM_ELEMENTWISE, (const int64_t[]){8, 16, 3});
    broadcasts("aten::add", "[[80, 1600], [1600], []]", (const int64_t[]){80, 1600, 2});
    launches("aten::gelu", "[[8, 16], []]", "", FORM_ELEMENTWISE, (const int64_t[]){8, 16, 2});
    launches("aten::_softmax", "[[4, 12, 7, 9], [], []]", "[\"\", \"-1\", \"False\"]", FORM_SOFTMAX,
             (const int64_t[]){336, 9});
    launches("aten::_softmax", "[[4, 9], [], []]", "[\"\", \"0\", \"False\"]", FORM_SOFTMAX, (const int64_t[]){9, 4});
    launches("aten::native_layer_norm", "[[4, 5, 64], [], [64], [64], []]", "[\"\", \"[64]\", \"\", \"\", \"1e-5\"]",
             FORM_LAYER_NORM, (const int64_t[]){20, 64});
    launches("aten::sum", "[[128, 64], [], [], []]", "[\"\", \"[0]\", \"True\", \"\"]", FORM_REDUCTION,
             (const int64_t[]){64, 128});
}

static void lookups_are_read_from_their_tables(void **state)
{
    launches("aten::embedding", "[[1000, 64], [8, 16], [], [], []]", "", FORM_EMBEDDING,
             (const int64_t[]){128, 1, 1000, 1, 64});
    launches("aten::_embedding_bag", "[[1000, 64], [800], [80], [], [], [], [], [], []]", "", FORM_EMBEDDING,
             (const int64_t[]){80, 1, 1000, 10, 64});
    launches("LookupFunction", "[[8000, 64], [8], [16000], [1601]]", "", FORM_EMBEDDING,
             (const int64_t[]){200, 8, 1000, 10, 64});
    launches("LookupFunction", "[[8000, 64], [8], [1600], [1601]]", "", FORM_EMBEDDING,
             (const int64_t[]){200, 8, 1000, 1, 64});
}

static void foreach_launches_follow_the_limits_of_a_launch(void **state)
{
    const struct lowering one = lowered("aten::_foreach_add_", "[[[100], [200]], [[100], [200]], []]", "");
    assert_int_equal(one.count, 1);
    const struct lowering many = lowered("aten::_foreach_add_", "[[[65536000]], [[65536000]], []]", "");
    assert_in_range(many.count, 3, 4); /* 1001 chunks, 320 a launch */
}

static void what_launches_nothing_says_so(void **state)
{
    assert_int_equal(lowered("aten::view", "[[4, 5], []]", "").way, LOWERED_TO_NOTHING);
    assert_int_equal(lowered("aten::empty_strided", "[[], []]", "").way, LOWERED_TO_NOTHING);
    assert_int_equal(lowered("aten::add", "[[0, 5], [0, 5], []]", "").way, LOWERED_TO_NOTHING);
    assert_int_equal(lowered("nccl:all_reduce", "[[4]]", "").way, LOWERED_TO_COLLECTIVE);
    assert_int_equal(lowered("autograd::engine::evaluate_function: MmBackward0", "[]", "").way, LOWERED_TO_CALLS);
}

static void what_is_not_known_is_guessed_from_its_bytes_or_said(void **state)
{
    launches("my::operator", "[[4, 5], [10]]", "", FORM_BYTES, (const int64_t[]){4 * (20 + 10 + 20), 1});
    assert_int_equal(lowered("my::operator", "[[4, 5]]", "").way, LOWERED_TO_BYTES);
    const struct lowering blind = lowered("aten::mm", "", "");
    assert_int_equal(blind.way, LOWERED_NOT);
    assert_non_null(blind.why);
}

static void damaged_shapes_give_an_answer(void **state)
{
    static const char *const dims[] = {
        "[[9223372036854775807, 9223372036854775807], [9223372036854775807, 2]]",
        "[[-1, 4], [4, 4]]",
        "[[[[[",
        "[[1], [[1], [2, 2]], [3]]",
        "[[], [], [], []]",
    };
    static const char *const names[] = {
        "aten::mm",       "aten::convolution",  "aten::cat",   "aten::_index_put_impl_",
        "aten::index",    "aten::sum",          "aten::copy_", "aten::max_pool2d_with_indices",
        "LookupFunction", "aten::_foreach_add_"};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const struct lowering lowering = lowered(names[k], dims[i], "[\"\", \"[9223372036854775807]\", \"-7\"]");
            for (uint32_t at = 0; at < lowering.count; at++)
                assert_null(kernel_check(&lowering.kernels[at]));
        }
}

static int64_t bytes_of_unknown(const char *dims, const char *types)
{
    const struct op_arguments arguments = {.dims = str_of(dims), .types = str_of(types), .values = S("")};
    const struct operator_call call = {.name = S("my::operator"), .arguments = &arguments, .direction = COPY_UNKNOWN};
    const struct lowering lowering = operator_launches(&call, &arena);
    assert_int_equal(lowering.way, LOWERED_TO_BYTES);
    return lowering.kernels[0].moved.bytes;
}

/* Of caches and tables that an index goes into, a row for each index is touched, whatever the operator is called. */
static void an_index_tells_what_an_unknown_operator_touches(void **state)
{
    const int64_t row = 8 * 64 * 2, slots = 32 * 8;
    assert_int_equal(bytes_of_unknown("[[32, 8, 64], [32, 8, 64], [5000, 16, 8, 64], [5000, 16, 8, 64], [32]]",
                                      "[\"c10::Half\", \"c10::Half\", \"c10::Half\", \"c10::Half\", \"long int\"]"),
                     4 * 32 * row + slots + 32 * row);
    assert_int_equal(bytes_of_unknown("[[32, 512], [9000, 512], [32]]", "[\"float\", \"float\", \"int\"]"),
                     2 * 32 * 512 * 4 + 32 * 4 + 32 * 512 * 4);
    /* Pages of a cache by a table of pages. */
    assert_int_equal(
        bytes_of_unknown("[[32, 8, 64], [5000, 16, 8, 64], [32, 10]]", "[\"c10::Half\", \"c10::Half\", \"int\"]"),
        32 * row + 320 * 16 * row + 320 * 4 + 320 * 16 * row);
    /* Nothing begins with as many rows: no index. */
    assert_int_equal(bytes_of_unknown("[[100, 8], [7]]", "[\"float\", \"int\"]"), 2 * 100 * 8 * 4 + 7 * 4);
    /* No table is larger than it is. */
    assert_int_equal(bytes_of_unknown("[[1000, 4], [10, 4], [1000]]", "[\"float\", \"float\", \"int\"]"),
                     2 * 1000 * 4 * 4 + 10 * 4 * 4 + 1000 * 4);
}

/* So that a row of the catalogue is enough: nothing else has to know the name. */
static void every_operator_that_is_read_has_a_family(void **state)
{
    for (uint32_t i = 0; i < operator_row_count; i++) {
        str names = str_of(operator_rows[i].names), name;
        while (operator_rows[i].read && str_cut(&names, '|', &name)) {
            const str bare = {name.at + 1, name.len - 1 - str_ends(name, S("$"))};
            if (str_starts(name, S("^")) && operator_family(bare) == FAMILY_OTHER)
                fail_msg("%.*s has no family", (int)bare.len, bare.at);
        }
    }
    assert_int_equal(operator_family(S("aten::hypot")), FAMILY_ELEMENTWISE);
    assert_int_equal(operator_family(S("aten::half")), FAMILY_COPY);
    assert_int_equal(operator_family(S("aten::addmm")), FAMILY_GEMM);
    assert_int_equal(operator_family(S("my::operator")), FAMILY_OTHER);
}

/* Which arguments are the parameters of a layer: _addmm_activation has its bias first, as addmm has. */
static void parameters_of_a_layer_follow_from_its_row(void **state)
{
    static const struct {
        const char *name;
        struct operator_roles roles;
    } cases[] = {
        {"aten::mm", {true, 0, 1, NO_ARGUMENT}},
        {"aten::addmm", {true, 1, 2, 0}},
        {"aten::_addmm_activation", {true, 1, 2, 0}},
        {"aten::_scaled_mm", {true, 0, 1, NO_ARGUMENT}},
        {"aten::linear", {true, 0, 1, 2}},
        {"aten::embedding", {false, 1, 0, NO_ARGUMENT}},
        {"AddmmBackward0", {false, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT}},
        {"aten::bmm", {false, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT}},
        {"my::operator", {false, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct operator_roles got = operator_roles(str_of(cases[i].name)), wanted = cases[i].roles;
        if (got.product != wanted.product || got.input != wanted.input || got.weight != wanted.weight ||
            got.bias != wanted.bias)
            fail_msg("%s: %d %d %d", cases[i].name, got.input, got.weight, got.bias);
    }
}

static struct kernel convolution(const char *name, const char *dims, const char *values)
{
    const struct lowering lowering = lowered(name, dims, values);
    assert_int_equal(lowering.count, 1);
    assert_int_equal(lowering.kernels[0].form, FORM_CONVOLUTION);
    return lowering.kernels[0];
}

static void each_axis_of_a_convolution_has_a_window_of_its_own(void **state)
{
    const struct kernel wide = convolution("aten::cudnn_convolution", "[[2, 16, 17, 17], [8, 16, 1, 7]]",
                                           "[\"\", \"\", \"[0, 3]\", \"[1, 1]\", \"[1, 1]\", \"1\"]");
    assert_int_equal(axis_positions(&wide.convolution.axes[1]), 17);
    assert_int_equal(axis_positions(&wide.convolution.axes[2]), 17);
    const struct kernel dilated = convolution("aten::conv2d", "[[2, 16, 33, 33], [8, 16, 3, 3]]",
                                              "[\"\", \"\", \"\", \"[1, 1]\", \"[12, 12]\", \"[12, 12]\", \"1\"]");
    assert_int_equal(axis_positions(&dilated.convolution.axes[1]), 33);
    const struct kernel volume = convolution("aten::conv3d", "[[2, 16, 8, 9, 10], [8, 16, 3, 3, 3]]",
                                             "[\"\", \"\", \"\", \"[2, 1, 1]\", \"[1, 1, 1]\", \"[1, 1, 1]\", \"1\"]");
    assert_int_equal(axis_positions(&volume.convolution.axes[0]), 4);
    assert_int_equal(axis_positions(&volume.convolution.axes[1]), 9);
    const struct kernel depthwise = convolution("aten::_conv_depthwise2d", "[[2, 16, 9, 9], [16, 1, 3, 3]]",
                                                "[\"\", \"\", \"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\"]");
    assert_int_equal(depthwise.convolution.groups, 16);
}

/* Scattered from 5 x 6 positions at stride 2 into 10 x 12: as the plain one that leads back. */
static void a_transposed_convolution_is_the_gradient_of_a_plain_one(void **state)
{
    const struct kernel kernel =
        convolution("aten::conv_transpose2d", "[[2, 16, 5, 6], [16, 4, 3, 3]]",
                    "[\"\", \"\", \"\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"2\", \"[1, 1]\"]");
    assert_true(kernel.backward && kernel.convolution.in == 8 && kernel.convolution.out == 16);
    assert_int_equal(kernel.convolution.groups, 2);
    assert_int_equal(kernel.convolution.axes[1].size, 10);
    assert_int_equal(kernel.convolution.axes[2].size, 12);
    assert_int_equal(axis_positions(&kernel.convolution.axes[2]), 6);
    const struct kernel miopen =
        convolution("aten::miopen_convolution_transpose", "[[2, 16, 5, 6], [16, 4, 3, 3], []]",
                    "[\"\", \"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"2\"]");
    assert_int_equal(miopen.convolution.axes[1].size, 10);
}

static struct lowering gradients_of(const char *forward, const char *dims, const char *values)
{
    const struct op_arguments own = {.dims = S("[]")}, of = {.dims = str_of(dims), .values = str_of(values)};
    const struct operator_call call = {.name = S("ConvolutionBackward0"),
                                       .arguments = &own,
                                       .phase = PHASE_BACKWARD,
                                       .forward = str_of(forward),
                                       .forward_arguments = &of};
    return operator_launches(&call, &arena);
}

static void a_node_reads_its_forward_call_by_that_call_s_schema(void **state)
{
    const struct lowering cudnn = gradients_of("aten::cudnn_convolution", "[[2, 16, 33, 33], [8, 16, 3, 3]]",
                                               "[\"\", \"\", \"[12, 12]\", \"[1, 1]\", \"[12, 12]\", \"1\"]");
    assert_int_equal(cudnn.count, 2);
    assert_int_equal(cudnn.kernels[0].convolution.axes[1].padding, 12);
    assert_int_equal(axis_positions(&cudnn.kernels[1].convolution.axes[2]), 33);
    const struct lowering scattered =
        gradients_of("aten::conv_transpose2d", "[[2, 16, 5, 6], [16, 4, 3, 3]]",
                     "[\"\", \"\", \"\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"1\", \"[1, 1]\"]");
    assert_int_equal(scattered.count, 2);
    assert_int_equal(scattered.kernels[0].convolution.in, 4);
    assert_int_equal(scattered.kernels[0].convolution.axes[1].size, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_reduction_third),
        cmocka_unit_test(an_index_tells_what_an_unknown_operator_touches),
        cmocka_unit_test(a_gradient_is_two_products_and_the_sum_of_the_bias),
        cmocka_unit_test(convolutions_need_their_window),
        cmocka_unit_test(every_operator_that_is_read_has_a_family),
        cmocka_unit_test(a_node_reads_its_forward_call_by_that_call_s_schema),
        cmocka_unit_test(parameters_of_a_layer_follow_from_its_row),
        cmocka_unit_test(each_axis_of_a_convolution_has_a_window_of_its_own),
        cmocka_unit_test(a_transposed_convolution_is_the_gradient_of_a_plain_one),
        cmocka_unit_test(windows_follow_from_the_sizes_of_images),
        cmocka_unit_test(sums_of_whole_numbers_are_copied_wider_first),
        cmocka_unit_test(operands_are_broadcast_against_each_other),
        cmocka_unit_test(resized_images_are_written_whole),
        cmocka_unit_test(element_wise_operators_count_tensors),
        cmocka_unit_test(lookups_are_read_from_their_tables),
        cmocka_unit_test(foreach_launches_follow_the_limits_of_a_launch),
        cmocka_unit_test(what_launches_nothing_says_so),
        cmocka_unit_test(what_is_not_known_is_guessed_from_its_bytes_or_said),
        cmocka_unit_test(damaged_shapes_give_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, close_arena);
}
