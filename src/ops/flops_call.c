/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a call, and figures that stay unknown once a part of them is. */
#include "flops_formula.h"

enum dtype call_dtype(const struct op_call *call, uint32_t i)
{
    if (i >= call->types.count)
        return DTYPE_UNKNOWN;
    return dtype_of_word(call->types.at[i]);
}

/* [] is a scalar tensor where a type stands beside it; without one it is whatever is no tensor. */
bool call_has(const struct op_call *call, uint32_t i)
{
    if (i >= call->shape.count)
        return false;
    const struct shape_argument *argument = &call->shape.arguments[i];
    if (argument->list)
        return true;
    const enum dtype dtype = call_dtype(call, i);
    return dtype != DTYPE_NONE && (argument->tensors[0].rank > 0 || dtype != DTYPE_UNKNOWN);
}

struct tensor_dims call_dims(const struct op_call *call, uint32_t i)
{
    if (i >= call->shape.count || call->shape.arguments[i].list)
        return (struct tensor_dims){NULL, 0};
    return call->shape.arguments[i].tensors[0];
}

bool call_boolean(const struct op_call *call, uint32_t i, bool *flag)
{
    const str text = text_list_at(&call->values, i);
    *flag = str_eq(text, S("True")) || str_eq(text, S("true")) || str_eq(text, S("1"));
    return *flag || str_eq(text, S("False")) || str_eq(text, S("false")) || str_eq(text, S("0"));
}

bool call_integer(const struct op_call *call, uint32_t i, int64_t *value)
{
    return str_int(text_list_at(&call->values, i), value);
}

bool call_sizes(const struct op_call *call, uint32_t i, uint32_t rank, int64_t *sizes)
{
    const str text = text_list_at(&call->values, i);
    const uint32_t count = integers_parse(text, sizes, rank);
    if (count == 1)
        for (uint32_t k = 1; k < rank; k++)
            sizes[k] = sizes[0];
    return count == rank || count == 1;
}

int64_t figure_product(int64_t a, int64_t b)
{
    int64_t product;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

int64_t figure_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

int64_t figure_bytes(int64_t elements, enum dtype dtype)
{
    if (dtype == DTYPE_NONE)
        return 0;
    return dtype == DTYPE_UNKNOWN ? -1 : figure_product(elements, dtype_bytes(dtype));
}

int64_t call_elements(const struct op_call *call, uint32_t i)
{
    if (!call_has(call, i))
        return -1;
    const struct shape_argument *argument = &call->shape.arguments[i];
    int64_t elements = 0;
    for (uint32_t k = 0; k < argument->count; k++)
        elements = figure_sum(elements, dims_elements(argument->tensors[k]));
    return elements;
}

int64_t call_bytes(const struct op_call *call, uint32_t i)
{
    return call_has(call, i) ? figure_bytes(call_elements(call, i), call_dtype(call, i)) : -1;
}

/* The recorded strides of a tensor; rank 0 where there are none that fit it. */
static struct tensor_dims call_strides(const struct op_call *call, uint32_t i, uint32_t rank)
{
    const struct tensor_dims none = {NULL, 0};
    if (i >= call->strides.count || call->strides.arguments[i].list)
        return none;
    const struct tensor_dims strides = call->strides.arguments[i].tensors[0];
    return strides.rank == rank ? strides : none;
}

int64_t call_stored_bytes(const struct op_call *call, uint32_t i)
{
    const struct tensor_dims dims = call_dims(call, i), strides = call_strides(call, i, dims.rank);
    if (!strides.rank)
        return call_bytes(call, i);
    int64_t elements = 1;
    for (uint32_t d = 0; d < dims.rank; d++)
        elements = figure_product(elements, strides.at[d] || !dims.at[d] ? dims.at[d] : 1);
    return figure_bytes(elements, call_dtype(call, i));
}
