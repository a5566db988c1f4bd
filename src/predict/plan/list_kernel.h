/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of operators of a list (program/operator_list.h), as they run inside
 * a model, in fp32, as lists have them.
 *
 * Lists spell a gradient as the forward operators that move as much; what it
 * really launches follows from the forward operator of its node, which stands
 * before it: the gradient of a sum is handed on, that of a table of embeddings is
 * filled with zeros, that of a layer norm is a kernel of its own. A scalar that is
 * divided by wants no gradient, nor does the constant that a mask puts in the place
 * of values; that of a dropout goes by its mask, as numbers: 25 bytes an element in
 * two kernels, as autograd does what could be differentiated again. (These three
 * follow PyTorch's code; they were looked up where measured operators of A100 and
 * V100 were longer or shorter than the rows say.)
 */
#ifndef PREDICT_LIST_KERNEL_H
#define PREDICT_LIST_KERNEL_H

#include "program/operator_list.h"
#include "ops/operators/kernel.h"

enum { LIST_NODE_BYTES = 64 };

/* What the rows of one node share; zeroed before the first row of a list. */
struct list_node {
    char node[LIST_NODE_BYTES]; /* as written; "" where it is longer */
    size_t node_len;
    bool adds, norm, hands_on, drops, divides, picks; /* of its forward operator */
    uint32_t gradients;                               /* rows of its backward so far */
    int64_t elements;                                 /* of its forward result; 0: its forward row was not seen */
};

/*
 * form is FORMS where the operator launches nothing. An operator of no known word becomes FORM_BYTES over its tensors.
 * NULL, or what is wrong, in words. Rows are given in the order of the list.
 */
const char *kernel_of_list_row(struct list_node *node, const struct list_row *row, struct kernel *kernel);

#endif
