/* SPDX-License-Identifier: Apache-2.0 */
#include "table_forms.h"

#include <stddef.h>

#include "table.h"
#include "text/suggest.h"

/* Its own column, or one that stands for several sizes. */
static uint32_t column_of(const struct csv_row *header, const struct form_size *size)
{
    const uint32_t own = csv_column(header, str_of(size->name));
    return own == UINT32_MAX && size->shared ? csv_column(header, str_of(size->shared)) : own;
}

bool form_columns_find(const struct csv_row *header, struct form_columns *columns)
{
    columns->op = csv_column(header, S("op"));
    columns->device = csv_column(header, S("device"));
    columns->us = csv_column(header, S("latency_us"));
    columns->form = csv_column(header, S("form"));
    columns->dtype = csv_column(header, S("dtype"));
    columns->backward = csv_column(header, S("backward"));
    columns->key_dtype = csv_column(header, S("kv_dtype"));
    columns->format = csv_column(header, S("format"));
    columns->past = csv_column(header, S("past_len"));
    columns->backend = csv_column(header, S("kernel"));
    for (int form = 0; form < FORMS; form++) {
        const struct form_sizes sizes = form_sizes_of((enum kernel_form)form);
        for (uint32_t i = 0; i < sizes.count; i++)
            columns->sizes[form][i] = column_of(header, &sizes.at[i]);
    }
    return columns->form != UINT32_MAX;
}

/* ---- columns that nearly have the name of one ---- */

static const char *const settings[] = {"form",   "dtype",   "backward",        "kv_dtype", "past_len", "format",
                                       "queued", "library", "library_version", "kernel",   "busy_us"};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool has_column(const struct csv_row *header, const char *name)
{
    return csv_column(header, str_of(name)) != UINT32_MAX;
}

/* What the table might hold and does not. Either name of a size will do. */
static void offer_absent(const struct csv_row *header, struct suggestion *suggestion)
{
    for (int i = 0; i < SETTINGS; i++)
        if (!has_column(header, settings[i]))
            suggest_offer(suggestion, str_of(settings[i]));
    for (int form = 0; form < FORMS; form++) {
        const struct form_sizes sizes = form_sizes_of((enum kernel_form)form);
        for (uint32_t i = 0; i < sizes.count; i++) {
            const struct form_size *size = &sizes.at[i];
            if (!size->optional || column_of(header, size) != UINT32_MAX)
                continue;
            suggest_offer(suggestion, str_of(size->name));
            if (size->shared)
                suggest_offer(suggestion, str_of(size->shared));
        }
    }
}

/* Columns of a measurement that nothing is read of (bench/gpu writes them), and that are no mistaken others. */
static bool is_beside(str column)
{
    return str_eq(column, S("kernel_us")) || str_eq(column, S("queued_us"));
}

static bool is_read(str column)
{
    for (int i = 0; i < SETTINGS; i++)
        if (str_eq(column, str_of(settings[i])))
            return true;
    for (int form = 0; form < FORMS; form++) {
        const struct form_sizes sizes = form_sizes_of((enum kernel_form)form);
        for (uint32_t i = 0; i < sizes.count; i++)
            if (str_eq(column, str_of(sizes.at[i].name)) ||
                (sizes.at[i].shared && str_eq(column, str_of(sizes.at[i].shared))))
                return true;
    }
    return false;
}

bool form_columns_mistaken(const struct csv_row *header, str *column, str *meant)
{
    for (uint32_t i = 0; i < header->count; i++) {
        *column = str_trim(csv_field(header, i));
        struct suggestion suggestion = suggest(*column);
        if (!column->len || is_read(*column) || is_beside(*column))
            continue;
        offer_absent(header, &suggestion);
        *meant = suggestion.best;
        if (suggest_found(&suggestion))
            return true;
    }
    return false;
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
    const int64_t sizes[] = {kernel->elements.rows, kernel->elements.cols};
    const bool same = kernel->form == FORM_ELEMENTWISE &&
                      !kernel_of_op(without_dtype(op, kernel->dtype), sizes, 2, &known) &&
                      known.form == FORM_ELEMENTWISE;
    return same ? known.variant : S("");
}

static const char *read_size(const struct form_size *size, uint32_t column, const struct csv_row *fields,
                             struct kernel *kernel)
{
    const str field = column == UINT32_MAX ? S("") : str_trim(csv_field(fields, column));
    int64_t value = size->otherwise;
    if (column == UINT32_MAX && !size->optional)
        return "the table lacks a size of its form";
    if (!(size->optional && !field.len) && !str_int(field, &value))
        return "a size is not a whole number";
    kernel_set_size(kernel, size, value);
    return NULL;
}

/* In the place of all keys a table may say how many there were before the queries. */
static const char *read_past(const struct form_columns *columns, const struct csv_row *fields, struct kernel *kernel)
{
    int64_t past;
    if (!str_int(str_trim(csv_field(fields, columns->past)), &past) || past < 0 || past > INT32_MAX)
        return "past_len is no count of keys";
    kernel->attention.keys = past + kernel->attention.queries;
    return NULL;
}

static const char *read_sizes(const struct form_columns *columns, const struct csv_row *fields, struct kernel *kernel)
{
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    const bool past = kernel->form == FORM_ATTENTION && columns->past != UINT32_MAX;
    for (uint32_t i = 0; i < sizes.count; i++) {
        const uint32_t column = columns->sizes[kernel->form][i];
        const bool keys = sizes.at[i].offset == offsetof(struct kernel, attention.keys);
        const char *problem = past && keys && column == UINT32_MAX ? read_past(columns, fields, kernel)
                                                                   : read_size(&sizes.at[i], column, fields, kernel);
        if (problem)
            return problem;
    }
    return kernel_check(kernel);
}

/* Of the types and formats that a row names; columns that are not there say nothing. */
static const char *read_types(const struct form_columns *columns, const struct csv_row *fields, struct kernel *kernel)
{
    const str keys = str_trim(csv_field(fields, columns->key_dtype));
    if (!dtype_of(str_trim(csv_field(fields, columns->dtype)), &kernel->dtype) || !dtype_of(keys, &kernel->key_dtype))
        return "no such element type (fp32, tf32, fp16, bf16, fp8, int8 ...); operands of 4 bits are named in format";
    kernel->key_dtype = keys.len ? kernel->key_dtype : DTYPE_UNKNOWN;
    return format_of_word(str_trim(csv_field(fields, columns->format)), &kernel->format)
               ? NULL
               : "no such format (w8a8_fp8, w8a8_fp8_block, w4a4_fp4, w8a8_int8, w8a16_int8, w4a16_int4, w4a16_mxfp4, "
                 "w4a8_mxfp4)";
}

static bool says_something(str field)
{
    field = str_trim(field);
    return field.len && !str_eq(field, S("0"));
}

static bool is_size_of(const struct form_columns *columns, enum kernel_form form, uint32_t column)
{
    const uint32_t sizes = form_sizes_of(form).count;
    uint32_t i = 0;
    while (i < sizes && columns->sizes[form][i] != column)
        i++;
    return i < sizes;
}

/* What would be passed over of another form is refused. A column that both read (the window of a pooling) is not. */
static bool tells_of_attention(const struct form_columns *columns, const struct csv_row *fields, enum kernel_form form)
{
    const struct form_sizes sizes = form_sizes_of(FORM_ATTENTION);
    bool tells =
        says_something(csv_field(fields, columns->key_dtype)) || says_something(csv_field(fields, columns->past));
    for (uint32_t i = 0; i < sizes.count; i++) {
        const uint32_t column = columns->sizes[FORM_ATTENTION][i];
        if (sizes.at[i].optional && !is_size_of(columns, form, column))
            tells |= says_something(csv_field(fields, column));
    }
    return tells;
}

const char *form_columns_kernel(const struct form_columns *columns, const struct csv_row *fields, struct kernel *kernel)
{
    *kernel = (struct kernel){.variant = S("")};
    if (!kernel_form_of_word(str_trim(csv_field(fields, columns->form)), &kernel->form))
        return "no such form: doc/models.md lists them";
    const char *problem = read_types(columns, fields, kernel);
    if (problem)
        return problem;
    if (kernel->form != FORM_ATTENTION && tells_of_attention(columns, fields, kernel->form))
        return "kv_heads, kv_dtype, window, past_len, value_width and latent are read of attention alone";
    kernel->backend = backend_of_name(str_trim(csv_field(fields, columns->backend)));
    kernel->backward = str_eq(str_trim(csv_field(fields, columns->backward)), S("1"));
    problem = read_sizes(columns, fields, kernel);
    kernel->variant = variant_of(csv_field(fields, columns->op), kernel);
    return problem;
}
