/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling and resizing: images through windows that weigh all alike. Tensors are [N, C, spatial...]. */
#include "reading.h"

static const char no_tensor[] = "the shape of its tensor was not recorded";

enum { SIDE_MOST = 1 << 20 };

static bool side_fits(int64_t side)
{
    return side >= 0 && side < SIDE_MOST;
}

/* Sizes of the spatial dimensions as recorded; `otherwise` where they were not, and then false. */
static bool sides(const struct op_call *call, int place, uint32_t spatial, int64_t otherwise, int64_t *sizes)
{
    bool known = call_sizes(call, place, spatial, sizes);
    for (uint32_t i = 0; known && i < spatial; i++)
        known = side_fits(sizes[i]);
    for (uint32_t i = 0; !known && i < spatial; i++)
        sizes[i] = otherwise;
    return known;
}

static int64_t planes_of(struct tensor_dims in)
{
    return figure_product(in.at[0], in.at[1]);
}

/* Each output compares or adds a whole window. `window`: 0 where each input is added once. */
static void say_least(struct reading *reading, int64_t outputs, int64_t window)
{
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor;
    const enum dtype dtype = call_dtype(call, tensor);
    int64_t bytes = sum_known(call_bytes(call, tensor), figure_bytes(outputs, dtype));
    if (reading->row->writes == WRITES_INDICES)
        bytes = sum_known(bytes, figure_bytes(outputs, DTYPE_I64));
    const int64_t flops = window ? figure_product(outputs, window) : call_elements(call, tensor);
    reading->least = (struct op_cost){flops, bytes, dtype, false};
}

static void add_pooling(struct reading *reading, int tensor, int64_t planes, int64_t in, int64_t out, int64_t window)
{
    reading_add(reading, (struct kernel){.form = FORM_POOLING,
                                         .backward = reading->row->backward,
                                         .dtype = call_kernel_dtype(&reading->call, tensor),
                                         .pooling = {planes, in, out, window}});
}

/*
 * input, kernel_size, stride, padding: an empty stride is the kernel's size; 2 is assumed where the values were not
 * recorded. ceil_mode and dilation, which change the output by a row at most, are left out.
 */
bool read_pool(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const struct operator_row *row = reading->row;
    const struct tensor_dims in = call_dims(call, row->tensor);
    if (in.rank < 3 || in.rank > 2 + KERNEL_AXES)
        return reading_miss(reading, no_tensor);
    const uint32_t spatial = in.rank - 2;
    int64_t window[KERNEL_AXES], stride[KERNEL_AXES], padding[KERNEL_AXES], out = 1, elements = 1;
    const bool known = sides(call, row->place, spatial, 2, window);
    if (!sides(call, row->place + 1, spatial, 0, stride) || stride[0] == 0)
        memcpy(stride, window, sizeof stride);
    const bool padded = sides(call, row->place + 2, spatial, 0, padding);
    for (uint32_t i = 0; i < spatial; i++) {
        const struct axis axis = {in.at[2 + i], window[i], stride[i], padding[i], 1};
        const int64_t along = axis_positions(&axis);
        out = figure_product(out, along > 0 ? along : 1);
        elements = figure_product(elements, window[i]);
    }
    if (known && padded)
        say_least(reading, figure_product(planes_of(in), out), elements);
    add_pooling(reading, row->tensor, planes_of(in), dims_elements(dims_from(in, 2)), out, elements);
    return true;
}

/* Each input element is added once; a window is what comes in for each that goes out. */
bool read_adaptive_pool(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const struct operator_row *row = reading->row;
    const struct tensor_dims in = call_dims(call, row->tensor);
    if (in.rank < 3 || in.rank > 2 + KERNEL_AXES)
        return reading_miss(reading, no_tensor);
    int64_t size[KERNEL_AXES], out = 1;
    const int64_t read = dims_elements(dims_from(in, 2));
    const bool known = sides(call, row->place, in.rank - 2, 1, size);
    for (uint32_t i = 0; i < in.rank - 2; i++)
        out = figure_product(out, size[i]);
    say_least(reading, known ? figure_product(planes_of(in), out) : -1, 0);
    add_pooling(reading, row->tensor, planes_of(in), read, out, out > 0 ? (read + out - 1) / out : 1);
    return true;
}

/* grad_output, self, ..., indices last: an addition an incoming element into a gradient as large as the input. */
bool read_pool_gradients(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int gradient = reading->row->tensor, input = reading->row->with;
    const struct tensor_dims grad = call_dims(call, gradient), in = call_dims(call, input);
    if (grad.rank < 3 || in.rank != grad.rank)
        return reading_miss(reading, no_tensor);
    int64_t bytes = sum_known(call_bytes(call, gradient), call_bytes(call, input));
    if (reading->row->writes == WRITES_INDICES)
        bytes = sum_known(bytes, figure_bytes(call_elements(call, gradient), DTYPE_I64));
    reading->least = (struct op_cost){call_elements(call, gradient), bytes, call_dtype(call, gradient), false};
    const int64_t read = dims_elements(dims_from(in, 2)), written = dims_elements(dims_from(grad, 2));
    add_pooling(reading, input, planes_of(in), read, written, written > 0 ? (read + written - 1) / written : 0);
    return true;
}

/* Each output is made of a few inputs beside it: to the sizes that the call names, as large where it is silent. */
bool read_resize(struct reading *reading)
{
    enum { LARGEST = 1 << 24 };
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor;
    const struct tensor_dims in = call_dims(call, tensor);
    if (in.rank < 3)
        return reading_miss(reading, no_tensor);
    int64_t sizes[4], written = planes_of(in);
    const uint32_t rank = integers_parse(call_value(call, reading->row->place), sizes, 4), spatial = in.rank - 2;
    for (uint32_t i = 0; i < spatial; i++) {
        const int64_t size = rank >= spatial ? sizes[rank - spatial + i] : 0;
        written = figure_product(written, size > 0 && size < LARGEST ? size : in.at[2 + i]);
    }
    const enum dtype dtype = call_kernel_dtype(call, tensor);
    reading_add(reading,
                (struct kernel){.form = FORM_INDEX,
                                .dtype = dtype,
                                .variant = S("resize"),
                                .index = {figure_bytes(dims_elements(in), dtype), figure_bytes(written, dtype)}});
    return true;
}
