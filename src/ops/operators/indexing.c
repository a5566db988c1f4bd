/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that pick elements by indices, sort them, or pass over them in order. */
#include "reading.h"

enum { INDEX_BYTES = 8 };

/* Elements of the largest index of an argument; -1 where there is none. */
static int64_t index_elements(const struct op_call *call, int i)
{
    const struct shape_argument *indices = call_argument_at(call, i);
    int64_t most = -1;
    for (uint32_t k = 0; indices && k < indices->count; k++) {
        const struct tensor_dims dims = indices->tensors[k];
        const int64_t elements = dims.rank ? dims_elements(dims) : -1;
        most = elements > most ? elements : most;
    }
    return most;
}

/* Indices of a list that are there: as many dimensions of the tensor are picked from. */
static uint32_t index_count(const struct shape_argument *indices)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < indices->count; k++)
        count += indices->tensors[k].rank > 0;
    return count ? count : 1;
}

/*
 * Elements that one index fetches: the tensor without the dimensions that are picked from. Which those are is not
 * recorded of a list whose absent entries are left out; the places of the absent ones are the leading dimensions.
 */
static int64_t fetched_each(const struct op_call *call, int tensor, int index)
{
    const struct tensor_dims dims = call_dims(call, tensor);
    const struct shape_argument *list = call_argument_at(call, index);
    int64_t elements = 1;
    const uint32_t picked = index_count(list);
    for (uint32_t d = 0; d < dims.rank; d++) {
        const bool slot = d < list->count ? list->tensors[d].rank > 0 : list->count <= 1 && d < picked;
        elements = figure_product(elements, slot ? 1 : dims.at[d]);
    }
    return elements;
}

/* The picks are given, `each` elements long. */
static bool add_picks(struct reading *reading, int64_t picks, int64_t each, const char *variant)
{
    const struct op_call *call = &reading->call;
    const enum dtype dtype = call_kernel_dtype(call, reading->row->tensor);
    const int64_t moved = figure_bytes(figure_product(picks, each), dtype);
    reading_add(reading, (struct kernel){.form = FORM_INDEX,
                                         .dtype = dtype,
                                         .variant = str_of(variant),
                                         .index = {sum_known(moved, figure_product(picks, INDEX_BYTES)), moved}});
    reading->empty |= moved == 0;
    return true;
}

static bool has_picks(struct reading *reading, int64_t *picks)
{
    *picks = index_elements(&reading->call, reading->row->with);
    return (call_has(&reading->call, reading->row->tensor) && *picks >= 0) ||
           reading_miss(reading, "the shapes of its tensor and index were not recorded");
}

bool read_index(struct reading *reading)
{
    int64_t picks;
    return has_picks(reading, &picks) &&
           add_picks(reading, picks, fetched_each(&reading->call, reading->row->tensor, reading->row->with), "");
}

/* An element read and written for each index. The index is often a column expanded over the rest of the shape. */
bool read_gather(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor, index = reading->row->with;
    int64_t picks;
    if (!has_picks(reading, &picks))
        return false;
    const enum dtype dtype = call_dtype(call, tensor);
    const int64_t moved = figure_product(2, figure_bytes(call_elements(call, index), dtype));
    reading->least = (struct op_cost){0, sum_known(moved, call_stored_bytes(call, index)), dtype, false};
    return add_picks(reading, picks, 1, "");
}

bool read_select(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    int64_t picks;
    if (!has_picks(reading, &picks))
        return false;
    const struct tensor_dims dims = call_dims(call, reading->row->tensor);
    const int64_t size = dims.rank ? dims.at[call_axis(call, reading->row->place, dims.rank, 0)] : 1;
    return add_picks(reading, picks, size > 0 ? dims_elements(dims) / size : 0, "select");
}

/* Whether places before the first index are left out: then elements that are fetched one after the other lie apart. */
static bool apart(const struct op_call *call, int index)
{
    const struct shape_argument *list = call_list(call, index);
    return list && list->count > 1 && list->tensors[0].rank == 0;
}

/*
 * Values are read, and read, added and written where they go; where those places lie apart, a sector of memory of each
 * of the three. Indices are sorted first, so that equal ones meet.
 */
bool read_index_put(struct reading *reading)
{
    enum { SECTOR = 32, SORT_BYTES = 64 };
    const struct op_call *call = &reading->call;
    const int values = reading->row->with;
    const int64_t elements = call_elements(call, values), bytes = call_kernel_bytes(call, values);
    if (bytes < 0)
        return reading_miss(reading, "the shape of its values was not recorded");
    const int64_t each = apart(call, 1) ? figure_product(elements, SECTOR) : bytes;
    const int64_t picks = index_elements(call, 1);
    if (reading->row->operands && picks > 0)
        reading_add(reading, (struct kernel){.form = FORM_BYTES,
                                             .backward = true,
                                             .dtype = DTYPE_I64,
                                             .moved = {.bytes = picks * SORT_BYTES}});
    reading_add(reading, (struct kernel){.form = FORM_INDEX,
                                         .backward = true,
                                         .dtype = call_kernel_dtype(call, reading->row->tensor),
                                         .index = {figure_product(2, each), each}});
    return true;
}

bool read_triangle(struct reading *reading)
{
    const int tensor = reading->row->tensor;
    const int64_t bytes = call_kernel_bytes(&reading->call, tensor);
    if (bytes < 0)
        return reading_miss(reading, "the shape of its tensor was not recorded");
    reading_add(reading, (struct kernel){.form = FORM_INDEX,
                                         .dtype = call_kernel_dtype(&reading->call, tensor),
                                         .index = {bytes, bytes}});
    return true;
}

/* Each pass reads and writes the whole: a radix sort of 8-byte keys with their places makes eight. */
bool read_scan(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int tensor = reading->row->tensor;
    if (!read_triangle(reading))
        return false;
    reading->least = (struct op_cost){figure_product(call_elements(call, tensor), reading->row->each),
                                      figure_product(2, call_bytes(call, tensor)), call_dtype(call, tensor), false};
    if (reading->row->operands > 1)
        reading_repeat(reading, (uint32_t)reading->row->operands);
    return true;
}
