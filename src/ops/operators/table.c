/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue: which operator computes and launches what. Adding an operator is
 * one row, or its name in one (operators.h has an example). Names are matched in
 * lower case; the wrappers of the autograd engine are views of their node. The
 * manual prints the formulas.
 */
#include "reading.h"

#define KERNELS LOWERED_TO_KERNELS
#define CALLS   LOWERED_TO_CALLS
#define NOTHING LOWERED_TO_NOTHING

/* Formulas in words, with their source: those of torch.utils.flop_counter, and those counted from the definition. */
#define FLOP_COUNTER .source = "torch.utils.flop_counter"
#define COUNTED      .source = "counted from the definition"
#define PRODUCT      .flops = "2 m n k", .bytes = "A + B + C", FLOP_COUNTER
#define PRODUCTS     .flops = "2 b m n k", .bytes = "A + B + C", FLOP_COUNTER
#define CONVOLUTION  .flops = "2 N prod(output positions) prod(weight sizes)", .bytes = "X + W + Y", FLOP_COUNTER
#define TRANSPOSED   .flops = "2 N prod(input positions) prod(weight sizes)", .bytes = "X + W + Y", FLOP_COUNTER
#define CONVOLUTION_BACK \
    .flops = "forward, once for each gradient wanted", .bytes = "dY + X + W + gradients", FLOP_COUNTER
#define ATTENTION .flops = "2 B H Sq Sk (D + Dv), half if causal", .bytes = "Q + K + V + O", FLOP_COUNTER
#define ATTENTION_BACK \
    .flops = "2 B H Sq Sk (3 D + 2 Dv), half if causal", .bytes = "dO + O + 2 (Q + K + V)", FLOP_COUNTER
#define RECURRENT .flops = "2 rows sum(elements of weight matrices)", .bytes = "X + W + Y", COUNTED
#define RECURRENT_BACK \
    .flops = "forward, once more where gradients of weights are wanted", .bytes = "2 (X + W + Y)", COUNTED
#define OPERANDS  .bytes = "operands + output", COUNTED
#define ROWS      .bytes = "X + Y", COUNTED
#define ROWS_BACK .bytes = "dY + X + dX", COUNTED
#define REDUCED   .bytes = "input + output", COUNTED
#define LISTS     .bytes = "unknown", COUNTED
#define NORM      .each = 8, .flops = "8 an element: sum, centre, square, sum, centre, scale, weight, bias", ROWS
#define NORM_BACK \
    .backward = true, .each = 13, \
    .flops = "13 an element: normalise 2, weight 1, two sums 3, dX 4, dweight 2, dbias 1", ROWS_BACK
#define ONE .each = 1, .flops = "1 an element"

/* Where schemas keep stride, padding, dilation, groups, the flag of transposition, the padding of the output. */
enum { NONE = NO_ARGUMENT };
static const struct window_places
    /* input weight bias stride padding dilation transposed output_padding groups */
    general = {3, 4, 5, 8, 6, false, 7},
    /* input weight padding stride dilation groups; behind a bias once */
    cudnn = {3, 2, 4, 5, NONE, false, NONE},
    /* input weight bias padding stride dilation groups */
    miopen = {4, 3, 5, 6, NONE, false, NONE},
    /* input weight bias stride padding dilation groups */
    plain = {3, 4, 5, 6, NONE, false, NONE},
    /* input weight z alpha bias stride padding dilation groups */
    add_relu = {5, 6, 7, 8, NONE, false, NONE},
    /* input weight kernel_size bias stride padding dilation */
    depthwise = {4, 5, 6, NONE, NONE, false, NONE},
    /* input weight bias stride padding output_padding groups dilation */
    transposed = {3, 4, 7, 6, NONE, true, 5},
    /* input weight padding output_padding stride dilation groups; behind a bias once */
    cudnn_transposed = {4, 2, 5, 6, NONE, true, 3},
    /* input weight bias padding output_padding stride dilation groups */
    miopen_transposed = {5, 3, 6, 7, NONE, true, 4},
    /* gradient input weight bias_sizes stride padding dilation transposed output_padding groups ... */
    general_back = {4, 5, 6, 9, 7, false, NONE},
    /* input gradient weight padding stride dilation groups ... */
    library_back = {4, 3, 5, 6, NONE, false, NONE};

const struct operator_row operator_rows[] = {
    /* ---- labels and wrappers ---- */
    {"^autograd::engine::evaluate_function", CALLS, .read = NULL},
    {"^profilerstep|^optimizer.|^dataloader|enumerate(dataloader)|^nn.module:|^module::", CALLS, .read = NULL},

    /* ---- communication ---- */
    {"^nccl:|^gloo:|^c10d::|^record_param_comms$|^_c10d_functional::|^torch.distributed|distributeddataparallel.forward",
     LOWERED_TO_COLLECTIVE, .read = NULL},

    /* ---- products of matrices ---- */
    {"^aten::mm$|^aten::_scaled_mm$", KERNELS, read_mm, .tensor = 0, .with = 1, PRODUCT},
    {"^aten::_int_mm$", KERNELS, read_mm, .tensor = 0, .with = 1, .writes = WRITES_I32, PRODUCT},
    {"^aten::addmm$|^aten::addmm_$|^aten::_addmm_activation$", KERNELS, read_mm, .tensor = 1, .with = 2, PRODUCT},
    {"^aten::mv$", KERNELS, read_mm, .tensor = 0, .with = 1, .flops = "2 m k", .bytes = "A + x + y", COUNTED},
    {"^aten::addmv$|^aten::addmv_$", KERNELS, read_mm, .tensor = 1, .with = 2, .flops = "2 m k", .bytes = "A + x + y",
     COUNTED},
    {"^aten::bmm$|^aten::bmm_out$", KERNELS, read_bmm, .tensor = 0, .with = 1, PRODUCTS},
    {"^aten::baddbmm$|^aten::baddbmm_$", KERNELS, read_bmm, .tensor = 1, .with = 2, PRODUCTS},
    {"^aten::linear$|^aten::mkldnn_linear$|^aten::_mkldnn_linear$|^mkldnn::_linear_pointwise$", CALLS, read_linear,
     PRODUCT},
    {"^aten::matmul$", CALLS, read_matmul, PRODUCTS},
    {"^aten::linear_backward$", CALLS, read_linear_gradients, .backward = true},
    {"^addmmbackward", CALLS, read_mm_gradients, .tensor = 1, .with = 2, .of_forward = true, .backward = true},
    {"^mmbackward", CALLS, read_mm_gradients, .tensor = 0, .with = 1, .of_forward = true, .backward = true},
    {"^linearbackward", CALLS, read_linear_gradients, .of_forward = true, .backward = true},
    {"^bmmbackward", CALLS, read_bmm_gradients, .tensor = 0, .with = 1, .of_forward = true, .backward = true},
    {"^baddbmmbackward", CALLS, read_bmm_gradients, .tensor = 1, .with = 2, .of_forward = true, .backward = true},

    /* ---- convolutions ---- */
    {"^aten::convolution$|^aten::_convolution$|^aten::convolution_overrideable$", CALLS, read_convolution,
     .window = &general, CONVOLUTION},
    {"^aten::cudnn_convolution$", KERNELS, read_convolution, .window = &cudnn, CONVOLUTION},
    {"^aten::miopen_convolution$|^aten::mkldnn_convolution$|^aten::miopen_depthwise_convolution$", KERNELS,
     read_convolution, .window = &miopen, CONVOLUTION},
    {"^aten::conv1d$|^aten::conv2d$|^aten::conv3d$", CALLS, read_convolution, .window = &plain, CONVOLUTION},
    {"^aten::cudnn_convolution_relu$", KERNELS, read_convolution, .window = &plain, CONVOLUTION},
    {"^aten::cudnn_convolution_add_relu$", KERNELS, read_convolution, .window = &add_relu, CONVOLUTION},
    {"^aten::_conv_depthwise2d$|^aten::conv_depthwise3d$", KERNELS, read_convolution, .window = &depthwise,
     CONVOLUTION},
    {"^aten::conv_transpose*d$", CALLS, read_convolution, .window = &transposed, TRANSPOSED},
    {"^aten::cudnn_convolution_transpose$", KERNELS, read_convolution, .window = &cudnn_transposed, TRANSPOSED},
    {"^aten::miopen_convolution_transpose$", KERNELS, read_convolution, .window = &miopen_transposed, TRANSPOSED},
    {"^aten::convolution_backward$|^aten::convolution_backward_overrideable$", KERNELS, read_convolution_gradients,
     .tensor = 0, .with = 1, .window = &general_back, .backward = true, CONVOLUTION_BACK},
    {"^aten::cudnn_convolution_backward$|^aten::miopen_convolution_backward$|^aten::mkldnn_convolution_backward$",
     KERNELS, read_convolution_gradients, .tensor = 1, .with = 0, .window = &library_back, .backward = true,
     CONVOLUTION_BACK},
    {"^convolutionbackward|^cudnnconvolutionbackward|^thnnconv2dbackward", CALLS, read_convolution_gradients,
     .tensor = 0, .with = 1, .window = &general_back, .backward = true},

    /* ---- attention ---- */
    {"^aten::_flash_attention_forward$", KERNELS, read_attention, .place = 8, .operands = 1, ATTENTION},
    {"^aten::_efficient_attention_forward$", KERNELS, read_attention, .place = 9, .operands = 1, ATTENTION},
    {"^aten::_scaled_dot_product_cudnn_attention$", KERNELS, read_attention, .place = 6, ATTENTION},
    {"^aten::_scaled_dot_product_flash_attention$|^aten::_scaled_dot_product_flash_attention_for_cpu$", CALLS,
     read_attention, .place = 4, ATTENTION},
    {"^aten::_scaled_dot_product_efficient_attention$", CALLS, read_attention, .place = 6, ATTENTION},
    {"^aten::scaled_dot_product_attention$|^aten::_scaled_dot_product_fused_attention_overrideable$", CALLS,
     read_attention, .place = 5, ATTENTION},
    {"^aten::_flash_attention_backward$", KERNELS, read_attention, .tensor = 1, .place = 11, .operands = 1,
     .backward = true, ATTENTION_BACK},
    {"^aten::_efficient_attention_backward$", KERNELS, read_attention, .tensor = 1, .place = 14, .operands = 1,
     .backward = true, ATTENTION_BACK},
    {"^aten::_scaled_dot_product_cudnn_attention_backward$", KERNELS, read_attention, .tensor = 1, .place = 14,
     .backward = true, ATTENTION_BACK},
    {"^aten::_scaled_dot_product_flash_attention_backward$|^aten::_scaled_dot_product_efficient_attention_backward$",
     CALLS, read_attention, .tensor = 1, .place = 11, .backward = true, ATTENTION_BACK},
    {"^aten::_scaled_dot_product_flash_attention_for_cpu_backward$", CALLS, read_attention, .tensor = 1, .place = 7,
     .backward = true, ATTENTION_BACK},
    {"^aten::_scaled_dot_product_attention_math$|^aten::multi_head_attention", CALLS, .read = NULL},

    /* ---- recurrent layers ---- */
    {"^aten::_cudnn_rnn$", KERNELS, read_recurrent, .tensor = 4, .place = 14, RECURRENT},
    {"^aten::miopen_rnn$", KERNELS, read_recurrent, .tensor = 3, .place = 12, RECURRENT},
    {"^aten::_cudnn_rnn_backward$", KERNELS, read_recurrent, .tensor = 4, .place = 18, .backward = true,
     RECURRENT_BACK},
    {"^aten::miopen_rnn_backward$", KERNELS, read_recurrent, .tensor = 4, .place = 17, .backward = true,
     RECURRENT_BACK},
    {"^aten::lstm$|^aten::gru$|^aten::rnn_tanh$|^aten::rnn_relu$|^aten::lstm_cell$|^aten::gru_cell$", CALLS,
     .read = NULL},
    {"^cudnnrnnbackward|^miopenrnnbackward|^thnnfusedlstmcellbackward|^thnnfusedgrucellbackward", CALLS, .read = NULL},
    {"^aten::_thnn_fused_lstm_cell$", KERNELS, read_cell, .tensor = 0, .operands = 4},
    {"^aten::_thnn_fused_lstm_cell_backward_impl$", KERNELS, read_cell, .tensor = 4, .operands = 4},
    {"^aten::_thnn_fused_gru_cell$", KERNELS, read_cell, .tensor = 0, .operands = 5},
    {"^aten::_thnn_fused_gru_cell_backward$", KERNELS, read_cell, .tensor = 1, .operands = 3},
    {"^aten::_thnn_fused_lstm_cell_backward$", CALLS, .read = NULL},
    {"^aten::_cudnn_rnn_flatten_weight$", KERNELS, read_cat, .tensor = 0},

    /* ---- softmax, norms, dropout ---- */
    {"^aten::_softmax$|^aten::_softmax.out$", KERNELS, read_softmax, .place = 1, .each = 5,
     .flops = "5 an element: max, subtract, exp, sum, divide", ROWS},
    {"^aten::_log_softmax$", KERNELS, read_softmax, .place = 1, .word = "log", .each = 5,
     .flops = "5 an element: max, subtract, exp, sum, divide", ROWS},
    {"^aten::softmax$|^aten::log_softmax$|^aten::special_softmax$", CALLS, read_softmax, .place = 1, .each = 5,
     .flops = "5 an element: max, subtract, exp, sum, divide", ROWS},
    {"^aten::_softmax_backward_data$", KERNELS, read_softmax, .place = 2, .backward = true, .each = 4,
     .flops = "4 an element: multiply, sum, subtract, multiply", .bytes = "dY + Y + dX", COUNTED},
    {"^aten::_log_softmax_backward_data$", KERNELS, read_softmax, .place = 2, .backward = true, .word = "log",
     .each = 4, .flops = "4 an element: multiply, sum, subtract, multiply", .bytes = "dY + Y + dX", COUNTED},
    {"^aten::native_layer_norm$", KERNELS, read_layer_norm, .place = 1, NORM},
    {"^aten::layer_norm$", CALLS, read_layer_norm, .place = 1, NORM},
    {"^aten::_fused_rms_norm$", KERNELS, read_layer_norm, .place = 1, .each = 4,
     .flops = "4 an element: square, sum, scale, weight", ROWS},
    {"^aten::rms_norm$", CALLS, read_layer_norm, .place = 1, .each = 4,
     .flops = "4 an element: square, sum, scale, weight", ROWS},
    {"^aten::native_layer_norm_backward$", KERNELS, read_layer_norm, .place = 2, NORM_BACK},
    {"^aten::_fused_rms_norm_backward$", KERNELS, read_layer_norm, .place = 2, .backward = true},
    {"^aten::native_group_norm$", KERNELS, read_group_norm, .place = 6, NORM},
    {"^aten::group_norm$", CALLS, read_group_norm, .place = 1, NORM},
    {"^aten::native_group_norm_backward$", KERNELS, read_group_norm, .place = 8, NORM_BACK},
    {"^aten::native_batch_norm$|^aten::cudnn_batch_norm$|^aten::miopen_batch_norm$|^aten::_native_batch_norm_legit$|"
     "^aten::_batch_norm_with_update$",
     KERNELS, read_batch_norm, NORM},
    {"^aten::batch_norm$|^aten::_batch_norm_impl_index$|^aten::instance_norm$", CALLS, read_batch_norm, NORM},
    {"^aten::native_batch_norm_backward$|^aten::cudnn_batch_norm_backward$|^aten::miopen_batch_norm_backward$|"
     "^aten::batch_norm_backward$",
     KERNELS, read_batch_norm, NORM_BACK},
    {"^aten::_batch_norm_impl_index_backward$", CALLS, read_batch_norm, .tensor = 1, NORM_BACK},
    {"^aten::native_dropout$|^aten::_fused_dropout$", KERNELS, read_dropout, .each = 2,
     .flops = "2 an element: mask, scale", .bytes = "operands + output + mask", COUNTED},
    {"^aten::dropout$|^aten::dropout_$|^aten::feature_dropout$", CALLS, read_dropout, .tensor = 0},
    {"^aten::native_dropout_backward$|^aten::_masked_scale$", KERNELS, read_dropout, .backward = true},

    /* ---- losses ---- */
    {"^aten::mse_loss$", KERNELS, read_loss, .operands = 2, .each = 3, .flops = "3 an element: subtract, square, sum",
     .bytes = "input + target", COUNTED},
    {"^aten::binary_cross_entropy$", KERNELS, read_loss, .operands = 2, .each = 7,
     .flops = "7 an element: two logarithms, two products, three sums", .bytes = "input + target", COUNTED},
    {"^aten::l1_loss$|^aten::smooth_l1_loss$|^aten::huber_loss$|^aten::binary_cross_entropy_with_logits$|"
     "^aten::kl_div$",
     KERNELS, read_loss, .operands = 2},
    {"^aten::mse_loss_backward$", KERNELS, read_loss_gradients, .operands = 2, .backward = true, .each = 3,
     .flops = "3 an element: subtract, two products", .bytes = "dY + input + target + dX", COUNTED},
    {"^aten::l1_loss_backward$|^aten::smooth_l1_loss_backward$|^aten::huber_loss_backward$|"
     "^aten::binary_cross_entropy_backward$",
     KERNELS, read_loss_gradients, .operands = 2, .backward = true},
    {"^aten::nll_loss_forward$|^aten::nll_loss2d_forward$", KERNELS, read_nll, .with = 1, .each = 1, .flops = "1 a row",
     .bytes = "a number a row + target", COUNTED},
    {"^aten::nll_loss_backward$|^aten::nll_loss2d_backward$", KERNELS, read_nll, .tensor = 1, .with = 2,
     .backward = true},
    {"^aten::nll_loss$|^aten::nll_loss_nd$|^aten::nll_loss2d$|^aten::cross_entropy_loss$", CALLS, .read = NULL},

    /* ---- pooling, resizing ---- */
    {"^aten::max_pool2d_with_indices$|^aten::max_pool3d_with_indices$", KERNELS, read_pool, .place = 1,
     .writes = WRITES_INDICES, .flops = "window an output", .bytes = "input + output + indices", COUNTED},
    {"^aten::avg_pool2d$|^aten::avg_pool3d$", KERNELS, read_pool, .place = 1, .flops = "window an output", REDUCED},
    {"^aten::max_pool1d$|^aten::max_pool2d$|^aten::avg_pool1d$", CALLS, read_pool, .place = 1,
     .flops = "window an output", REDUCED},
    {"^aten::_adaptive_avg_pool2d$", KERNELS, read_adaptive_pool, .place = 1, ONE, REDUCED},
    {"^aten::adaptive_max_pool2d$", KERNELS, read_adaptive_pool, .place = 1},
    {"^aten::adaptive_avg_pool2d$|^aten::adaptive_avg_pool1d$", CALLS, read_adaptive_pool, .place = 1, ONE, REDUCED},
    {"^aten::max_pool2d_with_indices_backward$|^aten::adaptive_max_pool2d_backward$", KERNELS, read_pool_gradients,
     .with = 1, .writes = WRITES_INDICES, .backward = true, .flops = "1 an element of dY", .bytes = "dY + dX + indices",
     COUNTED},
    {"^aten::avg_pool2d_backward$|^aten::_adaptive_avg_pool2d_backward$", KERNELS, read_pool_gradients, .with = 1,
     .backward = true, .flops = "1 an element of dY", .bytes = "dY + dX", COUNTED},
    {"^aten::upsample_*backward$", KERNELS, read_resize, .place = 2},
    {"^aten::upsample_|^aten::_upsample_", KERNELS, read_resize, .place = 1},
    {"^aten::interpolate$|^aten::__interpolate$", CALLS, .read = NULL},

    /* ---- tables ---- */
    {"^aten::embedding$", CALLS, read_embedding, .with = 1, .flops = "0", .bytes = "2 rows + indices", COUNTED},
    {"^aten::_embedding_bag$|^aten::_embedding_bag_forward_only$", KERNELS, read_bag, .with = 1, .place = 2,
     .flops = "D an index", .bytes = "rows + bags + indices + offsets", COUNTED},
    {"^aten::embedding_bag$", CALLS, read_bag, .with = 1, .place = 2, .flops = "D an index",
     .bytes = "rows + bags + indices + offsets", COUNTED},
    {"^aten::embedding_dense_backward$", KERNELS, read_embedding_gradients, .with = 1, .place = 2, .backward = true,
     .flops = "D an index", .bytes = "rows + table + indices", COUNTED},
    {"^aten::embedding_backward$", CALLS, read_embedding_gradients, .with = 1, .place = 2, .backward = true},
    {"^aten::_embedding_bag_dense_backward$", KERNELS, read_embedding_gradients, .with = 1, .place = 5,
     .backward = true, .flops = "D an index", .bytes = "rows + table + indices", COUNTED},
    {"^aten::_embedding_bag_backward$", CALLS, read_embedding_gradients, .with = 1, .place = 5, .backward = true},
    {"^lookupfunctionbackward|^torch::autograd::cppnode<splitlookupfunction|^torch::autograd::cppnode<splitnobag|"
     "^splitlookupfunction*backward",
     CALLS, read_lookup, .of_forward = true, .backward = true},
    {"^lookupfunction|^splitlookupfunction|^fbgemm::split_embedding_codegen_lookup", CALLS, read_lookup, .tensor = 0},
    {"^split_embedding_codegen_forward|^split_embedding_codegen_grad|^split_embedding_backward_codegen|"
     "^fbgemm::split_embedding_codegen_forward|^fbgemm::split_embedding_backward_codegen",
     KERNELS, read_lookup, .tensor = 0},

    /* ---- indexing ---- */
    {"^aten::index$|^aten::_unsafe_index$", KERNELS, read_index, .with = 1},
    {"^aten::index_select$", KERNELS, read_select, .with = 2, .place = 1},
    {"^aten::gather$", KERNELS, read_gather, .with = 2, .flops = "0",
     .bytes = "2 output + index; of an expanded index what it has in memory", COUNTED},
    {"^aten::take$|^aten::masked_select$", KERNELS, read_gather, .with = 1},
    {"^aten::_index_put_impl_$", KERNELS, read_index_put, .with = 2, .operands = 1},
    {"^aten::index_put_$|^aten::index_put$", CALLS, read_index_put, .with = 2, .operands = 1},
    {"^aten::index_add_$|^aten::index_copy_$|^aten::scatter_add_$|^aten::scatter_$|^aten::scatter$|"
     "^aten::scatter_reduce_$|^aten::index_fill_$",
     KERNELS, read_index_put, .with = 3},
    {"^aten::index_add$|^aten::scatter_add$|^aten::index_copy$", CALLS, read_index_put, .with = 3},
    {"^aten::tril$|^aten::triu$|^aten::tril_$|^aten::triu_$|^aten::flip$|^aten::roll$", KERNELS, read_triangle,
     .tensor = 0},
    {"^aten::cumsum$|^aten::cumprod$|^aten::_cumsum$", KERNELS, read_scan, .operands = 1, ONE, REDUCED},
    {"^aten::nonzero$|^aten::bucketize$|^aten::searchsorted$", KERNELS, read_scan, .operands = 2},
    {"^aten::topk$|^aten::kthvalue$", KERNELS, read_scan, .operands = 3},
    {"^aten::sort$|^aten::_unique2$|^aten::unique_dim$", KERNELS, read_scan, .operands = 8},
    {"^aten::argsort$|^aten::unique_consecutive$|^aten::nonzero_numpy$", CALLS, read_scan, .operands = 8},

    /* ---- moving ---- */
    {"^aten::copy_$", KERNELS, read_copy, .with = 1, .flops = "0", .bytes = "source + destination", COUNTED},
    {"^aten::_to_copy$|^aten::to$|^aten::clone$|^aten::contiguous$|^aten::cuda$|^aten::cpu$|^aten::type_as$|"
     "^aten::float$|^aten::half$|^aten::bfloat16$|^aten::double$|^aten::long$|^aten::int$|^aten::_copy_from$",
     CALLS, read_cast, .tensor = 0},
    {"^aten::_local_scalar_dense$", KERNELS, read_cast, .tensor = 0},
    {"^aten::item$|^aten::is_nonzero$|^aten::_pin_memory$|^aten::pin_memory$", CALLS, read_cast, .tensor = 0},
    {"^aten::cat$|^aten::_cat$|^aten::concat$|^aten::_chunk_cat$", KERNELS, read_cat, .flops = "0", .bytes = "2 output",
     COUNTED},
    {"^aten::stack$|^aten::hstack$|^aten::vstack$", CALLS, read_cat, .flops = "0", .bytes = "2 output", COUNTED},
    {"^aten::repeat$|^aten::repeat_interleave$|^aten::tile$|^aten::pad$|^aten::constant_pad_nd$", CALLS, read_fill,
     .tensor = 0},

    /* ---- filling ---- */
    {"^aten::fill_$|^aten::zero_$|^aten::uniform_$|^aten::normal_$|^aten::random_$|^aten::bernoulli_$|"
     "^aten::exponential_$",
     KERNELS, read_fill, .flops = "0", .bytes = "output", COUNTED},
    {"^aten::arange$", KERNELS, read_fill, .tensor = 0},
    {"^aten::zeros$|^aten::ones$|^aten::full$|^aten::rand$|^aten::randn$|^aten::zeros_like$|^aten::ones_like$|"
     "^aten::full_like$|^aten::rand_like$|^aten::randn_like$|^aten::new_zeros$|^aten::new_ones$|^aten::new_full$|"
     "^aten::randint$|^aten::randperm$|^aten::scalar_tensor$|^aten::fill$|^aten::slice_backward$|"
     "^aten::select_backward$|^aten::linspace$|^aten::eye$|^aten::tril_indices$|^aten::one_hot$",
     CALLS, read_fill, .tensor = 0},

    /* ---- optimizers ---- */
    {"^aten::_fused_adam_$|^aten::_fused_adamw_$|^aten::_fused_adam$|^aten::_fused_adamw$", KERNELS, read_optimizer,
     .operands = 2, .each = 15, .flops = "15 an element: two moments 7, denominator 3, step 3, decay 2", LISTS},
    {"^aten::_fused_sgd_$", KERNELS, read_optimizer, .operands = 1, .each = 6,
     .flops = "6 an element: decay 2, momentum 2, step 2", LISTS},
    {"^aten::_fused_adagrad_$", KERNELS, read_optimizer, .operands = 1},
    {"^aten::_foreach_addcmul|^aten::_foreach_addcdiv|^aten::_foreach_lerp", KERNELS, read_lists, .operands = 1,
     .each = 3, .flops = "3 an element", LISTS},
    {"^aten::_foreach_norm", KERNELS, read_lists, .each = 2, .flops = "2 an element: square, sum", LISTS},
    {"^aten::_foreach_copy|^aten::_foreach_zero", KERNELS, read_lists, .operands = 1, .flops = "0", LISTS},
    {"^aten::_foreach_", KERNELS, read_lists, .operands = 1, ONE, LISTS},
    {"^aten::_amp_foreach_non_finite_check_and_unscale_$", KERNELS, read_lists, .operands = 1},

    /* ---- reductions ---- */
    {"^aten::sum$|^aten::prod$|^aten::nansum$", KERNELS, read_sum, .place = 1, ONE, REDUCED},
    {"^aten::mean$|^aten::max$|^aten::min$|^aten::amax$|^aten::amin$|^aten::any$|^aten::all$", KERNELS, read_reduction,
     .place = 1, ONE, REDUCED},
    {"^aten::argmax$|^aten::argmin$", KERNELS, read_reduction, .place = 1, .writes = WRITES_INDICES, ONE, REDUCED},
    {"^aten::var$|^aten::std$", KERNELS, read_reduction, .place = 1, .each = 4,
     .flops = "4 an element: sum, centre, square, sum", REDUCED},
    {"^aten::var_mean$|^aten::std_mean$|^aten::logsumexp$|^aten::count_nonzero$|^aten::median$|^aten::aminmax$",
     KERNELS, read_reduction, .place = 1},
    {"^aten::norm$|^aten::linalg_vector_norm$", KERNELS, read_reduction, .place = 2, .each = 2,
     .flops = "2 an element: square, sum", REDUCED},
    {"^aten::frobenius_norm$|^aten::nuclear_norm$|^aten::linalg_norm$", CALLS, read_reduction, .place = 1},
    {"^aten::equal$", KERNELS, read_reduction, .place = 9, .operands = 2},
    {"^aten::dot$|^aten::vdot$", KERNELS, read_dot, .flops = "2 an element: product, sum", .bytes = "x + y + output",
     COUNTED},

    /* ---- element by element ---- */
    {"^aten::gelu$|^aten::gelu_$", KERNELS, read_elementwise, .operands = 1, .word = "gelu", ONE, OPERANDS},
    {"^aten::tanh$|^aten::tanh_$", KERNELS, read_elementwise, .operands = 1, .word = "tanh", ONE, OPERANDS},
    {"^aten::clamp_min$|^aten::clamp_min_$|^aten::threshold$|^aten::threshold_$", KERNELS, read_elementwise,
     .operands = 1, .word = "relu", ONE, OPERANDS},
    {"^aten::relu$|^aten::relu_$", CALLS, read_elementwise, .operands = 1, .word = "relu", ONE, OPERANDS},
    {"^aten::pow$|^aten::pow_$", KERNELS, read_elementwise, .operands = 2, .word = "pow", ONE, OPERANDS},
    {"^aten::mul$|^aten::mul_$", KERNELS, read_elementwise, .operands = 2, .word = "mul", ONE, OPERANDS},
    {"^aten::div$|^aten::div_$|^aten::true_divide$|^aten::floor_divide$|^aten::floor_divide_$", KERNELS,
     read_elementwise, .operands = 2, .word = "div", ONE, OPERANDS},
    {"^aten::add$|^aten::add_$|^aten::sub$|^aten::sub_$|^aten::rsub$", KERNELS, read_elementwise, .operands = 2,
     .word = "add", ONE, OPERANDS},
    {"^aten::divide$|^aten::divide_$|^aten::multiply$|^aten::multiply_$|^aten::subtract$", CALLS, read_elementwise,
     .operands = 2, ONE, OPERANDS},
    {"^aten::maximum$|^aten::minimum$|^aten::fmax$|^aten::fmin$|^aten::remainder$|^aten::remainder_$|^aten::fmod$|"
     "^aten::bitwise_and$|^aten::bitwise_or$|^aten::bitwise_xor$|^aten::bitwise_and_$|^aten::bitwise_or_$|"
     "^aten::__and__$|^aten::__or__$|^aten::__ior__$|^aten::__iand__$|^aten::masked_fill$|^aten::masked_fill_$|"
     "^aten::atan2$|^aten::hypot$|^aten::polar$|^aten::complex$|^aten::heaviside$",
     KERNELS, read_elementwise, .operands = 2, ONE, OPERANDS},
    {"^aten::threshold_backward$|^aten::sigmoid_backward$|^aten::tanh_backward$|^aten::gelu_backward$|"
     "^aten::silu_backward$|^aten::hardtanh_backward$|^aten::leaky_relu_backward$|^aten::elu_backward$|"
     "^aten::hardswish_backward$|^aten::hardsigmoid_backward$|^aten::softplus_backward$|^aten::mish_backward$|"
     "^aten::logit_backward$",
     KERNELS, read_elementwise, .operands = 2, ONE, OPERANDS},
    {"^aten::addcmul|^aten::addcdiv", KERNELS, read_elementwise, .operands = 3, .each = 3, .flops = "3 an element",
     OPERANDS},
    {"^aten::lerp", KERNELS, read_elementwise, .operands = 3, .each = 3, .flops = "3 an element", OPERANDS},
    {"^aten::where$|^aten::_s_where$|^aten::clamp_out$", KERNELS, read_elementwise, .operands = 3, ONE, OPERANDS},
    {"^aten::eq$|^aten::ne$|^aten::lt$|^aten::le$|^aten::gt$|^aten::ge$|^aten::logical_and$|^aten::logical_or$|"
     "^aten::logical_xor$",
     KERNELS, read_elementwise, .operands = 2, .writes = WRITES_BOOL, ONE, OPERANDS},
    {"^aten::eq_$|^aten::ne_$|^aten::lt_$|^aten::le_$|^aten::gt_$|^aten::ge_$", KERNELS, read_elementwise,
     .operands = 2, ONE, OPERANDS},
    {"^aten::isnan$|^aten::isfinite$|^aten::isinf$|^aten::logical_not$|^aten::signbit$", KERNELS, read_elementwise,
     .operands = 1, .writes = WRITES_BOOL, ONE, OPERANDS},
    {"^aten::sigmoid$|^aten::sigmoid_$|^aten::silu$|^aten::silu_$|^aten::exp$|^aten::exp_$|^aten::exp2$|^aten::expm1$|"
     "^aten::log$|^aten::log_$|^aten::log1p$|^aten::log10$|^aten::sqrt$|^aten::sqrt_$|^aten::rsqrt$|^aten::rsqrt_$|"
     "^aten::neg$|^aten::neg_$|^aten::abs$|^aten::abs_$|^aten::sin$|^aten::cos$|^aten::tan$|^aten::erf$|^aten::erfinv$|"
     "^aten::square$|^aten::reciprocal$|^aten::reciprocal_$|^aten::clamp$|^aten::clamp_$|^aten::clamp_max$|"
     "^aten::clamp_max_$|^aten::leaky_relu$|^aten::leaky_relu_$|^aten::elu$|^aten::elu_$|^aten::softplus$|"
     "^aten::hardtanh$|^aten::hardtanh_$|^aten::hardswish$|^aten::hardswish_$|^aten::hardsigmoid$|^aten::hardsigmoid_$|"
     "^aten::mish$|^aten::nan_to_num$|^aten::nan_to_num_$|^aten::bitwise_not$|^aten::log2$|^aten::floor$|^aten::floor_$|"
     "^aten::ceil$|^aten::round$|^aten::round_$|^aten::trunc$|^aten::frac$|^aten::sign$|^aten::sgn$|^aten::relu6$|"
     "^aten::logit$|^aten::asin$|^aten::acos$|^aten::atan$|^aten::sinh$|^aten::cosh$|^aten::lgamma$|^aten::digamma$|"
     "^aten::log_sigmoid_forward$|^aten::logical_not_$|^aten::bitwise_not_$|^aten::angle$",
     KERNELS, read_elementwise, .operands = 1, ONE, OPERANDS},
    {"^aten::glu$|^aten::_amp_update_scale_$", KERNELS, read_elementwise, .operands = 1},
    {"^torch::autograd::accumulategrad$|^accumulategrad$", CALLS, .read = NULL},

    /* ---- views, allocations, questions: nothing on the device ---- */
    {"^aten::view$|^aten::view_as$|^aten::_unsafe_view$|^aten::reshape$|^aten::_reshape_alias$|^aten::reshape_as$|"
     "^aten::t$|^aten::t_$|^aten::transpose$|^aten::transpose_$|^aten::permute$|^aten::as_strided$|^aten::as_strided_$|"
     "^aten::expand$|^aten::expand_as$|^aten::slice$|^aten::select$|^aten::narrow$|^aten::unsqueeze$|^aten::unsqueeze_$|"
     "^aten::squeeze$|^aten::squeeze_$|^aten::split$|^aten::split_with_sizes$|^aten::chunk$|^aten::unbind$|"
     "^aten::unflatten$|^aten::flatten$|^aten::detach$|^aten::detach_$|^detach$|^detach_$|^aten::alias$|"
     "^aten::unfold$|^aten::movedim$|^aten::swapaxes$|^aten::diagonal$|^aten::real$|^aten::imag$|^aten::numpy_t$|"
     "^aten::view_as_real$|^aten::view_as_complex$|^aten::broadcast_to$|^aten::broadcast_tensors$|^aten::ravel$|"
     "^aten::adjoint$|^aten::mt$|^aten::mh$|^aten::unsafe_chunk$|^aten::unsafe_split$|^aten::unsafe_split_with_sizes$|"
     "^aten::lift_fresh$|^aten::lift$|^aten::result_type$|^aten::can_cast$|^aten::set_$|^aten::resolve_conj$|"
     "^aten::resolve_neg$|^aten::conj$|^aten::size$|^aten::stride$|^aten::sym_size$|^aten::is_floating_point$|"
     "^aten::requires_grad_$|^aten::is_leaf$|^aten::output_nr$|^aten::_version$|^aten::data$|^aten::_has_compatible*|"
     "^aten::is_pinned$|^aten::_nested_tensor_from*|^aten::meshgrid$|^aten::atleast_1d$|^aten::is_same_size$|"
     "^aten::tensor_split$|^aten::hsplit$|^aten::vsplit$|^aten::record_stream$|^aten::_is_zerotensor$",
     NOTHING, .read = NULL},
    {"^aten::empty|^aten::new_empty|^aten::resize_$|^aten::_resize_output_$|^aten::_to_cpu$|^aten::from_file$|"
     "^aten::_cuda_getcurrent|^[memory]|^aten::_assert_async|^aten::lift_fresh_copy$|^aten::_efficientzerotensor$",
     NOTHING, .read = NULL},
    {"^viewbackward|^reshapealiasbackward|^reshapebackward|^tbackward|^transposebackward|^permutebackward|"
     "^unsafeviewbackward|^expandbackward|^squeezebackward|^unsqueezebackward|^splitbackward|^aliasbackward|"
     "^detachbackward|^unsqueezebackward|^asstridedbackward",
     CALLS, .read = NULL},

    /* ---- the rest of autograd's nodes, functions in Python and compiled ones: their calls are recorded ---- */
    {"backward0$|backward1$|backward2$|backward3$|backward$|^torch::jit|^compiledfunction|^torch-compiled|"
     "^torchdynamo|^pytorchmodule|^call compiledfxgraph|^inductor|^triton*wrapper",
     CALLS, .read = NULL},
};

const uint32_t operator_row_count = sizeof operator_rows / sizeof *operator_rows;
