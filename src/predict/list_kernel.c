/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/list_kernel.h"

#include "model/table.h"

enum { FP32_BYTES = 4 };

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Bytes of all tensors of the row; INT64_MAX where they do not fit. */
static int64_t bytes_of(const struct list_row *row)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < row->tensors; i++) {
        int64_t own;
        if (__builtin_mul_overflow(row->elements[i], FP32_BYTES, &own) || __builtin_add_overflow(bytes, own, &bytes))
            return INT64_MAX;
    }
    return bytes;
}

/*
 * What is read and what is written: the tensors before the last, and the last. Of a gradient just one is given, which
 * is read and written. Indexing with a scalar hands on what lies in host memory.
 */
static const char *copy_of(const struct list_row *row, struct kernel *kernel)
{
    int64_t read = 0;
    const int64_t written = row->elements[row->tensors - 1];
    for (uint32_t i = 0; i + 1 < row->tensors; i++)
        read = most(read, row->elements[i]);
    if (most(read, written) == 1) {
        kernel->form = FORMS;
        return NULL;
    }
    *kernel = (struct kernel){.form = FORM_INDEX, .dtype = DTYPE_F32};
    /* A gather reads from a large tensor what it writes; an expansion writes more than it reads. */
    read = read && read < written ? read : written;
    if (__builtin_mul_overflow(read, FP32_BYTES, &kernel->size[0]) ||
        __builtin_mul_overflow(written, FP32_BYTES, &kernel->size[1]))
        return "its bytes are too many";
    return kernel_check(kernel);
}

/*
 * "linear" is written as tokens x in x out, the form has a batch before. Backward operators are listed as the forward
 * ones that they equal: the two products of a linear's gradient, a softmax's as what it multiplies.
 */
static const char *known_op(const struct list_row *row, struct kernel *kernel)
{
    const bool linear = str_eq(row->op, S("linear")) && row->sizes == 3;
    int64_t sizes[LIST_SIZES + 1] = {1};
    memcpy(sizes + (linear ? 1 : 0), row->size, row->sizes * sizeof *sizes);
    return kernel_of_op(row->op, sizes, row->sizes + (linear ? 1 : 0), kernel);
}

const char *kernel_of_list_row(const struct list_row *row, struct kernel *kernel)
{
    if (str_eq(row->op, S("copy")))
        return copy_of(row, kernel);
    if (op_word_known(row->op))
        return known_op(row, kernel);
    *kernel = (struct kernel){.form = FORM_BYTES, .size = {bytes_of(row), 1}};
    return kernel->size[0] < INT64_MAX ? kernel_check(kernel) : "its bytes are too many";
}
