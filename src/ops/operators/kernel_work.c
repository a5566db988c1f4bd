/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least work of a kernel by definition: multiplications and additions of
 * matrix forms, and every tensor read or written once. Doubles, so that no product
 * overflows.
 */
#include "kernel.h"

/* ---- windows ---- */

int64_t axis_positions(const struct axis *axis)
{
    const double reach = (double)axis->dilation * ((double)axis->window - 1) + 1;
    const double room = (double)axis->size + 2 * (double)axis->padding - reach;
    return room < 0 || axis->stride < 1 ? 0 : (int64_t)(room / (double)axis->stride) + 1;
}

/* A window larger than its input is a small layer, not none. */
static double axes_positions(const struct axis axes[KERNEL_AXES])
{
    double positions = 1;
    for (int i = 0; i < KERNEL_AXES; i++) {
        const int64_t along = axis_positions(&axes[i]);
        positions *= along > 0 ? (double)along : 1;
    }
    return positions;
}

double axes_window(const struct axis axes[KERNEL_AXES])
{
    double window = 1;
    for (int i = 0; i < KERNEL_AXES; i++)
        window *= (double)axes[i].window;
    return window;
}

double axes_size(const struct axis axes[KERNEL_AXES])
{
    double size = 1;
    for (int i = 0; i < KERNEL_AXES; i++)
        size *= (double)axes[i].size;
    return size;
}

/* ---- convolution ---- */

static double outputs(const struct kernel *k)
{
    return (double)k->convolution.batch * (double)k->convolution.out * axes_positions(k->convolution.axes);
}

/* Products that make one output: the window of the input channels of its group. */
static double products_each(const struct kernel *k)
{
    return (double)k->convolution.in / (double)k->convolution.groups * axes_window(k->convolution.axes);
}

static double convolution_elements(const struct kernel *k)
{
    const double inputs = (double)k->convolution.batch * (double)k->convolution.in * axes_size(k->convolution.axes);
    return inputs + outputs(k) + (double)k->convolution.out * products_each(k);
}

/* ---- attention ---- */

static double value_width(const struct kernel *k)
{
    return (double)(k->attention.value_width ? k->attention.value_width : k->attention.width);
}

/* Forward Q K^T and P V; backward Q K^T again, dV, dP, dQ, dK: as torch.utils.flop_counter counts. */
static double attention_flops(const struct kernel *k)
{
    const bool windowed = k->attention.window > 0 && k->attention.window < k->attention.keys;
    const double pairs = (double)k->attention.batch * (double)k->attention.heads * (double)k->attention.queries *
                         (double)(windowed ? k->attention.window : k->attention.keys);
    const double width = (double)k->attention.width, values = value_width(k);
    const double flops = 2 * pairs * (k->backward ? 3 * width + 2 * values : width + values);
    return k->attention.causal && !windowed && k->attention.queries == k->attention.keys ? flops / 2 : flops;
}

/* Queries, keys, values and output; backward both, with the gradients of all. */
static double attention_bytes(const struct kernel *k)
{
    const double wide = (double)k->attention.width + value_width(k);
    const double cached = k->attention.latent ? (double)k->attention.width : wide;
    const double key_heads = (double)(k->attention.key_heads ? k->attention.key_heads : k->attention.heads);
    const double met = (double)(k->attention.window && k->attention.window < k->attention.keys - k->attention.queries
                                    ? k->attention.window + k->attention.queries
                                    : k->attention.keys);
    const double queries = (double)k->attention.heads * (double)k->attention.queries * wide * kernel_element_bytes(k);
    return (k->backward ? 2 : 1) * (double)k->attention.batch *
           (queries + key_heads * met * cached * kernel_key_bytes(k));
}

/* ---- experts ---- */

/* Products of one expert's matrices with one token. */
static double expert_weights(const struct kernel *k)
{
    return (double)k->experts.matrices * (double)k->experts.hidden * (double)k->experts.intermediate /
           (double)k->experts.tensor_parallel;
}

/* Where all are loaded alike. */
static double expert_pairs(const struct kernel *k)
{
    return (double)k->experts.tokens * (double)k->experts.topk / (double)k->experts.expert_parallel;
}

/* Experts here that any token comes to: all, or as many as there are pairs; by a skew all tokens may meet the same. */
static double experts_met(const struct kernel *k)
{
    const double held = (double)k->experts.experts / (double)k->experts.expert_parallel, pairs = expert_pairs(k),
                 most = pairs < held ? pairs : held, topk = (double)k->experts.topk;
    return k->experts.skew && topk < most ? topk : most;
}

/* The weights of these experts, once, and the tokens in and out. */
static double expert_bytes(const struct kernel *k)
{
    return experts_met(k) * expert_weights(k) * kernel_weight_bytes(k) +
           2 * (double)k->experts.tokens * (double)k->experts.hidden * kernel_element_bytes(k);
}

/* ---- recurrent layers ---- */

/* Of one step: what the last one handed on by all gates, and a projection. */
static double recurrent_weights(const struct kernel *k)
{
    const double units = (double)k->recurrent.units, width = (double)k->recurrent.width;
    return units * width * ((double)k->recurrent.gates + (k->recurrent.width < k->recurrent.units ? 1 : 0));
}

/* The weights once; of each step the gates' inputs and what it hands on, backward the gradients of both beside. */
static double recurrent_bytes(const struct kernel *k)
{
    const double rows = (double)k->recurrent.batch * (double)k->recurrent.steps,
                 row = (double)k->recurrent.gates * (double)k->recurrent.units + (double)k->recurrent.width;
    return kernel_element_bytes(k) * (recurrent_weights(k) + rows * row * (k->backward ? 2 : 1));
}

/* ---- all ---- */

double kernel_flops(const struct kernel *k)
{
    switch (k->form) {
    case FORM_BMM:
    case FORM_LINEAR:
        return 2 * (double)k->product.batch * (double)k->product.m * (double)k->product.reduced * (double)k->product.n;
    case FORM_CONVOLUTION:
        return 2 * outputs(k) * products_each(k);
    case FORM_ATTENTION:
        return attention_flops(k);
    case FORM_EXPERTS:
        return 2 * expert_pairs(k) * expert_weights(k);
    case FORM_RECURRENT:
        return 2 * (double)k->recurrent.batch * (double)k->recurrent.steps * recurrent_weights(k);
    default:
        return 0;
    }
}

/* The rows of a bag are read (backward: read, added to, written), a row a bag moves; an index of each, an offset a bag. */
static double lookup_bytes(const struct kernel *k)
{
    const double bags = (double)k->lookup.batch * (double)k->lookup.tables,
                 row = (double)k->lookup.width * kernel_element_bytes(k), index = 8;
    return bags * ((double)k->lookup.bag * (row * (k->backward ? 2 : 1) + index) + row + index);
}

static double product_bytes(const struct kernel *k)
{
    const double m = (double)k->product.m, reduced = (double)k->product.reduced, n = (double)k->product.n;
    return (double)k->product.batch *
           (kernel_element_bytes(k) * (m * reduced + m * n) + kernel_weight_bytes(k) * reduced * n);
}

/* Elements of what comes in; a gradient needs two such tensors. */
static double row_elements(const struct kernel *k)
{
    return (double)k->rows.rows * (double)k->rows.cols;
}

double kernel_bytes(const struct kernel *k)
{
    const double wide = kernel_element_bytes(k);
    switch (k->form) {
    case FORM_BMM:
    case FORM_LINEAR:
        return product_bytes(k);
    case FORM_CONVOLUTION:
        return wide * convolution_elements(k);
    case FORM_ATTENTION:
        return attention_bytes(k);
    case FORM_EXPERTS:
        return expert_bytes(k);
    case FORM_RECURRENT:
        return recurrent_bytes(k);
    case FORM_QUANTIZE:
        return (wide + 1) * (double)k->quantize.rows * (double)k->quantize.cols;
    case FORM_ELEMENTWISE:
        return wide * (double)k->elements.rows * (double)k->elements.cols * (double)k->elements.accesses;
    case FORM_SOFTMAX:
    case FORM_LAYER_NORM:
        return wide * row_elements(k) * (k->backward ? 3 : 2);
    case FORM_DROPOUT:
        return (2 * wide + 1) * row_elements(k);
    case FORM_BATCH_NORM:
        return wide * (double)k->norm.batch * (double)k->norm.channels * (double)k->norm.positions *
               (k->backward ? 3 : 2);
    case FORM_POOLING:
        return wide * (double)k->pooling.planes * ((double)k->pooling.in + (double)k->pooling.out);
    case FORM_REDUCTION:
        return wide * (row_elements(k) + (double)k->rows.rows);
    case FORM_EMBEDDING:
        return lookup_bytes(k);
    case FORM_TRANSPOSE:
        return 2 * wide * (double)k->transpose.batch * (double)k->transpose.rows * (double)k->transpose.cols;
    case FORM_INDEX:
        return (double)k->index.read + (double)k->index.written;
    case FORM_CONCAT:
        return 2 * (double)k->concat.written;
    case FORM_COPY:
        return 2 * (double)k->moved.bytes;
    case FORM_OPTIMIZER:
        return wide * (double)k->optimizer.parameters * (3 + 2 * (double)k->optimizer.states);
    case FORM_COLLECTIVE:
        return (double)k->collective.bytes;
    case FORM_ITERATION:
        return (double)k->iteration.hidden;
    default:
        return (double)k->moved.bytes;
    }
}
