/* SPDX-License-Identifier: Apache-2.0 */
#include "table_forms.h"

#include "table.h"

/* The columns of a form's sizes, in the order of kernel.h. Iterations and collectives have tables of their own. */
static const char *const names[FORMS][KERNEL_SIZES] = {
    [FORM_BMM] = {"b", "m", "n", "k"},
    [FORM_LINEAR] = {"b", "m", "n", "k"},
    [FORM_CONVOLUTION] = {"batch", "in", "out", "kernel_h", "kernel_w", "height", "width", "stride", "padding",
                          "groups"},
    [FORM_ELEMENTWISE] = {"rows", "cols", "accesses"},
    [FORM_SOFTMAX] = {"rows", "cols"},
    [FORM_LAYER_NORM] = {"rows", "cols"},
    [FORM_DROPOUT] = {"rows", "cols"},
    [FORM_BATCH_NORM] = {"batch", "channels", "positions"},
    [FORM_POOLING] = {"channels", "positions_in", "positions_out", "window"},
    [FORM_REDUCTION] = {"rows", "cols"},
    [FORM_EMBEDDING] = {"batch", "tables", "rows", "bag", "width"},
    [FORM_TRANSPOSE] = {"batch", "rows", "cols"},
    [FORM_INDEX] = {"bytes_read", "bytes_written"},
    [FORM_CONCAT] = {"bytes_written", "parts"},
    [FORM_COPY] = {"bytes"},
    [FORM_FILL] = {"bytes"},
    [FORM_HOST_COPY] = {"bytes", "pinned"},
    [FORM_OPTIMIZER] = {"parameters", "states"},
    [FORM_ATTENTION] = {"batch", "heads", "queries", "keys", "width", "causal"},
};

bool form_columns_find(const struct csv_row *header, struct form_columns *columns)
{
    columns->op = csv_column(header, S("op"));
    columns->device = csv_column(header, S("device"));
    columns->us = csv_column(header, S("latency_us"));
    columns->form = csv_column(header, S("form"));
    columns->dtype = csv_column(header, S("dtype"));
    columns->backward = csv_column(header, S("backward"));
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < KERNEL_SIZES; i++)
            columns->sizes[form][i] = names[form][i] ? csv_column(header, str_of(names[form][i])) : UINT32_MAX;
    return columns->form != UINT32_MAX;
}

bool form_columns_named(const struct form_columns *columns, const struct csv_row *fields)
{
    return columns->form != UINT32_MAX && str_trim(csv_field(fields, columns->form)).len > 0;
}

/* No word: single precision, as in the other tables. */
static bool dtype_of(str word, enum dtype *dtype)
{
    *dtype = DTYPE_F32;
    for (int i = 0; word.len && i < DTYPES; i++) {
        if (!str_eq(word, dtype_word((enum dtype)i)))
            continue;
        *dtype = (enum dtype)i;
        return dtype_bytes(*dtype) > 0;
    }
    return !word.len;
}

/* "gelu_bf16": "gelu". */
static str without_dtype(str op, enum dtype dtype)
{
    const str word = dtype_word(dtype);
    const bool ends = str_ends(op, word) && op.len > word.len && op.at[op.len - word.len - 1] == '_';
    return ends ? (str){op.at, op.len - word.len - 1} : op;
}

/* An element-wise operator that the other tables know is the same here. Its text is constant. */
static str variant_of(str op, const struct kernel *kernel)
{
    struct kernel known;
    const bool same = kernel->form == FORM_ELEMENTWISE &&
                      !kernel_of_op(without_dtype(op, kernel->dtype), kernel->size, 2, &known) &&
                      known.form == FORM_ELEMENTWISE;
    return same ? known.variant : S("");
}

static const char *read_sizes(const uint32_t *columns, const struct csv_row *fields, struct kernel *kernel)
{
    for (uint32_t i = 0; i < kernel_form_sizes(kernel->form); i++) {
        if (columns[i] == UINT32_MAX)
            return "the table lacks a size of its form";
        if (!str_int(str_trim(csv_field(fields, columns[i])), &kernel->size[i]))
            return "a size is not a whole number";
    }
    return kernel_check(kernel);
}

const char *form_columns_kernel(const struct form_columns *columns, const struct csv_row *fields, struct kernel *kernel)
{
    *kernel = (struct kernel){.variant = S("")};
    if (!kernel_form_of_word(str_trim(csv_field(fields, columns->form)), &kernel->form))
        return "a form of no known word";
    if (!dtype_of(str_trim(csv_field(fields, columns->dtype)), &kernel->dtype))
        return "an element type of no known word";
    kernel->backward = str_eq(str_trim(csv_field(fields, columns->backward)), S("1"));
    const char *problem = read_sizes(columns->sizes[kernel->form], fields, kernel);
    kernel->variant = variant_of(csv_field(fields, columns->op), kernel);
    return problem;
}
