/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least work of a kernel by definition: multiplications and additions, and
 * every tensor read or written once. Doubles, so that no product overflows.
 */
#include "kernel.h"

static double element(const struct kernel *kernel)
{
    const int64_t bytes = dtype_bytes(kernel->dtype);
    return bytes ? (double)bytes : 4;
}

static double size(const struct kernel *kernel, uint32_t i)
{
    return (double)kernel->size[i];
}

/* size[from] x ... x size[to] */
static double product(const struct kernel *kernel, uint32_t from, uint32_t to)
{
    double product = 1;
    for (uint32_t i = from; i <= to; i++)
        product *= size(kernel, i);
    return product;
}

/* ---- convolution: batch, in, out, kernel_h, kernel_w, height, width, stride, padding, groups ---- */

static double positions(const struct kernel *k, double extent, double window)
{
    const double room = extent + 2 * size(k, 8) - window;
    return room < 0 ? 1 : (double)(int64_t)(room / size(k, 7)) + 1;
}

static double outputs(const struct kernel *k)
{
    return size(k, 0) * size(k, 2) * positions(k, size(k, 5), size(k, 3)) * positions(k, size(k, 6), size(k, 4));
}

static double convolution_flops(const struct kernel *k)
{
    return 2 * outputs(k) * size(k, 1) / size(k, 9) * size(k, 3) * size(k, 4);
}

static double convolution_elements(const struct kernel *k)
{
    const double inputs = size(k, 0) * size(k, 1) * size(k, 5) * size(k, 6);
    return inputs + outputs(k) + size(k, 2) * size(k, 1) / size(k, 9) * size(k, 3) * size(k, 4);
}

/* ---- attention: batch, heads, queries, keys, width, causal ---- */

/* Forward Q K^T and P V; backward Q K^T again, dV, dP, dQ, dK: as torch.utils.flop_counter counts. */
static double attention_flops(const struct kernel *k)
{
    const double pair = 2 * product(k, 0, 4) * (k->backward ? 5 : 2);
    return k->size[5] && k->size[2] == k->size[3] ? pair / 2 : pair;
}

static double attention_elements(const struct kernel *k)
{
    const double rows = size(k, 0) * size(k, 1) * size(k, 4);
    return (k->backward ? 4 : 2) * rows * (size(k, 2) + size(k, 3));
}

/* ---- the rest ---- */

/* Operations an element, counted from the definitions of doc/models.md. */
static double operations(const struct kernel *k)
{
    switch (k->form) {
    case FORM_SOFTMAX:
        return k->backward ? 4 : 5;
    case FORM_LAYER_NORM:
    case FORM_BATCH_NORM:
        return k->backward ? 13 : 8;
    case FORM_DROPOUT:
        return 2;
    default:
        return 1;
    }
}

double kernel_flops(const struct kernel *k)
{
    switch (k->form) {
    case FORM_BMM:
    case FORM_LINEAR:
        return 2 * product(k, 0, 3);
    case FORM_CONVOLUTION:
        return convolution_flops(k);
    case FORM_ATTENTION:
        return attention_flops(k);
    case FORM_ELEMENTWISE:
    case FORM_REDUCTION:
    case FORM_SOFTMAX:
    case FORM_LAYER_NORM:
    case FORM_DROPOUT:
        return operations(k) * product(k, 0, 1);
    case FORM_BATCH_NORM:
        return operations(k) * product(k, 0, 2);
    case FORM_POOLING:
        return size(k, 0) * size(k, 2) * size(k, 3);
    case FORM_EMBEDDING:
        return size(k, 0) * size(k, 1) * size(k, 3) * size(k, 4);
    case FORM_OPTIMIZER:
        return size(k, 0) * (2 + 6 * size(k, 1));
    case FORM_BYTES:
        return size(k, 1) - 1;
    default:
        return 0;
    }
}

/* batch, tables, rows, bag, width: the rows of a bag are read (backward: read, added to, written), a row a bag moves. */
static double embedding_bytes(const struct kernel *k)
{
    const double bags = product(k, 0, 1), row = size(k, 4) * element(k), index = 8;
    return bags * (size(k, 3) * (row * (k->backward ? 2 : 1) + index) + row + index);
}

double kernel_bytes(const struct kernel *k)
{
    const double wide = element(k);
    switch (k->form) {
    case FORM_BMM:
    case FORM_LINEAR:
        return wide * size(k, 0) * (size(k, 1) * size(k, 2) + size(k, 2) * size(k, 3) + size(k, 1) * size(k, 3));
    case FORM_CONVOLUTION:
        return wide * convolution_elements(k);
    case FORM_ATTENTION:
        return wide * attention_elements(k);
    case FORM_ELEMENTWISE:
        return wide * product(k, 0, 2);
    case FORM_SOFTMAX:
    case FORM_LAYER_NORM:
        return wide * product(k, 0, 1) * (k->backward ? 3 : 2);
    case FORM_DROPOUT:
        return (2 * wide + 1) * product(k, 0, 1);
    case FORM_BATCH_NORM:
        return wide * product(k, 0, 2) * (k->backward ? 3 : 2);
    case FORM_POOLING:
        return wide * size(k, 0) * (size(k, 1) + size(k, 2));
    case FORM_REDUCTION:
        return wide * (product(k, 0, 1) + size(k, 0));
    case FORM_EMBEDDING:
        return embedding_bytes(k);
    case FORM_TRANSPOSE:
        return 2 * wide * product(k, 0, 2);
    case FORM_INDEX:
        return size(k, 0) + size(k, 1);
    case FORM_CONCAT:
    case FORM_COPY:
        return 2 * size(k, 0);
    case FORM_OPTIMIZER:
        return wide * size(k, 0) * (3 + 2 * size(k, 1));
    case FORM_COLLECTIVE:
        return size(k, 1);
    default:
        return size(k, 0);
    }
}
