/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of recorded kernels tell of a call: TF32, layouts, copies, kernels beside. Without names, what arguments say. */
#include "unit/cmocka_first.h"

#include "ops/operators/operators.h"

static struct arena arena;

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

/* A call that launched kernels of these names, to NULL. */
static struct lowering lowered(const char *name, const char *dims, const char *types, const char *const *kernels)
{
    struct op_arguments arguments = {.dims = str_of(dims), .types = str_of(types)};
    struct operator_call call = {.name = str_of(name), .arguments = &arguments, .direction = COPY_UNKNOWN};
    for (; *kernels; kernels++)
        launched_add(&call.launched, launch_hints(str_of(*kernels)));
    return operator_launches(&call, &arena);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char mm[] = "[[512, 256], [256, 128]]", floats[] = "[\"float\", \"float\"]",
                  halves[] = "[\"c10::BFloat16\", \"c10::BFloat16\"]";

static enum format format_of(const char *types, const char *kernel)
{
    const struct lowering lowering = lowered("aten::mm", mm, types, NAMES(kernel));
    assert_int_equal(lowering.count, 1);
    return lowering.kernels[0].format;
}

static void tf32_is_told_by_the_kernel(void **state)
{
    assert_int_equal(format_of(floats, "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16_stage4"),
                     FORMAT_TF32);
    assert_int_equal(format_of(floats, "cutlass_80_tensorop_s1688gemm_64x64_32x4_nn_align1"), FORMAT_TF32);
    assert_int_equal(format_of(floats, "ampere_sgemm_128x64_tn"), FORMAT_PLAIN);
    assert_int_equal(format_of(halves, "cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1"), FORMAT_PLAIN);
}

static void a_few_rows_go_by_threads(void **state)
{
    const struct lowering lowering = lowered("aten::bmm", "[[64, 4, 32], [64, 32, 4096]]", floats,
                                             NAMES("void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>(int)"));
    assert_true(str_eq(lowering.kernels[0].variant, S("vector")));
}

static enum scattered order_of(const char *dims, const char *kernel)
{
    const struct lowering lowering = lowered("aten::add", dims, "[\"float\", \"float\", \"Scalar\"]", NAMES(kernel));
    assert_int_equal(lowering.count, 1);
    return (enum scattered)lowering.kernels[0].elements.scattered;
}

static void addresses_are_told_by_the_kernel(void **state)
{
    const char *const each = "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<Add>>";
    const char *const vectors = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>";
    assert_int_equal(order_of("[[64, 128], [64, 128], []]", vectors), SCATTERED_NOT);
    assert_int_equal(order_of("[[64, 128], [64, 128], []]", each), SCATTERED_SOMEHOW);
    assert_int_equal(order_of("[[64, 128], [128], []]", each), SCATTERED_ROWS);
    assert_int_equal(order_of("[[64, 128], [128], []]", vectors), SCATTERED_NOT);
}

static uint32_t count_of(const struct lowering *lowering, enum kernel_form form)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lowering->count; i++)
        count += lowering->kernels[i].form == form;
    return count;
}

/* Input, filter and output; a kernel that nobody knows is a short one. */
static void images_are_turned_around_a_convolution(void **state)
{
    const struct op_arguments arguments = {
        .dims = S("[[4, 16, 10, 10], [32, 16, 3, 3], [], [], [], [], []]"),
        .types = S("[\"c10::Half\", \"c10::Half\", \"\", \"\", \"\", \"\", \"\"]"),
        .values = S("[\"\", \"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"1\"]"),
    };
    struct operator_call call = {.name = S("aten::_convolution"), .arguments = &arguments, .direction = COPY_UNKNOWN};
    const char *const names[] = {"nchwToNhwcKernel<__half>", "nchwToNhwcKernel<__half>", "xmma_fprop_implicit_gemm",
                                 "nhwcToNchwKernel<__half>", "zeroes"};
    for (int i = 0; i < 5; i++)
        launched_add(&call.launched, launch_hints(str_of(names[i])));
    call.name = S("aten::cudnn_convolution");
    const struct lowering lowering = operator_launches(&call, &arena);
    if (lowering.way != LOWERED_TO_KERNELS)
        fail_msg("%s", lowering_way_word(lowering.way).at);
    assert_int_equal(lowering.count, 5);
    assert_int_equal(count_of(&lowering, FORM_TRANSPOSE), 3);
    assert_int_equal(count_of(&lowering, FORM_FILL), 1);
    const int64_t elements[] = {4 * 16 * 100, 32 * 16 * 9, 4 * 32 * 100};
    for (int i = 0; i < 3; i++)
        assert_int_equal(lowering.kernels[1 + i].transpose.cols, elements[i]);
}

static void operands_are_copied_before_a_product(void **state)
{
    const struct lowering lowering = lowered(
        "aten::mm", mm, floats,
        NAMES("void at::native::elementwise_kernel<128, 2, direct_copy_kernel_cuda>", "ampere_sgemm_128x64_tn"));
    assert_int_equal(lowering.count, 2);
    assert_int_equal(lowering.kernels[1].form, FORM_COPY);
    assert_int_equal(lowering.kernels[1].moved.bytes, 512 * 256 * 4);
}

/* Sums of the parts of a cut K are in the time of the product. */
static void parts_are_no_kernels_of_their_own(void **state)
{
    const struct lowering lowering =
        lowered("aten::mm", mm, floats, NAMES("volta_sgemm_64x32_sliced1x4_nn", "void splitKreduce_kernel<float>"));
    assert_int_equal(lowering.count, 1);
}

/* By cuDNN another way: the native one has a block a channel. */
static void a_native_norm_is_told_by_its_operator(void **state)
{
    const char *const dims = "[[8, 64, 20, 20], [64], [64], [64], [64], [], [], []]";
    const char *const types =
        "[\"float\", \"float\", \"float\", \"float\", \"float\", \"Scalar\", \"Scalar\", \"Scalar\"]";
    const char *const none[] = {NULL};
    struct lowering lowering = lowered("aten::native_batch_norm", dims, types, none);
    assert_true(str_eq(lowering.kernels[0].variant, S("native")));
    lowering = lowered("aten::native_batch_norm", dims, types,
                       NAMES("batch_norm_collect_statistics_channels_last_kernel<float>"));
    assert_int_equal(lowering.kernels[0].variant.len, 0);
    lowering = lowered("aten::cudnn_batch_norm", dims, types, none);
    assert_int_equal(lowering.kernels[0].variant.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tf32_is_told_by_the_kernel),
        cmocka_unit_test(a_few_rows_go_by_threads),
        cmocka_unit_test(addresses_are_told_by_the_kernel),
        cmocka_unit_test(images_are_turned_around_a_convolution),
        cmocka_unit_test(operands_are_copied_before_a_product),
        cmocka_unit_test(parts_are_no_kernels_of_their_own),
        cmocka_unit_test(a_native_norm_is_told_by_its_operator),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
