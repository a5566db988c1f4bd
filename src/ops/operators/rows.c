/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that reduce: softmax and norms, which write a tensor as large as the one they read, sums and their like. */
#include "reading.h"

static const char no_tensor[] = "the shape of its tensor was not recorded";

/* ---- softmax and norms ---- */

/* The input is read and the output written once; a gradient reads the incoming one too. */
static void say_least(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor, passes = reading->row->backward ? 3 : 2;
    if (call_has(call, tensor))
        reading->least =
            (struct op_cost){figure_product(call_elements(call, tensor), reading->row->each),
                             figure_product(call_bytes(call, tensor), passes), call_dtype(call, tensor), false};
}

static bool add_rows(struct reading *reading, enum kernel_form form, int64_t cols)
{
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor;
    const int64_t elements = call_elements(call, tensor);
    say_least(reading);
    if (cols < 1 || elements < 1) {
        reading->empty = true;
        return true;
    }
    reading_add(reading, (struct kernel){.form = form,
                                         .backward = reading->row->backward,
                                         .dtype = call_kernel_dtype(call, tensor),
                                         .rows = {elements / cols, cols}});
    return true;
}

bool read_softmax(struct reading *reading)
{
    const struct tensor_dims dims = call_dims(&reading->call, reading->row->tensor);
    if (dims.rank < 1)
        return reading_miss(reading, no_tensor);
    return add_rows(reading, FORM_SOFTMAX, dims.at[call_axis(&reading->call, reading->row->place, dims.rank, -1)]);
}

bool read_layer_norm(struct reading *reading)
{
    const struct tensor_dims dims = call_dims(&reading->call, reading->row->tensor);
    if (dims.rank < 1)
        return reading_miss(reading, no_tensor);
    int64_t shape[8], cols = 1;
    const uint32_t rank = integers_parse(call_value(&reading->call, reading->row->place), shape, 8);
    for (uint32_t i = 0; i < rank; i++)
        cols = figure_product(cols, shape[i]);
    return add_rows(reading, FORM_LAYER_NORM, rank ? cols : dims_cols(dims));
}

/* [N, C, ...]: the statistics are those of a group of channels, 32 of them where the call does not say. */
bool read_group_norm(struct reading *reading)
{
    const struct tensor_dims dims = call_dims(&reading->call, reading->row->tensor);
    if (dims.rank < 2)
        return reading_miss(reading, no_tensor);
    int64_t groups;
    if (!call_integer(&reading->call, reading->row->place, &groups) || groups < 1 || groups > dims.at[1])
        groups = dims.at[1] % 32 ? 1 : 32;
    const int64_t samples = figure_product(dims.at[0], groups), elements = dims_elements(dims);
    return add_rows(reading, FORM_LAYER_NORM, samples > 0 ? elements / samples : 0);
}

/* cuDNN's and MIOpen's are other operators; channels last are other kernels, by their names. */
static bool native_norm(const struct reading *reading)
{
    return str_starts(reading->asked->name, S("aten::native_batch_norm")) &&
           !launched_hint(&reading->asked->launched, HINT_CHANNELS_LAST);
}

bool read_batch_norm(struct reading *reading)
{
    const struct tensor_dims dims = call_dims(&reading->call, reading->row->tensor);
    if (dims.rank < 2)
        return reading_miss(reading, no_tensor);
    say_least(reading);
    reading_add(reading, (struct kernel){.form = FORM_BATCH_NORM,
                                         .backward = reading->row->backward,
                                         .dtype = call_kernel_dtype(&reading->call, reading->row->tensor),
                                         .variant = native_norm(reading) ? S("native") : S(""),
                                         .norm = {dims.at[0], dims.at[1], dims_elements(dims_from(dims, 2))}});
    return true;
}

/* ---- reductions ---- */

/* What is reduced: elements of the result, and whether the last dimension stays, so that columns are summed. */
struct reduced {
    int64_t left;
    bool columns;
    bool supposed; /* which dimensions go was not recorded */
    bool none;     /* there is no such dimension */
};

/*
 * sum(self, dtype) leaves one number; sum(self, dim, keepdim, dtype) has more arguments and says in the values which
 * dimensions go: none named, all of them. Values not recorded: most often the batch is summed away, which leaves the last
 * dimension.
 */
static struct reduced reduced_of(const struct op_call *call, int tensor, int place)
{
    int64_t axes[8];
    const struct tensor_dims dims = call_dims(call, tensor);
    const bool given = call->shape.count > (uint32_t)place + 1;
    uint32_t count = given ? integers_parse(call_value(call, place), axes, 8) : 0;
    if (!count && given && call_integer(call, place, axes))
        count = 1;
    if (!count && given && !call->values.count)
        return (struct reduced){dims_cols(dims) > 0 ? dims_cols(dims) : 1, true, true, false};
    struct reduced reduced = {count ? dims_elements(dims) : 1, count > 0, false, false};
    for (uint32_t i = 0; i < count; i++) {
        const int64_t at = axes[i] < 0 ? axes[i] + dims.rank : axes[i];
        const bool there = at >= 0 && at < dims.rank;
        reduced.none |= !there;
        if (there && dims.at[at] > 0)
            reduced.left /= dims.at[at];
        reduced.columns &= at != (int64_t)dims.rank - 1;
    }
    return reduced;
}

static bool reduce(struct reading *reading, enum dtype dtype)
{
    const struct op_call *call = &reading->call;
    const struct operator_row *row = reading->row;
    const struct reduced reduced = reduced_of(call, row->tensor, row->place);
    const int64_t elements = call_elements(call, row->tensor), left = reduced.left > 0 ? reduced.left : 1;
    const enum dtype own = call_dtype(call, row->tensor);
    const int64_t written = reduced.supposed || reduced.none
                                ? -1
                                : figure_bytes(reduced.left, row->writes == WRITES_INDICES ? DTYPE_I64 : own);
    reading->least = (struct op_cost){figure_product(elements, row->each),
                                      sum_known(call_bytes(call, row->tensor), written), own, false};
    if (elements < 1) {
        reading->empty = true;
        return true;
    }
    reading_add(reading, (struct kernel){.form = FORM_REDUCTION,
                                         .dtype = dtype,
                                         .variant = reduced.columns ? S("columns") : S(""),
                                         .rows = {left, (elements + left - 1) / left}});
    if (row->operands > 1)
        reading_repeat(reading, (uint32_t)row->operands);
    return true;
}

/* max(self, other) */
static bool read_larger(struct reading *reading)
{
    static const struct operator_row two = {.operands = 2, .each = 1};
    reading->row = &two;
    return read_elementwise(reading);
}

bool read_reduction(struct reading *reading)
{
    if (!call_has(&reading->call, reading->row->tensor))
        return reading_miss(reading, no_tensor);
    if (call_dims(&reading->call, reading->row->place).rank > 0)
        return read_larger(reading);
    return reduce(reading, call_kernel_dtype(&reading->call, reading->row->tensor));
}

/* Two vectors, read once each: bound by memory, whatever the library that multiplies matrices does with it. */
bool read_dot(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    if (!call_has(call, 0) || !call_has(call, 1))
        return reading_miss(reading, no_tensor);
    const int64_t elements = call_elements(call, 0), both = figure_product(elements, 2);
    const enum dtype dtype = call_dtype(call, 0);
    reading->least = (struct op_cost){
        both, sum_known(sum_known(call_bytes(call, 0), call_bytes(call, 1)), figure_bytes(1, dtype)), dtype, false};
    reading->empty = elements < 1;
    if (!reading->empty)
        reading_add(reading,
                    (struct kernel){.form = FORM_REDUCTION, .dtype = call_kernel_dtype(call, 0), .rows = {1, both}});
    return true;
}

static bool is_whole(enum dtype dtype)
{
    return dtype == DTYPE_I64 || dtype == DTYPE_I32 || dtype == DTYPE_I16 || dtype == DTYPE_I8;
}

/* Of whole numbers: 64 bits, but what the last argument asks for (c10::ScalarType, as a number). */
static enum dtype summed_as(const struct op_call *call, enum dtype dtype)
{
    static const enum dtype asked_for[] = {DTYPE_I8,  DTYPE_I8,  DTYPE_I16, DTYPE_I32,
                                           DTYPE_I64, DTYPE_F16, DTYPE_F32, DTYPE_F64};
    enum { KNOWN = sizeof asked_for / sizeof *asked_for };
    int64_t asked = -1;
    if (!is_whole(dtype))
        return dtype;
    call_integer(call, call->shape.count > 2 ? 3 : 1, &asked);
    return asked >= 0 && asked < KNOWN ? asked_for[asked] : DTYPE_I64;
}

/* A kernel of its own copies a tensor to the type that it is summed in (PyTorch, make_reduction of ReduceOpsUtils.h). */
bool read_sum(struct reading *reading)
{
    const int tensor = reading->row->tensor;
    if (!call_has(&reading->call, tensor))
        return reading_miss(reading, no_tensor);
    const enum dtype dtype = call_kernel_dtype(&reading->call, tensor), wide = summed_as(&reading->call, dtype);
    const int64_t elements = call_elements(&reading->call, tensor);
    if (wide != dtype && elements > 0)
        reading_add(reading,
                    (struct kernel){
                        .form = FORM_ELEMENTWISE,
                        .backward = reading->asked->phase == PHASE_BACKWARD,
                        .dtype = DTYPE_I8,
                        .elements = {.rows = 1, .cols = elements, .accesses = dtype_bytes(dtype) + dtype_bytes(wide)}});
    return reduce(reading, wide);
}
