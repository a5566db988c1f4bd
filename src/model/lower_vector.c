/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that do a little with each element. The traffic is that of the
 * definition (ops/flops.h): a column that is broadcast is read once, a comparison
 * writes a byte an element. Where all tensors have one type and size, the kernel
 * has that type and counts tensors; else it counts bytes an element.
 */
#include "lower_work.h"

#include <math.h>

static const char no_tensor[] = "the shape of its tensor was not recorded";

static str variant_of(const struct lower_variant *v)
{
    return v->word ? str_of(v->word) : S("");
}

/* rows x cols elements that move `bytes` together. */
static void add_elementwise(struct lower_work *work, const struct lower_variant *v, enum dtype dtype, int64_t rows,
                            int64_t cols, int64_t bytes)
{
    const double elements = (double)rows * (double)cols;
    if (elements <= 0) {
        work->empty = true;
        return;
    }
    const double each = (double)bytes / elements, whole = each / (double)dtype_bytes(dtype);
    const bool even = fabs(whole - nearbyint(whole)) < 0.02 && whole > 0.5;
    const int64_t accesses = (int64_t)fmax(1, nearbyint(even ? whole : each));
    lower_add(work, FORM_ELEMENTWISE, even ? dtype : DTYPE_I8, (const int64_t[]){rows, cols, accesses});
    if (work->count) {
        lower_last(work)->variant = variant_of(v);
        lower_last(work)->backward = work->asked->phase == PHASE_BACKWARD;
    }
}

enum { RANK_MOST = 16 };

/* Sizes a dimension, aligned at the last; a size of 1 gives way. False: the two do not go together. */
static bool broadcast(struct tensor_dims dims, int64_t *at)
{
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t *size = &at[RANK_MOST - dims.rank + i];
        if (*size != dims.at[i] && *size != 1 && dims.at[i] != 1)
            return false;
        *size = *size == 1 ? dims.at[i] : *size;
    }
    return true;
}

/* Of the operands together; where they do not go together, the one with the most elements. `at`: room for the sizes. */
static struct tensor_dims result_of(const struct op_call *call, uint32_t operands, int64_t at[RANK_MOST])
{
    struct tensor_dims most = call_dims(call, 0);
    uint32_t rank = 0;
    bool together = true;
    for (int i = 0; i < RANK_MOST; i++)
        at[i] = 1;
    for (uint32_t i = 0; i < operands; i++) {
        const struct tensor_dims dims = call_dims(call, i);
        rank = dims.rank > rank ? dims.rank : rank;
        together = together && dims.rank <= RANK_MOST && broadcast(dims, at);
        if (dims_elements(dims) > dims_elements(most))
            most = dims;
    }
    return together ? (struct tensor_dims){at + RANK_MOST - rank, rank} : most;
}

static int64_t operand_bytes(const struct op_call *call, uint32_t operands)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < operands; i++)
        if (call_dims(call, i).rank > 0)
            bytes = figure_sum(bytes, figure_bytes(dims_elements(call_dims(call, i)), lower_dtype(call, i)));
    return bytes;
}

bool lower_elementwise(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    if (!call_has(call, 0) && !call_has(call, 1))
        return lower_miss(work, no_tensor);
    const uint32_t operands = (uint32_t)v->a;
    int64_t sizes[RANK_MOST];
    const struct tensor_dims result = result_of(call, operands, sizes);
    const enum dtype dtype = lower_dtype(call, call_dims(call, 0).rank || operands < 2 ? 0 : 1);
    const int64_t written = figure_bytes(dims_elements(result), v->c ? DTYPE_I8 : dtype);
    add_elementwise(work, v, dtype, dims_rows(result), dims_cols(result),
                    figure_sum(operand_bytes(call, operands), written));
    return true;
}

bool lower_fill(struct lower_work *work, const struct lower_variant *v)
{
    const int64_t bytes = lower_bytes(&work->call, (uint32_t)v->a);
    if (bytes < 0)
        return lower_miss(work, no_tensor);
    lower_add(work, FORM_FILL, lower_dtype(&work->call, (uint32_t)v->a), &bytes);
    return true;
}

/* ---- losses: an element-wise part, then a reduction to one number ---- */

bool lower_loss(struct lower_work *work, const struct lower_variant *v)
{
    if (!lower_elementwise(work, v))
        return false;
    const int64_t elements = call_elements(&work->call, 0);
    lower_add(work, FORM_REDUCTION, lower_dtype(&work->call, 0), (const int64_t[]){1, elements});
    return true;
}

/* The incoming gradient is one number, the operands follow it. */
bool lower_loss_back(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    if (!call_has(call, 1))
        return lower_miss(work, no_tensor);
    const struct tensor_dims result = call_dims(call, 1);
    const enum dtype dtype = lower_dtype(call, 1);
    const int64_t bytes = figure_product(figure_bytes(dims_elements(result), dtype), v->a + 1);
    add_elementwise(work, v, dtype, dims_rows(result), dims_cols(result), bytes);
    return true;
}

/* One number of each row is read; the gradient fills the whole tensor with zeros and writes one a row. */
bool lower_nll(struct lower_work *work, const struct lower_variant *v)
{
    const uint32_t at = (uint32_t)v->a;
    const struct tensor_dims dims = call_dims(&work->call, at);
    if (dims.rank < 1)
        return lower_miss(work, no_tensor);
    const enum dtype dtype = lower_dtype(&work->call, at);
    const int64_t rows = dims.rank > 1 ? dims.at[0] : 1, sector = 32; /* the least that memory hands out */
    if (v->b) {
        const int64_t bytes = lower_bytes(&work->call, at);
        lower_add(work, FORM_FILL, dtype, &bytes);
    }
    lower_add(work, FORM_INDEX, dtype, (const int64_t[]){figure_product(rows, 2 * sector), v->b ? rows * sector : 4});
    return true;
}

/* ---- rows: softmax, norms, dropout ---- */

static void add_rows(struct lower_work *work, enum kernel_form form, uint32_t tensor, int64_t cols,
                     const struct lower_variant *v)
{
    const int64_t elements = call_elements(&work->call, tensor);
    if (cols < 1 || elements < 1) {
        work->empty = true;
        return;
    }
    lower_add(work, form, lower_dtype(&work->call, tensor), (const int64_t[]){elements / cols, cols});
    if (!work->count)
        return;
    lower_last(work)->variant = variant_of(v);
    lower_last(work)->backward = v->c != 0;
}

bool lower_softmax(struct lower_work *work, const struct lower_variant *v)
{
    const struct tensor_dims dims = call_dims(&work->call, (uint32_t)v->a);
    if (dims.rank < 1)
        return lower_miss(work, no_tensor);
    add_rows(work, FORM_SOFTMAX, (uint32_t)v->a, dims.at[call_axis(&work->call, (uint32_t)v->b, dims.rank, -1)], v);
    return true;
}

bool lower_layer_norm(struct lower_work *work, const struct lower_variant *v)
{
    const struct tensor_dims dims = call_dims(&work->call, (uint32_t)v->a);
    if (dims.rank < 1)
        return lower_miss(work, no_tensor);
    int64_t shape[8], cols = 1;
    const uint32_t rank = integers_parse(text_list_at(&work->call.values, (uint32_t)v->b), shape, 8);
    for (uint32_t i = 0; i < rank; i++)
        cols = figure_product(cols, shape[i]);
    add_rows(work, FORM_LAYER_NORM, (uint32_t)v->a, rank ? cols : dims_cols(dims), v);
    return true;
}

/* [N, C, ...]: the statistics are those of a group of channels, 32 of them where the call does not say. */
bool lower_group_norm(struct lower_work *work, const struct lower_variant *v)
{
    const struct tensor_dims dims = call_dims(&work->call, (uint32_t)v->a);
    if (dims.rank < 2)
        return lower_miss(work, no_tensor);
    int64_t groups;
    if (!call_integer(&work->call, (uint32_t)v->b, &groups) || groups < 1 || groups > dims.at[1])
        groups = dims.at[1] % 32 ? 1 : 32;
    const int64_t samples = figure_product(dims.at[0], groups), elements = dims_elements(dims);
    add_rows(work, FORM_LAYER_NORM, (uint32_t)v->a, samples > 0 ? elements / samples : 0, v);
    return true;
}

bool lower_batch_norm(struct lower_work *work, const struct lower_variant *v)
{
    const struct tensor_dims dims = call_dims(&work->call, (uint32_t)v->a);
    if (dims.rank < 2)
        return lower_miss(work, no_tensor);
    const int64_t positions = dims_elements((struct tensor_dims){dims.at + 2, dims.rank - 2});
    lower_add(work, FORM_BATCH_NORM, lower_dtype(&work->call, (uint32_t)v->a),
              (const int64_t[]){dims.at[0], dims.at[1], positions});
    if (work->count)
        lower_last(work)->backward = v->c != 0;
    return true;
}

bool lower_dropout(struct lower_work *work, const struct lower_variant *v)
{
    const struct tensor_dims dims = call_dims(&work->call, (uint32_t)v->a);
    if (dims.rank < 1)
        return lower_miss(work, no_tensor);
    add_rows(work, FORM_DROPOUT, (uint32_t)v->a, dims_cols(dims), v);
    return true;
}

/* ---- reductions ---- */

/* What is reduced: elements of the result, and whether the last dimension stays, so that columns are summed. */
struct reduced {
    int64_t left;
    bool columns;
};

/* None named: one number. Named and not recorded: most often the batch is summed away, which leaves the last dimension. */
static struct reduced reduced_of(const struct op_call *call, uint32_t tensor, uint32_t place)
{
    int64_t axes[8];
    const struct tensor_dims dims = call_dims(call, tensor);
    const bool given = call->shape.count > place + 1;
    uint32_t count = integers_parse(text_list_at(&call->values, place), axes, 8);
    if (!count && given && call_integer(call, place, axes))
        count = 1;
    if (!count && given && !call->values.count)
        return (struct reduced){dims_cols(dims) > 0 ? dims_cols(dims) : 1, true};
    struct reduced reduced = {count ? dims_elements(dims) : 1, count > 0};
    for (uint32_t i = 0; i < count; i++) {
        const int64_t at = axes[i] < 0 ? axes[i] + dims.rank : axes[i];
        if (at >= 0 && at < dims.rank && dims.at[at] > 0)
            reduced.left /= dims.at[at];
        reduced.columns &= at != (int64_t)dims.rank - 1;
    }
    reduced.left = reduced.left > 0 ? reduced.left : 1;
    return reduced;
}

static bool reduce(struct lower_work *work, const struct lower_variant *v, enum dtype dtype)
{
    const struct op_call *call = &work->call;
    const uint32_t tensor = (uint32_t)v->a;
    const struct reduced reduced = reduced_of(call, tensor, (uint32_t)v->b);
    const int64_t elements = call_elements(call, tensor), left = reduced.left;
    if (elements < 1) {
        work->empty = true;
        return true;
    }
    lower_add(work, FORM_REDUCTION, dtype, (const int64_t[]){left, (elements + left - 1) / left});
    if (work->count && reduced.columns)
        lower_last(work)->variant = S("columns");
    if (v->c > 1)
        lower_repeat(work, (uint32_t)v->c);
    return true;
}

bool lower_reduction(struct lower_work *work, const struct lower_variant *v)
{
    if (!call_has(&work->call, (uint32_t)v->a))
        return lower_miss(work, no_tensor);
    if (call_dims(&work->call, (uint32_t)v->b).rank > 0) /* max(self, other) */
        return lower_elementwise(work, &(struct lower_variant){.a = 2});
    return reduce(work, v, lower_dtype(&work->call, (uint32_t)v->a));
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
bool lower_sum(struct lower_work *work, const struct lower_variant *v)
{
    if (!call_has(&work->call, (uint32_t)v->a))
        return lower_miss(work, no_tensor);
    const enum dtype dtype = lower_dtype(&work->call, (uint32_t)v->a), wide = summed_as(&work->call, dtype);
    const int64_t elements = call_elements(&work->call, (uint32_t)v->a);
    if (wide != dtype && elements > 0)
        add_elementwise(work, &(struct lower_variant){0}, DTYPE_I8, 1, elements,
                        figure_sum(figure_bytes(elements, dtype), figure_bytes(elements, wide)));
    return reduce(work, v, wide);
}

/* ---- pooling ---- */

static int64_t places(int64_t size, int64_t window, int64_t stride, int64_t padding)
{
    const int64_t room = size + 2 * padding - window;
    return room < 0 || stride < 1 ? 1 : room / stride + 1;
}

static int64_t bounded(const struct op_call *call, uint32_t i, int64_t otherwise)
{
    int64_t sizes[3] = {otherwise};
    const bool known = integers_parse(text_list_at(&call->values, i), sizes, 3) || call_integer(call, i, sizes);
    return known && sizes[0] >= 0 && sizes[0] < 1 << 20 ? sizes[0] : otherwise;
}

/* Window and stride of 2 are assumed where the values were not recorded. */
bool lower_pool(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    const struct tensor_dims in = call_dims(call, (uint32_t)v->a);
    if (in.rank < 3)
        return lower_miss(work, no_tensor);
    const int64_t planes = figure_product(in.at[0], in.at[1]), high = in.at[2], wide = in.rank > 3 ? in.at[3] : 1;
    int64_t window = 2, left;
    if (v->b < 0) {
        const int64_t side = bounded(call, 1, 1);
        left = side * (in.rank > 3 ? side : 1);
        window = left > 0 ? (high * wide + left - 1) / left : 1;
    } else {
        const int64_t side = bounded(call, (uint32_t)v->b, 2), padding = bounded(call, (uint32_t)v->b + 2, 0);
        int64_t stride = bounded(call, (uint32_t)v->b + 1, side);
        stride = stride ? stride : side;
        left = places(high, side, stride, padding) * (in.rank > 3 ? places(wide, side, stride, padding) : 1);
        window = in.rank > 3 ? side * side : side;
    }
    lower_add(work, FORM_POOLING, lower_dtype(call, (uint32_t)v->a),
              (const int64_t[]){planes, high * wide, left, window});
    return true;
}

bool lower_pool_back(struct lower_work *work, const struct lower_variant *v)
{
    const struct tensor_dims grad = call_dims(&work->call, (uint32_t)v->a), in = call_dims(&work->call, (uint32_t)v->b);
    if (grad.rank < 3 || in.rank != grad.rank)
        return lower_miss(work, no_tensor);
    const int64_t planes = figure_product(in.at[0], in.at[1]);
    const int64_t read = dims_elements((struct tensor_dims){in.at + 2, in.rank - 2});
    const int64_t written = dims_elements((struct tensor_dims){grad.at + 2, grad.rank - 2});
    const int64_t window = written > 0 ? (read + written - 1) / written : 0;
    lower_add(work, FORM_POOLING, lower_dtype(&work->call, (uint32_t)v->b),
              (const int64_t[]){planes, read, written, window});
    if (work->count)
        lower_last(work)->backward = true;
    return true;
}

/* Each output is made of a few inputs beside it: [N, C, H, W] to the sizes that the call names, as large where it is silent. */
bool lower_resize(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    const struct tensor_dims in = call_dims(call, (uint32_t)v->a);
    if (in.rank < 3)
        return lower_miss(work, no_tensor);
    int64_t sizes[4], written = figure_product(in.at[0], in.at[1]);
    const uint32_t rank = integers_parse(text_list_at(&call->values, (uint32_t)v->b), sizes, 4);
    for (uint32_t i = 0; i < in.rank - 2; i++) {
        const bool named = rank >= in.rank - 2 && sizes[rank - (in.rank - 2) + i] > 0;
        const int64_t size = named ? sizes[rank - (in.rank - 2) + i] : in.at[2 + i];
        written = figure_product(written, size < 1 << 24 ? size : in.at[2 + i]);
    }
    const enum dtype dtype = lower_dtype(call, (uint32_t)v->a);
    lower_add(work, FORM_INDEX, dtype,
              (const int64_t[]){figure_bytes(dims_elements(in), dtype), figure_bytes(written, dtype)});
    if (work->count)
        lower_last(work)->variant = S("resize");
    return true;
}
