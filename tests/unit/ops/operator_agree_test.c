/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least work of an operator and the kernels that it launches come from one reading of a call: over random sizes the
 * arithmetic of matrix forms is the same, and so is the traffic. Where kernels move other bytes, the row says why.
 */
#include "unit/cmocka_first.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "ops/operators/operators.h"

/* ---- calls of random sizes ---- */

/* "$m" stands for a size of that letter, the same wherever it stands in a call; "$$" for an element type. */
struct call {
    const char *names; /* between bars */
    const char *dims, *types, *values;
    const char *why; /* why the kernels move other bytes than the least; NULL: they move just that */
};

static const char *const element_types[] = {"float", "c10::Half", "c10::BFloat16"};

static int64_t size_of_letter(char letter)
{
    switch (letter) {
    case 's': /* strides, dilations */
    case 't':
    case 'd':
    case 'e':
        return 1 + rand() % 3;
    case 'p': /* paddings */
    case 'q':
        return rand() % 3;
    case 'x': /* windows */
    case 'y':
        return 2 + rand() % 4;
    case 'h': /* images */
    case 'w':
        return 20 + rand() % 40;
    default:
        return 2 + rand() % 60;
    }
}

static str filled(const char *text, const int64_t *sizes, const char *type, struct buf *into)
{
    buf_clear(into);
    for (; *text; text++) {
        if (*text != '$')
            buf_char(into, *text);
        else if (*++text == '$')
            buf_printf(into, "\"%s\"", type);
        else
            buf_printf(into, "%lld", (long long)sizes[(unsigned char)*text]);
    }
    return (str){into->at, into->len};
}

#define FOUR_TYPES  .types = "[$$, $$, $$, $$, \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\"]"
#define TWO_TYPES   .types = "[$$, $$, \"\", \"\", \"\", \"\", \"\"]"
#define ONE_TYPE    "[$$, \"\", \"\", \"\", \"\", \"\"]"
#define INDEX_TYPES .types = "[$$, \"long int\", \"long int\", \"\", \"\", \"\", \"\", \"\", \"\"]"
#define IMAGES      "[[$b, $c, $h, $w], [$o, $c, $x, $y], [], [], [], [], [], [], []]"
#define WINDOW      "\"[$s, $t]\", \"[$p, $q]\", \"[$d, $e]\""
#define OLD_WINDOW  "\"[$p, $q]\", \"[$s, $t]\", \"[$d, $e]\""

static const struct call calls[] = {
    {"aten::mm|aten::_scaled_mm", "[[$m, $k], [$k, $n]]", TWO_TYPES, .values = ""},
    {"aten::mv", "[[$m, $k], [$k]]", TWO_TYPES, .values = ""},
    {"aten::addmm|aten::addmm_|aten::_addmm_activation", "[[$n], [$m, $k], [$k, $n], [], []]", FOUR_TYPES,
     .values = ""},
    {"aten::addmv|aten::addmv_", "[[$m], [$m, $k], [$k], [], []]", FOUR_TYPES, .values = ""},
    {"aten::bmm", "[[$b, $m, $k], [$b, $k, $n]]", TWO_TYPES, .values = ""},
    {"aten::baddbmm|aten::baddbmm_", "[[$b, $m, $n], [$b, $m, $k], [$b, $k, $n], [], []]", FOUR_TYPES, .values = ""},
    {"aten::linear", "[[$b, $m, $k], [$n, $k], [$n]]", FOUR_TYPES, .values = ""},
    {"aten::matmul", "[[$b, $m, $k], [$k, $n]]", TWO_TYPES, .values = ""},
    {"aten::matmul", "[[$b, $c, $m, $k], [$b, $c, $k, $n]]", TWO_TYPES, .values = ""},
    {"aten::matmul", "[[$b, 1, $m, $k], [$c, $k, $n]]", TWO_TYPES, .values = "",
     "an operand that is broadcast is written out for the product of batches"},
    {"aten::dot|aten::vdot", "[[$k], [$k]]", TWO_TYPES, .values = ""},

    {"aten::convolution|aten::_convolution|aten::convolution_overrideable", IMAGES, TWO_TYPES,
     .values = "[\"\", \"\", \"\", " WINDOW ", \"False\", \"[0, 0]\", \"1\"]"},
    {"aten::conv2d", IMAGES, TWO_TYPES, .values = "[\"\", \"\", \"\", " WINDOW ", \"1\"]"},
    {"aten::conv1d", "[[$b, $c, $w], [$o, $c, $x], [], [], [], [], []]", TWO_TYPES,
     .values = "[\"\", \"\", \"\", \"[$s]\", \"[$p]\", \"[$d]\", \"1\"]"},
    {"aten::conv3d", "[[$b, $c, 8, $h, $w], [$o, $c, 3, $x, $y], [], [], [], [], []]", TWO_TYPES,
     .values = "[\"\", \"\", \"\", \"[1, $s, $t]\", \"[1, $p, $q]\", \"[1, $d, $e]\", \"1\"]"},
    {"aten::cudnn_convolution", IMAGES, TWO_TYPES, .values = "[\"\", \"\", " OLD_WINDOW ", \"1\", \"False\"]"},
    {"aten::cudnn_convolution|aten::miopen_convolution|aten::mkldnn_convolution", IMAGES, TWO_TYPES,
     .values = "[\"\", \"\", \"\", " OLD_WINDOW ", \"1\"]"},
    {"aten::_conv_depthwise2d", "[[$b, $c, $h, $w], [$c, 1, $x, $y], [], [], [], [], []]", TWO_TYPES,
     .values = "[\"\", \"\", \"[$x, $y]\", \"\", " WINDOW "]"},
    {"aten::convolution", "[[$b, 12, $h, $w], [24, 3, $x, $y], [], [], [], [], [], [], []]", TWO_TYPES,
     .values = "[\"\", \"\", \"\", " WINDOW ", \"False\", \"[0, 0]\", \"4\"]"},
    {"aten::conv_transpose2d", "[[$b, $c, $h, $w], [$c, $o, 5, 5], [], [], [], [], [], []]", TWO_TYPES,
     .values = "[\"\", \"\", \"\", \"[$s, $t]\", \"[$p, $q]\", \"[0, 0]\", \"1\", \"[$d, $e]\"]"},
    {"aten::convolution_backward",
     "[[$b, $o, $h, $w], [$b, $c, $h, $w], [$o, $c, 3, 3], [], [], [], [], [], [], [], []]", FOUR_TYPES,
     .values =
         "[\"\", \"\", \"\", \"[0]\", \"[1, 1]\", \"[$d, $e]\", \"[$d, $e]\", \"False\", \"[0, 0]\", \"1\", \"[True, True, "
         "False]\"]",
     "each of two kernels reads the incoming gradient"},
    {"aten::convolution_backward",
     "[[$b, $o, $h, $w], [$b, $c, $h, $w], [$o, $c, 3, 3], [], [], [], [], [], [], [], []]", FOUR_TYPES,
     .values =
         "[\"\", \"\", \"\", \"[0]\", \"[1, 1]\", \"[$d, $e]\", \"[$d, $e]\", \"False\", \"[0, 0]\", \"1\", \"[False, True, "
         "False]\"]"},

    {"aten::_scaled_dot_product_flash_attention", "[[$b, $c, $m, $k], [$b, $c, $m, $k], [$b, $c, $m, $k], [], []]",
     FOUR_TYPES, .values = "[\"\", \"\", \"\", \"0.\", \"True\"]"},
    {"aten::_scaled_dot_product_efficient_attention|aten::_scaled_dot_product_cudnn_attention",
     "[[$b, $c, $m, $k], [$b, $c, $n, $k], [$b, $c, $n, $k], [], [], [], []]", FOUR_TYPES, .values = ""},
    {"aten::_flash_attention_forward|aten::_efficient_attention_forward",
     "[[$b, $m, $c, $k], [$b, $n, $c, $k], [$b, $n, $c, $k], [], []]", FOUR_TYPES, .values = ""},
    {"aten::_scaled_dot_product_flash_attention", "[[$b, 8, $m, $k], [$b, 2, $n, $k], [$b, 2, $n, $o], [], []]",
     FOUR_TYPES, .values = ""},
    {"aten::_scaled_dot_product_flash_attention_backward|aten::_scaled_dot_product_efficient_attention_backward|"
     "aten::_scaled_dot_product_cudnn_attention_backward",
     "[[$b, $c, $m, $k], [$b, $c, $m, $k], [$b, $c, $n, $k], [$b, $c, $n, $k]]", FOUR_TYPES, .values = ""},

    {"aten::add|aten::sub|aten::mul|aten::div|aten::pow|aten::maximum|aten::remainder", "[[$m, $n], [$m, $n], []]",
     TWO_TYPES, .values = ""},
    {"aten::add_|aten::mul_|aten::div_", "[[$m, $n], [$n], []]", TWO_TYPES, .values = ""},
    {"aten::add|aten::mul|aten::where", "[[$m, 1, $k], [$n, 1], []]", TWO_TYPES, .values = ""},
    {"aten::masked_fill|aten::masked_fill_", "[[$m, $n], [], []]", ONE_TYPE, .values = ""},
    {"aten::eq|aten::gt|aten::logical_and", "[[$m, $n], [$m, $n]]", TWO_TYPES, .values = ""},
    {"aten::isnan|aten::logical_not", "[[$m, $n]]", ONE_TYPE, .values = ""},
    {"aten::relu|aten::gelu|aten::exp|aten::silu_|aten::clamp_min|aten::threshold|aten::square|aten::round",
     "[[$m, $n], [], []]", ONE_TYPE, .values = ""},
    {"aten::sigmoid_backward|aten::gelu_backward|aten::threshold_backward", "[[$m, $n], [$m, $n], []]", TWO_TYPES,
     .values = ""},
    {"aten::mse_loss_backward", "[[], [$m, $n], [$m, $n], []]", FOUR_TYPES, .values = ""},
    {"aten::addcmul|aten::addcdiv_", "[[$m, $n], [$m, $n], [$m, $n], []]", FOUR_TYPES, .values = ""},
    {"aten::lerp", "[[$m, $n], [$m, $n], []]", TWO_TYPES, .values = ""},
    {"aten::native_dropout", "[[$m, $n], [], []]", ONE_TYPE, .values = ""},
    {"aten::copy_", "[[$m, $n], [$m, $n], []]", TWO_TYPES, .values = ""},
    {"aten::fill_|aten::zero_|aten::normal_", "[[$m, $n], []]", ONE_TYPE, .values = ""},
    {"aten::_foreach_add_|aten::_foreach_mul", "[[[$m, $n], [$k]], [[$m, $n], [$k]], []]", TWO_TYPES, .values = "",
     "types inside lists are not recorded"},
    {"aten::_fused_adam_|aten::_fused_sgd_", "[[[$m, $n], [$k]], [[$m, $n], [$k]], [[$m, $n], [$k]], [[$m, $n], [$k]]]",
     FOUR_TYPES, .values = "", "types inside lists are not recorded"},

    {"aten::sum|aten::prod|aten::mean|aten::amax|aten::all", "[[$m, $n], [], [], []]", ONE_TYPE,
     .values = "[\"\", \"[0]\", \"False\", \"\"]"},
    {"aten::sum|aten::max|aten::any", "[[$m, $n], []]", ONE_TYPE, .values = ""},
    {"aten::max", "[[$m, $n], [$m, $n]]", TWO_TYPES, .values = ""},
    {"aten::argmax", "[[$m, $n], [], []]", ONE_TYPE, .values = "[\"\", \"1\", \"False\"]",
     "indices of 8 bytes are written"},
    {"aten::var|aten::std", "[[$m, $n], [], [], []]", ONE_TYPE, .values = "[\"\", \"[1]\", \"\", \"False\"]"},
    {"aten::linalg_vector_norm|aten::norm", "[[$m, $n], [], [], [], []]", ONE_TYPE,
     .values = "[\"\", \"2\", \"[1]\", \"False\", \"\"]"},
    {"aten::cumsum|aten::cumprod", "[[$m, $n], [], []]", ONE_TYPE, .values = "[\"\", \"1\", \"\"]"},
    {"aten::_softmax|aten::_log_softmax", "[[$m, $n], [], []]", ONE_TYPE, .values = "[\"\", \"1\", \"False\"]"},
    {"aten::_softmax_backward_data|aten::_log_softmax_backward_data", "[[$m, $n], [$m, $n], [], []]", TWO_TYPES,
     .values = "[\"\", \"\", \"1\", \"6\"]"},
    {"aten::native_layer_norm", "[[$m, $n], [], [$n], [$n], []]", ONE_TYPE,
     .values = "[\"\", \"[$n]\", \"\", \"\", \"1e-5\"]"},
    {"aten::_fused_rms_norm", "[[$m, $n], [], [$n], []]", ONE_TYPE, .values = "[\"\", \"[$n]\", \"\", \"1e-5\"]"},
    {"aten::native_layer_norm_backward", "[[$m, $n], [$m, $n], [], [], [], [$n], [$n], []]", FOUR_TYPES,
     .values = "[\"\", \"\", \"[$n]\"]"},
    {"aten::native_group_norm", "[[$b, 32, $h, $w], [32], [32], [], [], [], [], []]", ONE_TYPE,
     .values = "[\"\", \"\", \"\", \"$b\", \"32\", \"$h\", \"8\", \"1e-5\"]"},
    {"aten::native_batch_norm|aten::cudnn_batch_norm", "[[$b, $c, $h, $w], [$c], [$c], [$c], [$c], [], [], []]",
     ONE_TYPE, .values = ""},
    {"aten::native_batch_norm_backward", "[[$b, $c, $h, $w], [$b, $c, $h, $w], [$c]]", FOUR_TYPES, .values = ""},
    {"aten::cudnn_batch_norm_backward", "[[$b, $c, $h, $w], [$b, $c, $h, $w], [$c]]", FOUR_TYPES, .values = ""},
    {"aten::mse_loss", "[[$m, $n], [$m, $n], []]", TWO_TYPES, .values = "",
     "eager PyTorch writes the terms, then adds them up"},
    {"aten::binary_cross_entropy", "[[$m, $n], [$m, $n], [], []]", TWO_TYPES, .values = "",
     "eager PyTorch writes the terms, then adds them up"},
    {"aten::nll_loss_forward", "[[$m, $n], [$m], [], [], []]", INDEX_TYPES, .values = "",
     "memory hands out a sector for a number"},

    {"aten::max_pool2d_with_indices", "[[$b, $c, $h, $w], [], [], [], [], []]", ONE_TYPE,
     .values = "[\"\", \"[$x, $y]\", \"[$s, $t]\", \"[1, 1]\", \"[1, 1]\", \"False\"]",
     "indices of 8 bytes are written"},
    {"aten::avg_pool2d", "[[$b, $c, $h, $w], [], [], [], [], [], []]", ONE_TYPE,
     .values = "[\"\", \"[$x, $y]\", \"[$s, $t]\", \"[1, 1]\", \"False\", \"True\", \"\"]"},
    {"aten::_adaptive_avg_pool2d", "[[$b, $c, $h, $w], []]", ONE_TYPE, .values = "[\"\", \"[4, 2]\"]"},
    {"aten::max_pool2d_with_indices_backward", "[[$b, $c, 8, 9], [$b, $c, 16, 18], [], [], [], [], [], [$b, $c, 8, 9]]",
     TWO_TYPES, .values = "", "indices of 8 bytes are read"},
    {"aten::embedding", "[[$m, $n], [$b, $c]]", INDEX_TYPES, .values = "",
     "the kernel is that of bags, which have offsets"},
    {"aten::_embedding_bag", "[[$m, $n], [640], [64], [], [], [], [], [], []]", INDEX_TYPES, .values = "",
     "an offset is taken for as long as an index"},
    {"aten::embedding_dense_backward", "[[$b, $n], [$b], [], [], []]", INDEX_TYPES,
     .values = "[\"\", \"\", \"1000\", \"-1\", \"False\"]", "the table is filled, then read where rows are added"},
    {"aten::gather", "[[$m, $n], [], [$m, $n], [], []]", .types = "[$$, \"\", \"long int\", \"\", \"\"]",
     .values = "[\"\", \"1\", \"\", \"False\", \"\"]"},
    {"aten::cat", "[[[$m, $n], [$m, $n]], []]", .types = "[\"TensorList\", \"\"]", .values = "[\"\", \"0\"]",
     "types inside lists are not recorded"},
};

/* ---- both readings ---- */

struct readings {
    struct op_cost cost;
    double flops, bytes; /* of the kernels */
    double rounded;      /* bytes by which they may be off: a kernel that counts bytes counts whole ones an element */
    uint32_t kernels;
};

static struct readings read_both(str name, const struct op_arguments *arguments, struct arena *arena)
{
    const struct operator_call call = {.name = name, .arguments = arguments, .direction = COPY_UNKNOWN};
    const struct lowering lowering = operator_launches(&call, arena);
    struct readings both = {.cost = operator_cost(name, arguments)};
    if (lowering.way != LOWERED_TO_KERNELS && lowering.way != LOWERED_TO_CALLS)
        return both;
    both.kernels = lowering.count;
    for (uint32_t i = 0; i < lowering.count; i++) {
        both.flops += kernel_flops(&lowering.kernels[i]);
        both.bytes += kernel_bytes(&lowering.kernels[i]);
        if (lowering.kernels[i].form == FORM_ELEMENTWISE && lowering.kernels[i].dtype == DTYPE_I8)
            both.rounded += 0.5 * (double)lowering.kernels[i].elements.rows * (double)lowering.kernels[i].elements.cols;
    }
    return both;
}

/* Scalars of no dimension are read too, which no kernel counts. */
static bool agree(int64_t whole, double sum, double rounded)
{
    return whole >= 0 && fabs((double)whole - sum) <= 0.03 * (double)whole + rounded + 0.5;
}

static uint32_t check_call(const struct call *call, str name, struct arena *arena)
{
    struct buf texts[3] = {{0}};
    int64_t sizes[128];
    uint32_t wrong = 0;
    for (int round = 0; round < 20 && !wrong; round++) {
        for (int letter = 0; letter < 128; letter++)
            sizes[letter] = size_of_letter((char)letter);
        const char *type = element_types[rand() % 3];
        const struct op_arguments arguments = {.dims = filled(call->dims, sizes, type, &texts[0]),
                                               .types = filled(call->types, sizes, type, &texts[1]),
                                               .values = filled(call->values, sizes, type, &texts[2])};
        const struct readings both = read_both(name, &arguments, arena);
        const bool flops = both.cost.flops >= 0 && (!both.cost.matrix || agree(both.cost.flops, both.flops, 0));
        const bool bytes = call->why || agree(both.cost.bytes, both.bytes, both.rounded);
        wrong = !flops || !bytes || !both.kernels;
        if (wrong)
            print_message("# %.*s %.*s %.*s: %lld flop, %lld bytes; %u kernels %.0f flop, %.0f bytes\n", (int)name.len,
                          name.at, (int)arguments.dims.len, arguments.dims.at, (int)arguments.values.len,
                          arguments.values.at, (long long)both.cost.flops, (long long)both.cost.bytes, both.kernels,
                          both.flops, both.bytes);
    }
    for (int i = 0; i < 3; i++)
        buf_free(&texts[i]);
    return wrong;
}

static void work_and_kernels_of_a_call_agree(void **state)
{
    struct arena arena = {0};
    uint32_t wrong = 0;
    srand(11);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        str names = str_of(calls[i].names), name;
        while (str_cut(&names, '|', &name))
            wrong += check_call(&calls[i], name, &arena);
    }
    arena_free(&arena);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_and_kernels_of_a_call_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
