/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of an operator of a list (graph/operator_list.h). */
#ifndef PREDICT_LIST_KERNEL_H
#define PREDICT_LIST_KERNEL_H

#include "graph/operator_list.h"
#include "model/kernel.h"

/*
 * As it runs inside a model, not alone; fp32, as lists have it. form is FORMS where the operator costs nothing (a
 * tensor of one element handed on). An operator of no known word becomes FORM_BYTES over its tensors. NULL, or what is
 * wrong, in words.
 */
const char *kernel_of_list_row(const struct list_row *row, struct kernel *kernel);

#endif
