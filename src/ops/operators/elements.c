/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that do a few operations an element. A flop is one elementary
 * function or operation of one element, whatever it costs: exp counts like add. A
 * column that is broadcast is read once, a comparison writes a byte an element.
 * Where all tensors have one type and size, the kernel has that type and counts
 * tensors; else it counts bytes an element.
 */
#include <math.h>

#include "reading.h"

static const char no_tensor[] = "the shape of its tensor was not recorded";

/* rows x cols elements that move `bytes` together. */
static void add_elements(struct reading *reading, enum dtype dtype, struct tensor_dims result, int64_t bytes,
                         enum scattered scattered)
{
    const int64_t rows = dims_rows(result), cols = dims_cols(result);
    const double elements = (double)rows * (double)cols;
    if (elements <= 0) {
        reading->empty = true;
        return;
    }
    const double each = (double)bytes / elements, whole = each / (double)dtype_bytes(dtype);
    const bool even = fabs(whole - nearbyint(whole)) < 0.02 && whole > 0.5;
    reading_add(reading, (struct kernel){
                             .form = FORM_ELEMENTWISE,
                             .backward = reading->asked->phase == PHASE_BACKWARD,
                             .dtype = even ? dtype : DTYPE_I8,
                             .elements = {.rows = rows,
                                          .cols = cols,
                                          .accesses = (int64_t)fmax(1, nearbyint(even ? whole : each)),
                                          .scattered = scattered},
                         });
}

/* ---- operands together ---- */

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

/* The result of the operands; where they do not go together, the one with the most elements. `at`: room for the sizes. */
static struct tensor_dims result_of(const struct op_call *call, int operands, int64_t at[RANK_MOST], bool *together)
{
    struct tensor_dims most = call_dims(call, 0);
    uint32_t rank = 0;
    *together = true;
    for (int i = 0; i < RANK_MOST; i++)
        at[i] = 1;
    for (int i = 0; i < operands; i++) {
        const struct tensor_dims dims = call_dims(call, i);
        rank = dims.rank > rank ? dims.rank : rank;
        *together = *together && dims.rank <= RANK_MOST && broadcast(dims, at);
        if (dims_elements(dims) > dims_elements(most))
            most = dims;
    }
    return *together ? (struct tensor_dims){at + RANK_MOST - rank, rank} : most;
}

/*
 * What the operands are promoted to: the widest type of those that have dimensions, as a number or a tensor of none does
 * not widen the others. All of them without dimensions: the widest.
 */
static enum dtype promoted(const struct op_call *call, int operands)
{
    enum dtype dtype = DTYPE_NONE;
    bool sized = false;
    for (int i = 0; i < operands; i++) {
        const enum dtype own = call_dtype(call, i);
        const bool has_sizes = call_dims(call, i).rank > 0;
        if (own == DTYPE_NONE || !call_has(call, i) || (sized && !has_sizes))
            continue;
        if (own == DTYPE_UNKNOWN)
            return DTYPE_UNKNOWN;
        dtype = dtype == DTYPE_NONE || own < dtype || (has_sizes && !sized) ? own : dtype;
        sized |= has_sizes;
    }
    return dtype == DTYPE_NONE ? DTYPE_UNKNOWN : dtype;
}

/* Bytes of the operands; `kernel`: with the types that a model takes them for, numbers aside. */
static int64_t operand_bytes(const struct op_call *call, int first, int operands, bool kernel)
{
    int64_t bytes = 0;
    for (int i = first; i < first + operands; i++)
        if (kernel ? call_dims(call, i).rank > 0 : call_has(call, i))
            bytes = sum_known(bytes, kernel ? call_kernel_bytes(call, i) : call_bytes(call, i));
    return bytes;
}

/*
 * Operands of other sizes than the result or in another order than it: PyTorch works out an address for each element. Where
 * strides were not recorded and all have the sizes of the result, only the kernel's name can tell.
 */
static enum scattered scattered_of(const struct reading *reading, int operands, int64_t elements)
{
    const struct op_call *call = &reading->call;
    bool broadcast_rows = false, transposed = false, plain = false;
    for (int i = 0; i < operands; i++) {
        if (call_dims(call, i).rank == 0)
            continue;
        broadcast_rows |= call_elements(call, i) != elements;
        transposed |= call_transposed(call, i);
        plain |= !call_transposed(call, i);
    }
    if (transposed && plain)
        return SCATTERED_COLUMNS;
    if (broadcast_rows)
        return SCATTERED_ROWS;
    if (!launched_hint(&reading->asked->launched, HINT_STRIDED))
        return SCATTERED_NOT;
    return call->strides.count ? SCATTERED_ROWS : SCATTERED_SOMEHOW;
}

static enum dtype known_or_fp32(enum dtype dtype)
{
    return dtype_bytes(dtype) ? dtype : DTYPE_F32;
}

bool read_elementwise(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int operands = reading->row->operands;
    if (!call_has(call, 0) && !call_has(call, 1))
        return reading_miss(reading, no_tensor);
    int64_t sizes[RANK_MOST];
    bool together;
    const struct tensor_dims result = result_of(call, operands, sizes, &together);
    const int64_t elements = dims_elements(result);
    const enum dtype dtype = promoted(call, operands);
    const enum dtype written = call->in_place                        ? call_dtype(call, 0)
                               : reading->row->writes == WRITES_BOOL ? DTYPE_I8
                                                                     : dtype;
    if (call_has(call, 0) && together)
        reading->least = (struct op_cost){
            figure_product(elements, reading->row->each),
            sum_known(operand_bytes(call, 0, operands, false), figure_bytes(elements, written)), dtype, false};
    add_elements(reading, known_or_fp32(dtype), result,
                 sum_known(operand_bytes(call, 0, operands, true), figure_bytes(elements, known_or_fp32(written))),
                 scattered_of(reading, operands, elements));
    return true;
}

/* The input is read, the output and a mask of a byte an element written; the gradient reads the mask. */
bool read_dropout(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor;
    const struct tensor_dims dims = call_dims(call, tensor);
    const int64_t elements = dims_elements(dims);
    if (dims.rank < 1)
        return reading_miss(reading, no_tensor);
    reading->least = (struct op_cost){
        figure_product(elements, reading->row->each),
        sum_known(figure_product(2, call_bytes(call, tensor)), figure_bytes(elements, DTYPE_I8)),
        call_dtype(call, tensor),
        false,
    };
    reading_add(reading, (struct kernel){.form = FORM_DROPOUT,
                                         .backward = reading->row->backward,
                                         .dtype = call_kernel_dtype(call, tensor),
                                         .rows = {dims_rows(dims), dims_cols(dims)}});
    return true;
}

/* ---- losses: an element-wise part, then a reduction to one number ---- */

/* The least needs no terms in memory: what is read. */
bool read_loss(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    if (!read_elementwise(reading))
        return false;
    const int64_t elements = call_elements(call, 0);
    reading->least = no_cost();
    if (call_has(call, 0) && call_has(call, 1))
        reading->least = (struct op_cost){figure_product(elements, reading->row->each),
                                          operand_bytes(call, 0, 2, false), call_dtype(call, 0), false};
    reading_add(reading,
                (struct kernel){.form = FORM_REDUCTION, .dtype = call_kernel_dtype(call, 0), .rows = {1, elements}});
    return true;
}

/* The incoming gradient is one number, the operands follow it. */
bool read_loss_gradients(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int operands = reading->row->operands;
    if (!call_has(call, 1))
        return reading_miss(reading, no_tensor);
    const struct tensor_dims result = call_dims(call, 1);
    const enum dtype dtype = call_kernel_dtype(call, 1);
    const int64_t written = figure_bytes(dims_elements(result), call_dtype(call, 1));
    reading->least =
        (struct op_cost){figure_product(dims_elements(result), reading->row->each),
                         sum_known(operand_bytes(call, 0, operands + 1, false), written), call_dtype(call, 1), false};
    add_elements(reading, dtype, result, figure_product(figure_bytes(dims_elements(result), dtype), operands + 1),
                 SCATTERED_NOT);
    return true;
}

/*
 * One number of each row is read, by the row's target; the gradient fills the whole tensor with zeros and writes one a
 * row. Memory hands out no less than a sector.
 */
bool read_nll(struct reading *reading)
{
    enum { SECTOR = 32 };
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor;
    const struct tensor_dims dims = call_dims(call, tensor);
    if (dims.rank < 1)
        return reading_miss(reading, no_tensor);
    const enum dtype dtype = call_kernel_dtype(call, tensor);
    const int64_t rows = dims.rank > 1 ? dims_elements(dims) / (dims.at[1] > 0 ? dims.at[1] : 1) : 1;
    const int64_t target = call_bytes(call, reading->row->with);
    if (reading->row->backward)
        reading_add(
            reading,
            (struct kernel){.form = FORM_FILL, .dtype = dtype, .moved = {.bytes = call_kernel_bytes(call, tensor)}});
    else
        reading->least = (struct op_cost){figure_product(rows, reading->row->each),
                                          sum_known(figure_bytes(rows, call_dtype(call, tensor)), target),
                                          call_dtype(call, tensor), false};
    reading_add(reading, (struct kernel){
                             .form = FORM_INDEX,
                             .dtype = dtype,
                             .index = {figure_product(rows, 2 * SECTOR), reading->row->backward ? rows * SECTOR : 4}});
    return true;
}
