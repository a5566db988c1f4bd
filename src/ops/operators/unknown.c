/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of which nothing is known but their arguments: all that is recorded is read or written once, and the
 * largest tensor stands for the result.
 *
 * Where an argument is an index, that is too much: whole caches and tables are handed over of which a few rows are
 * touched. A tensor of whole numbers that begins with n is taken for one where other tensors begin with the same n: they
 * hold what is fetched or stored, a row for each index. A tensor that begins otherwise is then touched in
 *
 *     as many slices along its first dimension as there are indices
 *     no more bytes than what is fetched or stored, where n numbers name the places in a tensor of more dimensions than
 *     that has (a cache of blocks, in each of which several rows lie)
 */
#include "reading.h"
#include "base/order.h"

/* What the indices of a call say. */
struct touched {
    int64_t rows;    /* n; 0: there are none */
    int64_t indices; /* of the largest index that begins with n */
    int64_t stored;  /* bytes of the largest tensor that begins with n, and its dimensions */
    uint32_t rank;
};

static bool is_tensor(const struct op_call *call, uint32_t i)
{
    const struct shape_argument *argument = &call->shape.arguments[i];
    return !argument->list && argument->count == 1 && argument->tensors[0].rank > 0;
}

static bool is_index(const struct op_call *call, uint32_t i)
{
    const enum dtype dtype = call_kernel_dtype(call, (int)i);
    return is_tensor(call, i) && (dtype == DTYPE_I64 || dtype == DTYPE_I32);
}

static int64_t begins_with(const struct op_call *call, uint32_t i)
{
    return call->shape.arguments[i].tensors[0].at[0];
}

/* The largest tensor of values that begins with n. */
static void find_stored(const struct op_call *call, struct touched *touched)
{
    for (uint32_t i = 0; i < call->shape.count; i++) {
        if (!is_tensor(call, i) || is_index(call, i) || begins_with(call, i) != touched->rows ||
            call_kernel_bytes(call, (int)i) <= touched->stored)
            continue;
        touched->stored = call_kernel_bytes(call, (int)i);
        touched->rank = call->shape.arguments[i].tensors[0].rank;
    }
}

/* A single index says too little of what it means: a count, a flag. Of a damaged list of thousands a few are tried. */
static struct touched touched_by(const struct op_call *call)
{
    enum { MOST_TRIED = 8 };
    for (uint32_t i = 0, tried = 0; i < call->shape.count && tried < MOST_TRIED; i++) {
        struct touched touched = {0};
        if (!is_index(call, i) || begins_with(call, i) < 2)
            continue;
        tried++;
        touched.rows = begins_with(call, i);
        find_stored(call, &touched);
        for (uint32_t other = 0; touched.stored && other < call->shape.count; other++)
            if (is_index(call, other) && begins_with(call, other) == touched.rows)
                touched.indices = larger_of(touched.indices, call_elements(call, (int)other));
        if (touched.stored)
            return touched;
    }
    return (struct touched){0};
}

static int64_t touched_bytes(const struct op_call *call, uint32_t i, const struct touched *touched)
{
    const int64_t own = call_kernel_bytes(call, (int)i);
    if (own <= 0 || !touched->rows || !is_tensor(call, i) || is_index(call, i) || begins_with(call, i) == touched->rows)
        return own;
    const int64_t slice = own / begins_with(call, i);
    const int64_t bytes = touched->indices < begins_with(call, i) ? touched->indices * slice : own;
    const bool blocks = call->shape.arguments[i].tensors[0].rank > touched->rank && touched->indices == touched->rows;
    return blocks && touched->stored < bytes ? touched->stored : bytes;
}

bool read_unknown(struct reading *reading)
{
    const struct touched touched = touched_by(&reading->call);
    int64_t bytes = 0, largest = 0;
    for (uint32_t i = 0; i < reading->call.shape.count; i++) {
        const int64_t own = touched_bytes(&reading->call, i, &touched);
        if (own <= 0)
            continue;
        bytes = sum_known(bytes, own);
        largest = larger_of(largest, own);
    }
    bytes = sum_known(bytes, largest);
    if (bytes <= 0)
        return reading_miss(reading, "no tensor of it was recorded");
    reading_add(reading, (struct kernel){.form = FORM_BYTES, .moved = {.bytes = bytes}});
    return reading->count > 0;
}
