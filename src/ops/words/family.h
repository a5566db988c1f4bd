/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator is for, by its name: "aten::addmm" and "AddmmBackward0" are
 * products of matrices, "aten::cudnn_batch_norm" a norm. One table of patterns,
 * old names and backward variants included.
 */
#ifndef OPS_FAMILY_H
#define OPS_FAMILY_H

#include "base/str.h"

enum family {
    FAMILY_GEMM,
    FAMILY_BMM,
    FAMILY_CONVOLUTION,
    FAMILY_ATTENTION,
    FAMILY_EMBEDDING,
    FAMILY_NORM,
    FAMILY_SOFTMAX,
    FAMILY_ELEMENTWISE,
    FAMILY_REDUCTION,
    FAMILY_INDEX,
    FAMILY_LAYOUT, /* cat, split, pad, transposed copies, views */
    FAMILY_POOLING,
    FAMILY_LOSS,
    FAMILY_RANDOM,
    FAMILY_OPTIMIZER,
    FAMILY_COMMUNICATION,
    FAMILY_COPY,   /* between types, devices, places */
    FAMILY_MEMORY, /* creation, allocation, filling */
    FAMILY_OTHER,
    FAMILIES,
};

str family_word(enum family family);
enum family family_of_name(str name);

/* Products: gemm, bmm, convolution, attention. Their arithmetic is what matrix units do. */
static inline bool family_is_matrix(enum family family)
{
    return family <= FAMILY_ATTENTION;
}

#endif
