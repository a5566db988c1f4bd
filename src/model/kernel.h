/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel as its time model sees it: the form, which says what its time depends
 * on, and the sizes of that form. Sizes are positive; a zero or an overflow is
 * found by kernel_check and named, never predicted.
 *
 *     form                     sizes, in this order
 *     FORM_BMM, FORM_LINEAR    batch, m, n, k: C[m x k] = A[m x n] B[n x k], so n is the reduction (the
 *                              order of the public tables, see doc/models.md)
 *     FORM_CONVOLUTION         batch, in, out, kernel_h, kernel_w, height, width, stride, padding, groups
 *     FORM_ELEMENTWISE         rows, cols, accesses (tensors read and written, each rows x cols)
 *     FORM_SOFTMAX, _LAYER_NORM, _DROPOUT   rows, cols
 *     FORM_BATCH_NORM          batch, channels, positions
 *     FORM_POOLING             batch x channels, positions in, positions out, window
 *     FORM_REDUCTION           rows, cols (cols are reduced)
 *     FORM_EMBEDDING           batch, tables, rows, bag, width
 *     FORM_TRANSPOSE           batch, rows, cols
 *     FORM_INDEX               bytes read, bytes written (gather, scatter, tril, sort)
 *     FORM_CONCAT              bytes written, parts
 *     FORM_COPY, FORM_FILL     bytes (on the device)
 *     FORM_HOST_COPY           bytes, pinned (1, 0)
 *     FORM_OPTIMIZER           parameters, states (0 SGD, 1 momentum, 2 Adam)
 *     FORM_ATTENTION           batch, heads, queries, keys, width, causal
 *     FORM_COLLECTIVE          enum collective_kind + 1, bytes, ranks, ranks of a server
 *     FORM_ITERATION           hidden, heads, layers, sequence, micro-batch, global batch, tensor, data, pipeline (ranks)
 *     FORM_BYTES               bytes read and written, flops + 1: whatever has no form of its own
 */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "ops/dtype.h"

enum kernel_form {
    FORM_BMM,
    FORM_LINEAR,
    FORM_CONVOLUTION,
    FORM_ELEMENTWISE,
    FORM_SOFTMAX,
    FORM_LAYER_NORM,
    FORM_DROPOUT,
    FORM_BATCH_NORM,
    FORM_POOLING,
    FORM_REDUCTION,
    FORM_EMBEDDING,
    FORM_TRANSPOSE,
    FORM_INDEX,
    FORM_CONCAT,
    FORM_COPY,
    FORM_FILL,
    FORM_HOST_COPY,
    FORM_OPTIMIZER,
    FORM_ATTENTION,
    FORM_COLLECTIVE,
    FORM_ITERATION,
    FORM_BYTES,
    FORMS,
};

enum { KERNEL_SIZES = 10 };

struct kernel {
    enum kernel_form form;
    bool backward;
    bool
        alone; /* launched and timed by itself, as the public tables are: launch cost included. Inside a model: false */
    enum dtype dtype; /* DTYPE_UNKNOWN counts as fp32 */
    str variant;      /* finer than the form: "gelu", "addu"; "" where none is known */
    int64_t size[KERNEL_SIZES];
};

str kernel_form_word(enum kernel_form form); /* "bmm" */
bool kernel_form_of_word(str word, enum kernel_form *form);
uint32_t kernel_form_sizes(enum kernel_form form); /* how many of size[] it has */

/* NULL where every size is positive and FLOPs and bytes fit; else what is wrong, in words: "k is 0". */
const char *kernel_check(const struct kernel *kernel);

/* Least work by definition (doc/models.md); exact products in double, so they never overflow. */
double kernel_flops(const struct kernel *kernel);
double kernel_bytes(const struct kernel *kernel);

#endif
