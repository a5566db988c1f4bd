/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of formulas: which names, how counted, from where. Adding an operator
 * is one row. The manual prints this table.
 */
#include "flops.h"

#include "flops_formula.h"
#include "rules.h"

static const char flop_counter[] = "torch.utils.flop_counter";
static const char counted[] = "counted from the definition";

struct formula {
    const char *names; /* patterns of rules.h, between bars; the first row that fits counts */
    op_formula_fn *cost;
    struct op_variant variant;
    const char *flops, *bytes, *source;
};

static const struct formula formulas[] = {
    {"^aten::mm$", cost_mm, {.a = 0, .b = 1}, "2 m n k", "A + B + C", flop_counter},
    {"^aten::addmm$|^aten::addmm_$|^aten::_addmm_activation$",
     cost_mm,
     {.a = 1, .b = 2},
     "2 m n k",
     "A + B + C",
     flop_counter},
    {"^aten::_scaled_mm$|^aten::_int_mm$", cost_mm, {.a = 0, .b = 1}, "2 m n k", "A + B + C", flop_counter},
    {"^aten::mv$", cost_mm, {.a = 0, .b = 1}, "2 m k", "A + x + y", counted},
    {"^aten::addmv$|^aten::addmv_$", cost_mm, {.a = 1, .b = 2}, "2 m k", "A + x + y", counted},
    {"^aten::bmm$", cost_bmm, {.a = 0, .b = 1}, "2 b m n k", "A + B + C", flop_counter},
    {"^aten::baddbmm$|^aten::baddbmm_$", cost_bmm, {.a = 1, .b = 2}, "2 b m n k", "A + B + C", flop_counter},
    {"^aten::linear$|^aten::mkldnn_linear$|^aten::_mkldnn_linear$|^mkldnn::_linear_pointwise$",
     cost_linear,
     {0},
     "2 m n k",
     "X + W + Y",
     flop_counter},
    {"^aten::matmul$|^aten::dot$|^aten::vdot$", cost_matmul, {0}, "2 b m n k", "A + B + C", flop_counter},

    {"^aten::convolution$|^aten::_convolution$|^aten::convolution_overrideable$",
     cost_convolution,
     {.a = 0},
     "2 N prod(output positions) prod(weight sizes)",
     "X + W + Y",
     flop_counter},
    {"^aten::cudnn_convolution$",
     cost_convolution,
     {.a = 1},
     "2 N prod(output positions) prod(weight sizes)",
     "X + W + Y",
     flop_counter},
    {"^aten::miopen_convolution$|^aten::mkldnn_convolution$|^aten::miopen_depthwise_convolution$",
     cost_convolution,
     {.a = 2},
     "2 N prod(output positions) prod(weight sizes)",
     "X + W + Y",
     flop_counter},
    {"^aten::conv1d$|^aten::conv2d$|^aten::conv3d$|^aten::cudnn_convolution_relu$",
     cost_convolution,
     {.a = 3},
     "2 N prod(output positions) prod(weight sizes)",
     "X + W + Y",
     flop_counter},
    {"^aten::_conv_depthwise2d$|^aten::conv_depthwise3d$",
     cost_convolution,
     {.a = 4},
     "2 N prod(output positions) prod(weight sizes)",
     "X + W + Y",
     flop_counter},
    {"^aten::conv_transpose*d$|^aten::cudnn_convolution_transpose$|^aten::miopen_convolution_transpose$",
     cost_convolution,
     {.a = 5},
     "2 N prod(input positions) prod(weight sizes)",
     "unknown",
     flop_counter},
    {"^aten::convolution_backward$|^aten::convolution_backward_overrideable$",
     cost_convolution_backward,
     {.a = 0, .b = 1, .c = 2, .d = 10},
     "forward, once for each gradient wanted",
     "dY + X + W + gradients",
     flop_counter},
    {"^aten::cudnn_convolution_backward$",
     cost_convolution_backward,
     {.a = 1, .b = 0, .c = 2, .d = 10},
     "forward, once for each gradient wanted",
     "dY + X + W + gradients",
     flop_counter},
    {"^aten::miopen_convolution_backward$|^aten::mkldnn_convolution_backward$",
     cost_convolution_backward,
     {.a = 1, .b = 0, .c = 2, .d = 9},
     "forward, once for each gradient wanted",
     "dY + X + W + gradients",
     flop_counter},

    {"^aten::_scaled_dot_product_flash_attention$",
     cost_attention,
     {.a = 0, .b = 0, .c = 4, .d = -1},
     "2 B H Sq Sk (D + Dv), half if causal",
     "Q + K + V + O",
     flop_counter},
    {"^aten::_scaled_dot_product_efficient_attention$|^aten::_scaled_dot_product_cudnn_attention$",
     cost_attention,
     {.a = 0, .b = 0, .c = 6, .d = -1},
     "2 B H Sq Sk (D + Dv), half if causal",
     "Q + K + V + O",
     flop_counter},
    {"^aten::_scaled_dot_product_flash_attention_for_cpu$",
     cost_attention,
     {.a = 0, .b = 0, .c = 4, .d = -1},
     "2 B H Sq Sk (D + Dv), half if causal",
     "Q + K + V + O",
     flop_counter},
    {"^aten::_scaled_dot_product_fused_attention_overrideable$",
     cost_attention,
     {.a = 0, .b = 0, .c = 5, .d = -1},
     "2 B H Sq Sk (D + Dv), half if causal",
     "Q + K + V + O",
     flop_counter},
    {"^aten::_flash_attention_forward$",
     cost_attention,
     {.a = 0, .b = 1, .c = 8, .d = -1},
     "2 B H Sq Sk (D + Dv), half if causal",
     "Q + K + V + O",
     flop_counter},
    {"^aten::_efficient_attention_forward$",
     cost_attention,
     {.a = 0, .b = 1, .c = -1, .d = 9},
     "2 B H Sq Sk (D + Dv), half if causal",
     "Q + K + V + O",
     flop_counter},
    {"^aten::_scaled_dot_product_flash_attention_backward$|^aten::_scaled_dot_product_efficient_attention_backward$",
     cost_attention_backward,
     {.a = 1, .b = 0, .c = 11, .d = -1},
     "2 B H Sq Sk (3 D + 2 Dv), half if causal",
     "dO + O + 2 (Q + K + V)",
     flop_counter},
    {"^aten::_scaled_dot_product_cudnn_attention_backward$",
     cost_attention_backward,
     {.a = 1, .b = 0, .c = 14, .d = -1},
     "2 B H Sq Sk (3 D + 2 Dv), half if causal",
     "dO + O + 2 (Q + K + V)",
     flop_counter},
    {"^aten::_scaled_dot_product_flash_attention_for_cpu_backward$",
     cost_attention_backward,
     {.a = 1, .b = 0, .c = 7, .d = -1},
     "2 B H Sq Sk (3 D + 2 Dv), half if causal",
     "dO + O + 2 (Q + K + V)",
     flop_counter},
    {"^aten::_flash_attention_backward$",
     cost_attention_backward,
     {.a = 1, .b = 1, .c = 11, .d = -1},
     "2 B H Sq Sk (3 D + 2 Dv), half if causal",
     "dO + O + 2 (Q + K + V)",
     flop_counter},
    {"^aten::_efficient_attention_backward$",
     cost_attention_backward,
     {.a = 1, .b = 1, .c = -1, .d = 14},
     "2 B H Sq Sk (3 D + 2 Dv), half if causal",
     "dO + O + 2 (Q + K + V)",
     flop_counter},

    {"^aten::embedding$", cost_embedding, {.a = 0, .b = 1}, "0", "2 rows + indices", counted},
    {"^aten::_embedding_bag$|^aten::_embedding_bag_forward_only$|^aten::embedding_bag$",
     cost_embedding_bag,
     {0},
     "D an index",
     "rows + bags + indices + offsets",
     counted},
    {"^aten::embedding_dense_backward$",
     cost_embedding_backward,
     {.a = 0, .b = 1, .c = 2},
     "D an index",
     "rows + table + indices",
     counted},
    {"^aten::_embedding_bag_dense_backward$",
     cost_embedding_backward,
     {.a = 0, .b = 1, .c = 5},
     "D an index",
     "rows + table + indices",
     counted},

    {"^aten::native_layer_norm$",
     cost_rows,
     {.a = 0, .b = 8, .c = 1, .d = 1},
     "8 an element: sum, centre, square, sum, centre, scale, weight, bias",
     "X + Y",
     counted},
    {"^aten::native_layer_norm_backward$",
     cost_rows,
     {.a = 1, .b = 13, .c = 2, .d = 1},
     "13 an element: normalise 2, weight 1, two sums 3, dX 4, dweight 2, dbias 1",
     "dY + X + dX",
     counted},
    {"^aten::native_group_norm$",
     cost_rows,
     {.a = 0, .b = 8, .c = 1, .d = 1},
     "8 an element, as layer norm",
     "X + Y",
     counted},
    {"^aten::native_group_norm_backward$",
     cost_rows,
     {.a = 1, .b = 13, .c = 2, .d = 1},
     "13 an element, as layer norm",
     "dY + X + dX",
     counted},
    {"^aten::native_batch_norm$|^aten::cudnn_batch_norm$|^aten::miopen_batch_norm$|^aten::_native_batch_norm_legit$",
     cost_rows,
     {.a = 0, .b = 8, .c = 1, .d = 1},
     "8 an element, as layer norm",
     "X + Y",
     counted},
    {"^aten::native_batch_norm_backward$",
     cost_rows,
     {.a = 1, .b = 13, .c = 2, .d = 1},
     "13 an element, as layer norm",
     "dY + X + dX",
     counted},
    {"^aten::cudnn_batch_norm_backward$|^aten::miopen_batch_norm_backward$",
     cost_rows,
     {.a = 0, .b = 13, .c = 2, .d = 1},
     "13 an element, as layer norm",
     "dY + X + dX",
     counted},
    {"^aten::_fused_rms_norm$",
     cost_rows,
     {.a = 0, .b = 4, .c = 1, .d = 1},
     "4 an element: square, sum, scale, weight",
     "X + Y",
     counted},
    {"^aten::_softmax$|^aten::_log_softmax$",
     cost_rows,
     {.a = 0, .b = 5, .c = 1, .d = 1},
     "5 an element: max, subtract, exp, sum, divide",
     "X + Y",
     counted},
    {"^aten::_softmax_backward_data$|^aten::_log_softmax_backward_data$",
     cost_rows,
     {.a = 0, .b = 4, .c = 2, .d = 1},
     "4 an element: multiply, sum, subtract, multiply",
     "dY + Y + dX",
     counted},

    {"^aten::cumsum$|^aten::cumprod$",
     cost_rows,
     {.a = 0, .b = 1, .c = 1, .d = 1},
     "1 an element",
     "input + output",
     counted},
    {"^aten::argmax$|^aten::argmin$",
     cost_reduction,
     {.a = 1, .b = 1, .c = 1},
     "1 an element",
     "input + output",
     counted},
    {"^aten::sum$|^aten::prod$|^aten::mean$|^aten::amax$|^aten::amin$|^aten::any$|^aten::all$|^aten::max$|^aten::min$",
     cost_reduction,
     {.a = 1, .b = 1},
     "1 an element",
     "input + output",
     counted},
    {"^aten::var$|^aten::std$",
     cost_reduction,
     {.a = 4, .b = 1},
     "4 an element: sum, centre, square, sum",
     "input + output",
     counted},
    {"^aten::linalg_vector_norm$|^aten::norm$",
     cost_reduction,
     {.a = 2, .b = 2},
     "2 an element: square, sum",
     "input + output",
     counted},

    {"^aten::copy_$", cost_copy, {.a = 0, .b = 1}, "0", "source + destination", counted},
    {"^aten::fill_$|^aten::zero_$|^aten::uniform_$|^aten::normal_$|^aten::random_$|^aten::bernoulli_$|^aten::"
     "exponential_$",
     cost_fill,
     {.a = 0},
     "0",
     "output",
     counted},
    {"^aten::cat$|^aten::_cat$|^aten::stack$", cost_cat, {0}, "0", "2 output", counted},
    {"^aten::gather$",
     cost_gather,
     {.a = 0, .b = 2},
     "0",
     "2 output + index; of an expanded index what it has in memory",
     counted},

    {"^aten::max_pool2d_with_indices$", cost_pool, {.a = 1}, "window an output", "input + output + indices", counted},
    {"^aten::avg_pool2d$|^aten::max_pool2d$", cost_pool, {.a = 0}, "window an output", "input + output", counted},
    {"^aten::max_pool2d_with_indices_backward$",
     cost_pool_backward,
     {.a = 1},
     "1 an element of dY",
     "dY + dX + indices",
     counted},
    {"^aten::avg_pool2d_backward$|^aten::_adaptive_avg_pool2d_backward$",
     cost_pool_backward,
     {.a = 0},
     "1 an element of dY",
     "dY + dX",
     counted},
    {"^aten::_adaptive_avg_pool2d$", cost_adaptive_pool, {0}, "1 an element", "input + output", counted},

    {"^aten::mse_loss$", cost_loss, {.a = 3}, "3 an element: subtract, square, sum", "input + target", counted},
    {"^aten::binary_cross_entropy$",
     cost_loss,
     {.a = 7},
     "7 an element: two logarithms, two products, three sums",
     "input + target",
     counted},
    {"^aten::nll_loss_forward$", cost_loss, {.a = 1}, "1 an element", "input + target", counted},

    {"^aten::_foreach_addcmul|^aten::_foreach_addcdiv|^aten::_foreach_lerp",
     cost_lists,
     {.a = 3},
     "3 an element",
     "unknown",
     counted},
    {"^aten::_foreach_norm", cost_lists, {.a = 2}, "2 an element: square, sum", "unknown", counted},
    {"^aten::_foreach_copy|^aten::_foreach_zero", cost_lists, {.a = 0}, "0", "unknown", counted},
    {"^aten::_foreach_", cost_lists, {.a = 1}, "1 an element", "unknown", counted},
    {"^aten::_fused_adam_$|^aten::_fused_adamw_$",
     cost_lists,
     {.a = 15},
     "15 an element: two moments 7, denominator 3, step 3, decay 2",
     "unknown",
     counted},
    {"^aten::_fused_sgd_$", cost_lists, {.a = 6}, "6 an element: decay 2, momentum 2, step 2", "unknown", counted},

    {"^aten::addcmul|^aten::addcdiv", cost_elementwise, {.a = 3, .b = 3}, "3 an element", "operands + output", counted},
    {"^aten::lerp", cost_elementwise, {.a = 2, .b = 3}, "3 an element", "operands + output", counted},
    {"^aten::native_dropout$",
     cost_elementwise,
     {.a = 1, .b = 2, .c = 2},
     "2 an element: mask, scale",
     "operands + output + mask",
     counted},
    {"^aten::where$|^aten::_s_where$",
     cost_elementwise,
     {.a = 3, .b = 1},
     "1 an element",
     "operands + output",
     counted},
    {"^aten::eq$|^aten::ne$|^aten::lt$|^aten::le$|^aten::gt$|^aten::ge$|^aten::logical_and$|^aten::logical_or$",
     cost_elementwise,
     {.a = 2, .b = 1, .c = 1},
     "1 an element",
     "operands + output",
     counted},
    {"^aten::isnan$|^aten::isfinite$|^aten::isinf$|^aten::logical_not$",
     cost_elementwise,
     {.a = 1, .b = 1, .c = 1},
     "1 an element",
     "operands + output",
     counted},
    {"^aten::threshold_backward$|^aten::sigmoid_backward$|^aten::tanh_backward$|^aten::gelu_backward$|^aten::silu_"
     "backward$|"
     "^aten::hardtanh_backward$|^aten::leaky_relu_backward$|^aten::elu_backward$|^aten::mse_loss_backward$",
     cost_elementwise,
     {.a = 2, .b = 1},
     "1 an element",
     "operands + output",
     counted},
    {"^aten::add$|^aten::add_$|^aten::sub$|^aten::sub_$|^aten::rsub$|^aten::mul$|^aten::mul_$|^aten::div$|^aten::div_$|"
     "^aten::maximum$|^aten::minimum$|^aten::pow$|^aten::pow_$|^aten::remainder$|^aten::bitwise_and$|^aten::bitwise_or$"
     "|"
     "^aten::bitwise_xor$|^aten::masked_fill$|^aten::masked_fill_$",
     cost_elementwise,
     {.a = 2, .b = 1},
     "1 an element",
     "operands + output",
     counted},
    {"^aten::relu$|^aten::relu_$|^aten::sigmoid$|^aten::sigmoid_$|^aten::tanh$|^aten::tanh_$|^aten::gelu$|^aten::silu$|"
     "^aten::silu_$|"
     "^aten::exp$|^aten::exp_$|^aten::log$|^aten::log_$|^aten::sqrt$|^aten::sqrt_$|^aten::rsqrt$|^aten::neg$|^aten::"
     "neg_$|^aten::abs$|"
     "^aten::sin$|^aten::cos$|^aten::erf$|^aten::square$|^aten::reciprocal$|^aten::clamp$|^aten::clamp_$|^aten::clamp_"
     "min$|"
     "^aten::clamp_min_$|^aten::clamp_max$|^aten::threshold$|^aten::threshold_$|^aten::leaky_relu$|^aten::elu$|^aten::"
     "softplus$|"
     "^aten::hardtanh$|^aten::nan_to_num$|^aten::bitwise_not$|^aten::log2$|^aten::floor$|^aten::ceil$|^aten::round$",
     cost_elementwise,
     {.a = 1, .b = 1},
     "1 an element",
     "operands + output",
     counted},
};

enum { FORMULAS = sizeof formulas / sizeof *formulas };

static const struct formula *formula_of(str name)
{
    char room[128];
    if (name.len > sizeof room)
        return NULL; /* no operator of the table is that long */
    const str lowered = name_lowered(name, room, sizeof room);
    for (size_t i = 0; i < FORMULAS; i++) {
        str rest = str_of(formulas[i].names), pattern;
        while (str_cut(&rest, '|', &pattern))
            if (name_fits(lowered, pattern))
                return &formulas[i];
    }
    return NULL;
}

bool op_has_cost(str name)
{
    return formula_of(name) != NULL;
}

struct op_cost op_cost_of(str name, const struct op_arguments *arguments)
{
    const struct formula *formula = formula_of(name);
    if (!formula)
        return no_cost();
    struct arena scratch = {0};
    struct op_call call = {.in_place = str_ends(name, S("_"))};
    struct op_cost cost = no_cost();
    if (shape_parse(arguments->dims, &scratch, &call.shape)) {
        text_list_parse(arguments->types, &scratch, &call.types);
        text_list_parse(arguments->values, &scratch, &call.values);
        shape_parse(arguments->strides, &scratch, &call.strides);
        cost = formula->cost(&call, &formula->variant);
    }
    arena_free(&scratch);
    return cost;
}

uint32_t op_formula_count(void)
{
    return FORMULAS;
}

struct op_formula op_formula_at(uint32_t i)
{
    const struct formula *f = &formulas[i];
    return (struct op_formula){str_of(f->names), str_of(f->flops), str_of(f->bytes), str_of(f->source)};
}
