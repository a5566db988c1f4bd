/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operator launches what. Adding an operator is one row. Names are matched in
 * lower case; the wrappers of the autograd engine are views of their node.
 */
#include <pthread.h>
#include <stdlib.h>

#include "lower_work.h"
#include "ops/rules.h"

#define KERNELS LOWERED_TO_KERNELS
#define CALLS   LOWERED_TO_CALLS
#define NOTHING LOWERED_TO_NOTHING

static const struct lower_row rows[] = {
    /* ---- labels and wrappers ---- */
    {"^autograd::engine::evaluate_function", CALLS, NULL, {0}},
    {"^profilerstep|^optimizer.|^dataloader|enumerate(dataloader)|^nn.module:|^module::", CALLS, NULL, {0}},

    /* ---- communication ---- */
    {"^nccl:|^gloo:|^c10d::|^record_param_comms$|^_c10d_functional::|^torch.distributed|distributeddataparallel.forward",
     LOWERED_TO_COLLECTIVE,
     NULL,
     {0}},

    /* ---- products of matrices ---- */
    {"^aten::mm$|^aten::_scaled_mm$|^aten::_int_mm$|^aten::mv$", KERNELS, lower_mm, {.a = 0, .b = 1}},
    {"^aten::addmm$|^aten::addmm_$|^aten::_addmm_activation$|^aten::addmv$|^aten::addmv_$",
     KERNELS,
     lower_mm,
     {.a = 1, .b = 2}},
    {"^aten::bmm$|^aten::bmm_out$", KERNELS, lower_bmm, {.a = 0, .b = 1}},
    {"^aten::baddbmm$|^aten::baddbmm_$", KERNELS, lower_bmm, {.a = 1, .b = 2}},
    {"^aten::linear$", CALLS, lower_linear, {0}},
    {"^aten::matmul$", CALLS, lower_matmul, {0}},
    {"^aten::dot$|^aten::vdot$", KERNELS, lower_matmul, {0}},
    {"^aten::linear_backward$", CALLS, lower_linear_back, {.a = 1}},
    {"^addmmbackward", CALLS, lower_addmm_back, {.a = 1, .b = 2}},
    {"^mmbackward", CALLS, lower_addmm_back, {.a = 0, .b = 1}},
    {"^linearbackward", CALLS, lower_linear_back, {0}},
    {"^bmmbackward", CALLS, lower_bmm_back, {.a = 0, .b = 1}},
    {"^baddbmmbackward", CALLS, lower_bmm_back, {.a = 1, .b = 2}},

    /* ---- convolutions, attention ---- */
    {"^aten::cudnn_convolution$", KERNELS, lower_convolution, {.a = 2, .b = 3, .c = 5}},
    {"^aten::miopen_convolution$|^aten::miopen_depthwise_convolution$|^aten::mkldnn_convolution$",
     KERNELS,
     lower_convolution,
     {.a = 3, .b = 4, .c = 6}},
    {"^aten::cudnn_convolution_relu$|^aten::cudnn_convolution_add_relu$",
     KERNELS,
     lower_convolution,
     {.a = 4, .b = 3, .c = 6}},
    {"^aten::cudnn_convolution_transpose$|^aten::miopen_convolution_transpose$",
     KERNELS,
     lower_convolution,
     {.a = 2, .b = 4, .c = 6}},
    {"^aten::_conv_depthwise2d$", KERNELS, lower_convolution, {.a = 5, .b = 4, .c = -1}},
    {"^aten::convolution$|^aten::_convolution$|^aten::convolution_overrideable$",
     CALLS,
     lower_convolution,
     {.a = 4, .b = 3, .c = 8}},
    {"^aten::conv1d$|^aten::conv2d$|^aten::conv3d$", CALLS, lower_convolution, {.a = 4, .b = 3, .c = 6}},
    {"^aten::conv_transpose*d$", CALLS, lower_convolution, {.a = 4, .b = 3, .c = 6}},
    {"^aten::convolution_backward$", KERNELS, lower_convolution_back, {.a = 0, .b = 1, .c = 2}},
    {"^aten::cudnn_convolution_backward$|^aten::miopen_convolution_backward$",
     KERNELS,
     lower_convolution_back,
     {.a = 1, .b = 0, .c = 2}},
    {"^convolutionbackward|^cudnnconvolutionbackward|^thnnconv2dbackward",
     CALLS,
     lower_convolution_back,
     {.a = 0, .b = 1, .c = 2}},
    {"^aten::_flash_attention_forward$", KERNELS, lower_attention, {.a = 8, .b = 1}},
    {"^aten::_efficient_attention_forward$", KERNELS, lower_attention, {.a = -1, .b = 1}},
    {"^aten::_flash_attention_backward$", KERNELS, lower_attention_back, {.a = 11, .b = 1}},
    {"^aten::_efficient_attention_backward$", KERNELS, lower_attention_back, {.a = -1, .b = 1}},
    {"^aten::_scaled_dot_product_cudnn_attention$", KERNELS, lower_attention, {.a = 6}},
    {"^aten::_scaled_dot_product_cudnn_attention_backward$", KERNELS, lower_attention_back, {.a = 14}},
    {"^aten::_scaled_dot_product_flash_attention$", CALLS, lower_attention, {.a = 4}},
    {"^aten::_scaled_dot_product_efficient_attention$", CALLS, lower_attention, {.a = 6}},
    {"^aten::scaled_dot_product_attention$", CALLS, lower_attention, {.a = 5}},
    {"^aten::_scaled_dot_product_flash_attention_backward$|^aten::_scaled_dot_product_efficient_attention_backward$",
     CALLS,
     lower_attention_back,
     {.a = 11}},
    {"^aten::_scaled_dot_product_attention_math$|^aten::multi_head_attention", CALLS, NULL, {0}},

    /* ---- rows ---- */
    {"^aten::_softmax$|^aten::_softmax.out$", KERNELS, lower_softmax, {.a = 0, .b = 1}},
    {"^aten::_log_softmax$", KERNELS, lower_softmax, {.a = 0, .b = 1, .word = "log"}},
    {"^aten::softmax$|^aten::log_softmax$|^aten::special_softmax$", CALLS, lower_softmax, {.a = 0, .b = 1}},
    {"^aten::_softmax_backward_data$", KERNELS, lower_softmax, {.a = 0, .b = 2, .c = 1}},
    {"^aten::_log_softmax_backward_data$", KERNELS, lower_softmax, {.a = 0, .b = 2, .c = 1, .word = "log"}},
    {"^aten::native_layer_norm$|^aten::_fused_rms_norm$", KERNELS, lower_layer_norm, {.a = 0, .b = 1}},
    {"^aten::layer_norm$|^aten::rms_norm$", CALLS, lower_layer_norm, {.a = 0, .b = 1}},
    {"^aten::native_layer_norm_backward$|^aten::_fused_rms_norm_backward$",
     KERNELS,
     lower_layer_norm,
     {.a = 0, .b = 2, .c = 1}},
    {"^aten::native_group_norm$", KERNELS, lower_group_norm, {.a = 0, .b = 6}},
    {"^aten::group_norm$", CALLS, lower_group_norm, {.a = 0, .b = 1}},
    {"^aten::native_group_norm_backward$", KERNELS, lower_group_norm, {.a = 0, .b = 8, .c = 1}},
    {"^aten::native_batch_norm$|^aten::cudnn_batch_norm$|^aten::miopen_batch_norm$|^aten::_native_batch_norm_legit$|"
     "^aten::_batch_norm_with_update$",
     KERNELS,
     lower_batch_norm,
     {.a = 0}},
    {"^aten::batch_norm$|^aten::_batch_norm_impl_index$|^aten::instance_norm$", CALLS, lower_batch_norm, {.a = 0}},
    {"^aten::native_batch_norm_backward$|^aten::cudnn_batch_norm_backward$|^aten::miopen_batch_norm_backward$|"
     "^aten::batch_norm_backward$",
     KERNELS,
     lower_batch_norm,
     {.a = 0, .c = 1}},
    {"^aten::_batch_norm_impl_index_backward$", CALLS, lower_batch_norm, {.a = 1, .c = 1}},
    {"^aten::native_dropout$|^aten::_fused_dropout$", KERNELS, lower_dropout, {.a = 0}},
    {"^aten::dropout$|^aten::dropout_$|^aten::feature_dropout$", CALLS, lower_dropout, {.a = 0}},
    {"^aten::native_dropout_backward$|^aten::_masked_scale$", KERNELS, lower_dropout, {.a = 0, .c = 1}},

    /* ---- losses ---- */
    {"^aten::mse_loss$|^aten::l1_loss$|^aten::smooth_l1_loss$|^aten::huber_loss$|^aten::binary_cross_entropy$|"
     "^aten::binary_cross_entropy_with_logits$|^aten::kl_div$",
     KERNELS,
     lower_loss,
     {.a = 2}},
    {"^aten::mse_loss_backward$|^aten::l1_loss_backward$|^aten::smooth_l1_loss_backward$|^aten::huber_loss_backward$|"
     "^aten::binary_cross_entropy_backward$",
     KERNELS,
     lower_loss_back,
     {.a = 2}},
    {"^aten::nll_loss_forward$|^aten::nll_loss2d_forward$", KERNELS, lower_nll, {.a = 0}},
    {"^aten::nll_loss_backward$|^aten::nll_loss2d_backward$", KERNELS, lower_nll, {.a = 1, .b = 1}},
    {"^aten::nll_loss$|^aten::nll_loss_nd$|^aten::nll_loss2d$|^aten::cross_entropy_loss$", CALLS, NULL, {0}},

    /* ---- pooling, resizing ---- */
    {"^aten::max_pool2d_with_indices$|^aten::avg_pool2d$|^aten::max_pool3d_with_indices$|^aten::avg_pool3d$",
     KERNELS,
     lower_pool,
     {.a = 0, .b = 1}},
    {"^aten::max_pool1d$|^aten::max_pool2d$|^aten::avg_pool1d$", CALLS, lower_pool, {.a = 0, .b = 1}},
    {"^aten::_adaptive_avg_pool2d$|^aten::adaptive_max_pool2d$", KERNELS, lower_pool, {.a = 0, .b = -1}},
    {"^aten::adaptive_avg_pool2d$|^aten::adaptive_avg_pool1d$", CALLS, lower_pool, {.a = 0, .b = -1}},
    {"^aten::max_pool2d_with_indices_backward$|^aten::avg_pool2d_backward$|^aten::_adaptive_avg_pool2d_backward$|"
     "^aten::adaptive_max_pool2d_backward$",
     KERNELS,
     lower_pool_back,
     {.a = 0, .b = 1}},

    {"^aten::upsample_*backward$", KERNELS, lower_resize, {.a = 0, .b = 2}},
    {"^aten::upsample_|^aten::_upsample_", KERNELS, lower_resize, {.a = 0, .b = 1}},
    {"^aten::interpolate$|^aten::__interpolate$", CALLS, NULL, {0}},

    /* ---- tables ---- */
    {"^aten::embedding$", CALLS, lower_embedding, {.a = 0, .b = 1}},
    {"^aten::_embedding_bag$|^aten::_embedding_bag_forward_only$", KERNELS, lower_bag, {.a = 0, .b = 1, .c = 2}},
    {"^aten::embedding_bag$", CALLS, lower_bag, {.a = 0, .b = 1, .c = 2}},
    {"^aten::embedding_dense_backward$", KERNELS, lower_embedding_back, {.a = 0, .b = 1, .c = 2}},
    {"^aten::embedding_backward$", CALLS, lower_embedding_back, {.a = 0, .b = 1, .c = 2}},
    {"^aten::_embedding_bag_dense_backward$", KERNELS, lower_bag_back, {.a = 0, .b = 1, .c = 5}},
    {"^aten::_embedding_bag_backward$", CALLS, lower_bag_back, {.a = 0, .b = 1, .c = 5}},
    {"^lookupfunctionbackward|^torch::autograd::cppnode<splitlookupfunction|^torch::autograd::cppnode<splitnobag|"
     "^splitlookupfunction*backward",
     CALLS,
     lower_lookup,
     {.c = 1}},
    {"^lookupfunction|^splitlookupfunction|^fbgemm::split_embedding_codegen_lookup", CALLS, lower_lookup, {0}},
    {"^split_embedding_codegen_forward|^split_embedding_codegen_grad|^split_embedding_backward_codegen|"
     "^fbgemm::split_embedding_codegen_forward|^fbgemm::split_embedding_backward_codegen",
     KERNELS,
     lower_lookup,
     {0}},

    /* ---- indexing ---- */
    {"^aten::index$|^aten::_unsafe_index$", KERNELS, lower_index, {.a = 0, .b = 1, .c = 1}},
    {"^aten::index_select$", KERNELS, lower_index, {.a = 0, .b = 2, .c = 2}},
    {"^aten::gather$", KERNELS, lower_index, {.a = 0, .b = 2, .c = 0}},
    {"^aten::take$|^aten::masked_select$", KERNELS, lower_index, {.a = 0, .b = 1, .c = 0}},
    {"^aten::_index_put_impl_$", KERNELS, lower_index_put, {.a = 0, .b = 2, .c = 1}},
    {"^aten::index_put_$|^aten::index_put$", CALLS, lower_index_put, {.a = 0, .b = 2, .c = 1}},
    {"^aten::index_add_$|^aten::index_copy_$|^aten::scatter_add_$|^aten::scatter_$|^aten::scatter$|"
     "^aten::scatter_reduce_$|^aten::index_fill_$",
     KERNELS,
     lower_index_put,
     {.a = 0, .b = 3}},
    {"^aten::index_add$|^aten::scatter_add$|^aten::index_copy$", CALLS, lower_index_put, {.a = 0, .b = 3}},
    {"^aten::tril$|^aten::triu$|^aten::tril_$|^aten::triu_$|^aten::flip$|^aten::roll$",
     KERNELS,
     lower_triangle,
     {.a = 0}},
    {"^aten::nonzero$|^aten::bucketize$|^aten::searchsorted$|^aten::cumsum$|^aten::cumprod$|^aten::_cumsum$",
     KERNELS,
     lower_scan,
     {.a = 0, .b = 2}},
    {"^aten::topk$|^aten::kthvalue$", KERNELS, lower_scan, {.a = 0, .b = 3}},
    {"^aten::sort$|^aten::_unique2$|^aten::unique_dim$", KERNELS, lower_scan, {.a = 0, .b = 8}},
    {"^aten::argsort$|^aten::unique_consecutive$|^aten::nonzero_numpy$", CALLS, lower_scan, {.a = 0, .b = 8}},

    /* ---- moving ---- */
    {"^aten::copy_$", KERNELS, lower_copy, {.a = 0, .b = 1}},
    {"^aten::_to_copy$|^aten::to$|^aten::clone$|^aten::contiguous$|^aten::cuda$|^aten::cpu$|^aten::type_as$|"
     "^aten::float$|^aten::half$|^aten::bfloat16$|^aten::double$|^aten::long$|^aten::int$|^aten::_copy_from$",
     CALLS,
     lower_cast,
     {.a = 0}},
    {"^aten::_local_scalar_dense$", KERNELS, lower_cast, {.a = 0}},
    {"^aten::item$|^aten::is_nonzero$|^aten::_pin_memory$|^aten::pin_memory$", CALLS, lower_cast, {.a = 0}},
    {"^aten::cat$|^aten::_cat$|^aten::concat$|^aten::_chunk_cat$", KERNELS, lower_cat, {.a = 0}},
    {"^aten::stack$|^aten::hstack$|^aten::vstack$", CALLS, lower_cat, {.a = 0}},
    {"^aten::repeat$|^aten::repeat_interleave$|^aten::tile$|^aten::pad$|^aten::constant_pad_nd$", CALLS, NULL, {0}},

    /* ---- filling ---- */
    {"^aten::fill_$", KERNELS, lower_fill, {.a = 0}},
    {"^aten::zero_$", KERNELS, lower_fill, {.a = 0}},
    {"^aten::uniform_$|^aten::normal_$|^aten::random_$|^aten::bernoulli_$|^aten::exponential_$|^aten::arange$",
     KERNELS,
     lower_fill,
     {.a = 0}},
    {"^aten::zeros$|^aten::ones$|^aten::full$|^aten::rand$|^aten::randn$|^aten::zeros_like$|^aten::ones_like$|"
     "^aten::full_like$|^aten::rand_like$|^aten::randn_like$|^aten::new_zeros$|^aten::new_ones$|^aten::new_full$|"
     "^aten::randint$|^aten::randperm$|^aten::scalar_tensor$|^aten::fill$|^aten::slice_backward$|"
     "^aten::select_backward$|^aten::linspace$|^aten::eye$|^aten::tril_indices$|^aten::one_hot$",
     CALLS,
     NULL,
     {0}},

    /* ---- optimizers ---- */
    {"^aten::_fused_adam_$|^aten::_fused_adamw_$|^aten::_fused_adam$|^aten::_fused_adamw$",
     KERNELS,
     lower_optimizer,
     {.a = 2}},
    {"^aten::_fused_sgd_$|^aten::_fused_adagrad_$", KERNELS, lower_optimizer, {.a = 1}},
    {"^aten::_foreach_norm$", KERNELS, lower_lists, {.a = 0}},
    {"^aten::_foreach_copy_$|^aten::_foreach_zero_$", KERNELS, lower_lists, {.a = 1}},
    {"^aten::_foreach_", KERNELS, lower_lists, {.a = 1, .b = 1}},
    {"^aten::_amp_foreach_non_finite_check_and_unscale_$", KERNELS, lower_lists, {.a = 1}},

    /* ---- reductions ---- */
    {"^aten::sum$|^aten::prod$|^aten::nansum$", KERNELS, lower_sum, {.a = 0, .b = 1}},
    {"^aten::mean$|^aten::max$|^aten::min$|^aten::amax$|^aten::amin$|^aten::any$|^aten::all$|"
     "^aten::argmax$|^aten::argmin$|^aten::var$|^aten::std$|^aten::var_mean$|^aten::std_mean$|^aten::logsumexp$|"
     "^aten::count_nonzero$|^aten::median$|^aten::aminmax$",
     KERNELS,
     lower_reduction,
     {.a = 0, .b = 1}},
    {"^aten::norm$|^aten::linalg_vector_norm$", KERNELS, lower_reduction, {.a = 0, .b = 2}},
    {"^aten::frobenius_norm$|^aten::nuclear_norm$|^aten::linalg_norm$", CALLS, lower_reduction, {.a = 0, .b = 1}},
    {"^aten::equal$", KERNELS, lower_reduction, {.a = 0, .b = 9, .c = 2}},

    /* ---- element by element ---- */
    {"^aten::gelu$|^aten::gelu_$", KERNELS, lower_elementwise, {.a = 1, .word = "gelu"}},
    {"^aten::tanh$|^aten::tanh_$", KERNELS, lower_elementwise, {.a = 1, .word = "tanh"}},
    {"^aten::clamp_min$|^aten::clamp_min_$|^aten::threshold$|^aten::threshold_$",
     KERNELS,
     lower_elementwise,
     {.a = 1, .word = "relu"}},
    {"^aten::relu$|^aten::relu_$", CALLS, lower_elementwise, {.a = 1, .word = "relu"}},
    {"^aten::pow$|^aten::pow_$", KERNELS, lower_elementwise, {.a = 2, .word = "pow"}},
    {"^aten::mul$|^aten::mul_$", KERNELS, lower_elementwise, {.a = 2, .word = "mul"}},
    {"^aten::div$|^aten::div_$|^aten::true_divide$|^aten::floor_divide$|^aten::floor_divide_$",
     KERNELS,
     lower_elementwise,
     {.a = 2, .word = "div"}},
    {"^aten::add$|^aten::add_$|^aten::sub$|^aten::sub_$|^aten::rsub$",
     KERNELS,
     lower_elementwise,
     {.a = 2, .word = "add"}},
    {"^aten::divide$|^aten::divide_$|^aten::multiply$|^aten::multiply_$|^aten::subtract$",
     CALLS,
     lower_elementwise,
     {.a = 2}},
    {"^aten::maximum$|^aten::minimum$|^aten::fmax$|^aten::fmin$|^aten::remainder$|^aten::fmod$|^aten::bitwise_and$|"
     "^aten::bitwise_or$|^aten::bitwise_xor$|^aten::__and__$|^aten::__or__$|^aten::__ior__$|^aten::__iand__$|"
     "^aten::masked_fill_$|^aten::masked_fill$|^aten::atan2$|^aten::hypot$|^aten::polar$|^aten::complex$|"
     "^aten::bitwise_and_$|^aten::bitwise_or_$|^aten::remainder_$",
     KERNELS,
     lower_elementwise,
     {.a = 2}},
    {"^aten::threshold_backward$|^aten::sigmoid_backward$|^aten::tanh_backward$|^aten::gelu_backward$|"
     "^aten::silu_backward$|^aten::hardtanh_backward$|^aten::leaky_relu_backward$|^aten::elu_backward$|"
     "^aten::hardswish_backward$|^aten::hardsigmoid_backward$|^aten::softplus_backward$|^aten::mish_backward$|"
     "^aten::logit_backward$",
     KERNELS,
     lower_elementwise,
     {.a = 2}},
    {"^aten::addcmul|^aten::addcdiv|^aten::lerp|^aten::where$|^aten::_s_where$|^aten::clamp_out$",
     KERNELS,
     lower_elementwise,
     {.a = 3}},
    {"^aten::eq$|^aten::ne$|^aten::lt$|^aten::le$|^aten::gt$|^aten::ge$|^aten::logical_and$|^aten::logical_or$|"
     "^aten::logical_xor$",
     KERNELS,
     lower_elementwise,
     {.a = 2, .c = 1}},
    {"^aten::eq_$|^aten::ne_$|^aten::lt_$|^aten::le_$|^aten::gt_$|^aten::ge_$", KERNELS, lower_elementwise, {.a = 2}},
    {"^aten::isnan$|^aten::isfinite$|^aten::isinf$|^aten::logical_not$|^aten::signbit$",
     KERNELS,
     lower_elementwise,
     {.a = 1, .c = 1}},
    {"^aten::sigmoid$|^aten::sigmoid_$|^aten::silu$|^aten::silu_$|^aten::exp$|^aten::exp_$|^aten::exp2$|^aten::expm1$|"
     "^aten::log$|^aten::log_$|^aten::log1p$|^aten::log10$|^aten::sqrt$|^aten::sqrt_$|^aten::rsqrt$|^aten::rsqrt_$|"
     "^aten::neg$|^aten::neg_$|^aten::abs$|^aten::abs_$|^aten::sin$|^aten::cos$|^aten::tan$|^aten::erf$|^aten::erfinv$|"
     "^aten::square$|^aten::reciprocal$|^aten::reciprocal_$|^aten::clamp$|^aten::clamp_$|^aten::clamp_max$|"
     "^aten::clamp_max_$|^aten::leaky_relu$|^aten::leaky_relu_$|^aten::elu$|^aten::elu_$|^aten::softplus$|"
     "^aten::hardtanh$|^aten::hardtanh_$|^aten::hardswish$|^aten::hardswish_$|^aten::hardsigmoid$|^aten::hardsigmoid_$|"
     "^aten::mish$|^aten::nan_to_num$|^aten::nan_to_num_$|^aten::bitwise_not$|^aten::log2$|^aten::floor$|^aten::floor_$|"
     "^aten::ceil$|^aten::round$|^aten::round_$|^aten::trunc$|^aten::frac$|^aten::sign$|^aten::sgn$|^aten::relu6$|"
     "^aten::logit$|^aten::asin$|^aten::acos$|^aten::atan$|^aten::sinh$|^aten::cosh$|^aten::lgamma$|^aten::digamma$|"
     "^aten::log_sigmoid_forward$|^aten::glu$|^aten::logical_not_$|^aten::bitwise_not_$|^aten::angle$|"
     "^aten::_amp_update_scale_$|^aten::heaviside$",
     KERNELS,
     lower_elementwise,
     {.a = 1}},
    {"^torch::autograd::accumulategrad$|^accumulategrad$", CALLS, NULL, {0}},

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
     NOTHING,
     NULL,
     {0}},
    {"^aten::empty|^aten::new_empty|^aten::resize_$|^aten::_resize_output_$|^aten::_to_cpu$|^aten::from_file$|"
     "^aten::_cuda_getcurrent|^[memory]|^aten::_assert_async|^aten::lift_fresh_copy$|^aten::_efficientzerotensor$",
     NOTHING,
     NULL,
     {0}},
    {"^viewbackward|^reshapealiasbackward|^reshapebackward|^tbackward|^transposebackward|^permutebackward|"
     "^unsafeviewbackward|^expandbackward|^squeezebackward|^unsqueezebackward|^splitbackward|^aliasbackward|"
     "^detachbackward|^unsqueezebackward|^asstridedbackward",
     CALLS,
     NULL,
     {0}},

    /* ---- the rest of autograd's nodes, functions in Python and compiled ones: their calls are recorded ---- */
    {"backward0$|backward1$|backward2$|backward3$|backward$|^torch::jit|^compiledfunction|^torch-compiled|"
     "^torchdynamo|^pytorchmodule|^call compiledfxgraph|^inductor|^triton*wrapper",
     CALLS,
     NULL,
     {0}},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* ---- finding a row: nearly all patterns are whole names, which are found by bisection ---- */

enum { ENTRIES_MOST = 1024 };

struct entry {
    str text; /* a whole name; or a pattern */
    uint16_t row;
};

static struct entry whole[ENTRIES_MOST], patterns[ENTRIES_MOST]; /* sorted by text, then row; in the table's order */
static size_t whole_count, pattern_count;
static pthread_once_t entries_made = PTHREAD_ONCE_INIT;

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = str_cmp(x->text, y->text);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static void enter(str pattern, uint16_t row)
{
    const bool exact = str_starts(pattern, S("^")) && str_ends(pattern, S("$")) && !str_has(pattern, S("*"));
    if (exact && whole_count < ENTRIES_MOST)
        whole[whole_count++] = (struct entry){{pattern.at + 1, pattern.len - 2}, row};
    else if (pattern_count < ENTRIES_MOST)
        patterns[pattern_count++] = (struct entry){pattern, row};
}

static void make_entries(void)
{
    for (uint16_t i = 0; i < ROWS; i++) {
        str rest = str_of(rows[i].names), pattern;
        while (str_cut(&rest, '|', &pattern))
            enter(pattern, i);
    }
    qsort(whole, whole_count, sizeof *whole, by_text);
}

/* The first row that has it as a whole name; ROWS: none. */
static uint16_t row_named(str lowered)
{
    size_t low = 0, high = whole_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (str_cmp(whole[middle].text, lowered) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < whole_count && str_eq(whole[low].text, lowered) ? whole[low].row : ROWS;
}

const struct lower_row *lower_row_of(str name)
{
    char room[128];
    if (name.len > sizeof room)
        return NULL; /* no operator of the table is that long */
    pthread_once(&entries_made, make_entries);
    const str lowered = name_lowered(name, room, sizeof room);
    const uint16_t named = row_named(lowered);
    for (size_t i = 0; i < pattern_count && patterns[i].row < named; i++)
        if (name_fits(lowered, patterns[i].text))
            return &rows[patterns[i].row];
    return named < ROWS ? &rows[named] : NULL;
}
