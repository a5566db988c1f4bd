/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move whole tensors: fills, copies, concatenation. No arithmetic. */
#include "reading.h"

static const char no_tensor[] = "the shape of its tensor was not recorded";

static bool crosses(enum copy_direction direction)
{
    return direction == COPY_H2D || direction == COPY_D2H;
}

static void add_host_copy(struct reading *reading, int64_t bytes)
{
    reading_add(reading, (struct kernel){.form = FORM_HOST_COPY,
                                         .moved = {.bytes = bytes, .pinned = reading->asked->memory == HOST_PINNED}});
}

bool read_fill(struct reading *reading)
{
    const int tensor = reading->row->tensor;
    const int64_t bytes = call_kernel_bytes(&reading->call, tensor);
    if (bytes < 0)
        return reading_miss(reading, no_tensor);
    reading->least = (struct op_cost){0, call_bytes(&reading->call, tensor), call_dtype(&reading->call, tensor), false};
    reading_add(reading, (struct kernel){.form = FORM_FILL,
                                         .dtype = call_kernel_dtype(&reading->call, tensor),
                                         .moved = {.bytes = bytes}});
    return true;
}

static struct kernel moved(const struct reading *reading, int source, int destination)
{
    const struct op_call *call = &reading->call;
    const bool hinted = launched_hint(&reading->asked->launched, HINT_STRIDED);
    const struct tensor_dims to = call_dims(call, destination);
    const int64_t read = call_kernel_bytes(call, source), written = call_kernel_bytes(call, destination);
    const enum dtype dtype = call_kernel_dtype(call, destination);
    if (call_transposed(call, source) != call_transposed(call, destination))
        return (struct kernel){.form = FORM_TRANSPOSE, .dtype = dtype, .transpose = {1, dims_rows(to), dims_cols(to)}};
    if (read == written)
        return (struct kernel){.form = FORM_COPY,
                               .dtype = dtype,
                               .moved = {.bytes = written,
                                         .scattered = !hinted               ? SCATTERED_NOT
                                                      : call->strides.count ? SCATTERED_ROWS
                                                                            : SCATTERED_SOMEHOW}};
    return (struct kernel){.form = FORM_ELEMENTWISE,
                           .dtype = DTYPE_I8,
                           .elements = {.rows = 1, .cols = sum_known(read, written), .accesses = 1}};
}

bool read_copy(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int to = reading->row->tensor, from = reading->row->with;
    const int64_t bytes = call_kernel_bytes(call, to);
    if (bytes < 0)
        return reading_miss(reading, no_tensor);
    reading->least =
        (struct op_cost){0, sum_known(call_bytes(call, to), call_bytes(call, from)), call_dtype(call, to), false};
    if (crosses(reading->asked->direction))
        add_host_copy(reading, bytes);
    else
        reading_add(reading, moved(reading, call_has(call, from) ? from : to, to));
    return true;
}

bool read_cast(struct reading *reading)
{
    const int tensor = reading->row->tensor;
    const int64_t bytes = call_kernel_bytes(&reading->call, tensor);
    if (bytes < 0)
        return reading_miss(reading, no_tensor);
    if (crosses(reading->asked->direction))
        add_host_copy(reading, bytes);
    else
        reading_add(reading, (struct kernel){.form = FORM_COPY,
                                             .dtype = call_kernel_dtype(&reading->call, tensor),
                                             .moved = {.bytes = bytes}});
    return true;
}

/* The profiler writes no types inside a list, so the traffic is known only where it does. */
bool read_cat(struct reading *reading)
{
    const int list = reading->row->tensor;
    const int64_t bytes = call_kernel_bytes(&reading->call, list);
    if (bytes < 0 || !call_list(&reading->call, list))
        return reading_miss(reading, "the shapes of its list were not recorded");
    reading->least = (struct op_cost){0, figure_product(2, call_bytes(&reading->call, list)),
                                      call_dtype(&reading->call, list), false};
    reading_add(reading, (struct kernel){.form = FORM_CONCAT,
                                         .dtype = call_kernel_dtype(&reading->call, list),
                                         .concat = {bytes, call_list(&reading->call, list)->count}});
    return true;
}
