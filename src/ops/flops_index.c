/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move rows: lookups, gathers, concatenation, pooling. Arithmetic only where rows are summed. */
#include "flops_formula.h"

/* weight [E, D]: each index fetches a row of D and writes it. */
struct op_cost cost_embedding(const struct op_call *call, const struct op_variant *v)
{
    const struct tensor_dims weight = call_dims(call, (uint32_t)v->a);
    if (weight.rank != 2 || !call_has(call, (uint32_t)v->b))
        return no_cost();
    const enum dtype dtype = call_dtype(call, (uint32_t)v->a);
    const int64_t row = figure_bytes(weight.at[1], dtype), rows = call_elements(call, (uint32_t)v->b);
    const int64_t moved = figure_product(2, figure_product(rows, row));
    return (struct op_cost){0, figure_sum(moved, call_bytes(call, (uint32_t)v->b)), dtype, false};
}

/* Rows of a bag are added: D a row. Read are the rows, indices and offsets, written a row a bag. */
struct op_cost cost_embedding_bag(const struct op_call *call, const struct op_variant *v)
{
    (void)v;
    const struct tensor_dims weight = call_dims(call, 0);
    if (weight.rank != 2 || !call_has(call, 1) || !call_has(call, 2))
        return no_cost();
    const enum dtype dtype = call_dtype(call, 0);
    const int64_t rows = call_elements(call, 1), row = figure_bytes(weight.at[1], dtype);
    int64_t bags = call_elements(call, 2);
    bool last_offset = false;
    call_boolean(call, 7, &last_offset);
    if (last_offset && bags > 0)
        bags--;
    int64_t bytes = figure_product(figure_sum(rows, bags), row);
    bytes = figure_sum(bytes, figure_sum(call_bytes(call, 1), call_bytes(call, 2)));
    return (struct op_cost){figure_product(rows, weight.at[1]), bytes, dtype, false};
}

/* A dense gradient [E, D] is written whole; each row of the incoming gradient is added into it. */
struct op_cost cost_embedding_backward(const struct op_call *call, const struct op_variant *v)
{
    const struct tensor_dims gradient = call_dims(call, (uint32_t)v->a);
    if (gradient.rank < 1 || !call_has(call, (uint32_t)v->b))
        return no_cost();
    const enum dtype dtype = call_dtype(call, (uint32_t)v->a);
    const int64_t depth = gradient.at[gradient.rank - 1], rows = call_elements(call, (uint32_t)v->b);
    int64_t table = -1;
    call_integer(call, (uint32_t)v->c, &table);
    int64_t bytes = figure_product(figure_sum(rows, table), figure_bytes(depth, dtype));
    bytes = figure_sum(bytes, call_bytes(call, (uint32_t)v->b));
    return (struct op_cost){figure_product(rows, depth), bytes, dtype, false};
}

/* An element read and written for each index. The index is often a column expanded over the rest of the shape. */
struct op_cost cost_gather(const struct op_call *call, const struct op_variant *v)
{
    if (!call_has(call, (uint32_t)v->a) || !call_has(call, (uint32_t)v->b))
        return no_cost();
    const enum dtype dtype = call_dtype(call, (uint32_t)v->a);
    const int64_t moved = figure_product(2, figure_bytes(call_elements(call, (uint32_t)v->b), dtype));
    return (struct op_cost){0, figure_sum(moved, call_stored_bytes(call, (uint32_t)v->b)), dtype, false};
}

/* The profiler writes no types inside a list, so the traffic is known only where it does. */
struct op_cost cost_cat(const struct op_call *call, const struct op_variant *v)
{
    (void)v;
    if (!call->shape.count || !call->shape.arguments[0].list)
        return no_cost();
    return (struct op_cost){0, figure_product(2, call_bytes(call, 0)), call_dtype(call, 0), false};
}

/* Places of a window along one dimension; -1 where there are none. */
static int64_t windows(int64_t size, int64_t kernel, int64_t stride, int64_t padding)
{
    const int64_t most = (int64_t)1 << 31;
    if (stride < 1 || padding < 0 || kernel < 1 || size > most || padding > most || kernel > most)
        return -1;
    const int64_t room = size + 2 * padding - kernel;
    return room < 0 ? -1 : room / stride + 1;
}

/*
 * input, kernel_size, stride, padding: each output compares or adds a whole window. An empty stride is the kernel's
 * size. ceil_mode and dilation, which change the output by a row at most, are left out.
 */
struct op_cost cost_pool(const struct op_call *call, const struct op_variant *v)
{
    const struct tensor_dims input = call_dims(call, 0);
    int64_t kernel[2], stride[2], padding[2];
    if (input.rank != 4 || !call_sizes(call, 1, 2, kernel) || !call_sizes(call, 3, 2, padding))
        return no_cost();
    if (!call_sizes(call, 2, 2, stride)) {
        stride[0] = kernel[0];
        stride[1] = kernel[1];
    }
    int64_t outputs = figure_product(input.at[0], input.at[1]);
    for (int i = 0; i < 2; i++)
        outputs = figure_product(outputs, windows(input.at[2 + i], kernel[i], stride[i], padding[i]));
    const enum dtype dtype = call_dtype(call, 0);
    const int64_t window = figure_product(kernel[0], kernel[1]);
    int64_t bytes = figure_sum(call_bytes(call, 0), figure_bytes(outputs, dtype));
    if (v->a)
        bytes = figure_sum(bytes, figure_bytes(outputs, DTYPE_I64));
    return (struct op_cost){figure_product(outputs, window), bytes, dtype, false};
}

/* input, output_size: each input element is added once. */
struct op_cost cost_adaptive_pool(const struct op_call *call, const struct op_variant *v)
{
    (void)v;
    const struct tensor_dims input = call_dims(call, 0);
    int64_t size[2];
    if (input.rank != 4)
        return no_cost();
    const enum dtype dtype = call_dtype(call, 0);
    const bool known = call_sizes(call, 1, 2, size);
    const int64_t outputs =
        known ? figure_product(figure_product(input.at[0], input.at[1]), figure_product(size[0], size[1])) : -1;
    return (struct op_cost){dims_elements(input), figure_sum(call_bytes(call, 0), figure_bytes(outputs, dtype)), dtype,
                            false};
}

/* grad_output, self, ..., indices last: an addition an incoming element into a gradient as large as the input. */
struct op_cost cost_pool_backward(const struct op_call *call, const struct op_variant *v)
{
    if (!call_has(call, 0) || !call_has(call, 1))
        return no_cost();
    int64_t bytes = figure_sum(call_bytes(call, 0), call_bytes(call, 1));
    if (v->a)
        bytes = figure_sum(bytes, figure_bytes(call_elements(call, 0), DTYPE_I64));
    return (struct op_cost){call_elements(call, 0), bytes, call_dtype(call, 0), false};
}
