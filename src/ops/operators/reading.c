/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a call as the readers ask for them, figures that stay unknown once a part of them is, and kernels. */
#include "reading.h"

/* ---- kernels ---- */

static struct kernel *room_for_one(struct reading *reading)
{
    if (reading->count < reading->room)
        return &reading->kernels[reading->count];
    const uint32_t room = 2 * reading->room + 4;
    struct kernel *wider = arena_array(reading->arena, room, sizeof *wider);
    for (uint32_t i = 0; i < reading->count; i++)
        wider[i] = reading->kernels[i];
    reading->kernels = wider;
    reading->room = room;
    return &reading->kernels[reading->count];
}

struct kernel *reading_add(struct reading *reading, struct kernel kernel)
{
    if (!kernel.variant.at)
        kernel.variant = reading->row && reading->row->word ? str_of(reading->row->word) : S("");
    if (kernel_check(&kernel)) {
        reading->empty = true;
        return NULL;
    }
    struct kernel *added = room_for_one(reading);
    *added = kernel;
    added->among = true;
    reading->count++;
    return added;
}

enum { LAUNCHES_MOST = 4096 }; /* of one call; more come from damaged shapes */

void reading_repeat(struct reading *reading, uint32_t count)
{
    count = count < LAUNCHES_MOST ? count : LAUNCHES_MOST;
    for (uint32_t i = 1; i < count && reading->count; i++) {
        *room_for_one(reading) = reading->kernels[reading->count - 1];
        reading->count++;
    }
}

bool reading_miss(struct reading *reading, const char *why)
{
    reading->why = why;
    return false;
}

/* ---- arguments ---- */

/* The argument, NULL where there is none. */
const struct shape_argument *call_argument_at(const struct op_call *call, int i)
{
    return i >= 0 && (uint32_t)i < call->shape.count ? &call->shape.arguments[i] : NULL;
}

str call_value(const struct op_call *call, int i)
{
    return i < 0 ? S("") : text_list_at(&call->values, (uint32_t)i);
}

enum dtype call_dtype(const struct op_call *call, int i)
{
    return i < 0 || (uint32_t)i >= call->types.count ? DTYPE_UNKNOWN : dtype_of_word(call->types.at[i]);
}

/* "GenericList[Tensor(float),Tensor(float)]": that of the first tensor; execution traces write types inside lists. */
static enum dtype listed_dtype(str types)
{
    str word;
    if (!str_cut(&types, '(', &word) || !str_ends(word, S("Tensor")) || !str_cut(&types, ')', &word))
        return DTYPE_UNKNOWN;
    return dtype_of_word(word);
}

enum dtype call_kernel_dtype(const struct op_call *call, int i)
{
    enum dtype dtype = call_dtype(call, i);
    if (dtype_bytes(dtype) == 0 && i >= 0 && (uint32_t)i < call->types.count)
        dtype = listed_dtype(call->types.at[i]);
    return dtype_bytes(dtype) ? dtype : DTYPE_F32;
}

/* [] is a scalar tensor where a type stands beside it; without one it is whatever is no tensor. */
bool call_has(const struct op_call *call, int i)
{
    const struct shape_argument *argument = call_argument_at(call, i);
    if (!argument || argument->list)
        return argument != NULL;
    const enum dtype dtype = call_dtype(call, i);
    return dtype != DTYPE_NONE && (argument->tensors[0].rank > 0 || dtype != DTYPE_UNKNOWN);
}

struct tensor_dims call_dims(const struct op_call *call, int i)
{
    const struct shape_argument *argument = call_argument_at(call, i);
    return argument && !argument->list ? argument->tensors[0] : (struct tensor_dims){NULL, 0};
}

const struct shape_argument *call_list(const struct op_call *call, int i)
{
    const struct shape_argument *argument = call_argument_at(call, i);
    return argument && argument->list ? argument : NULL;
}

bool call_boolean(const struct op_call *call, int i, bool *flag)
{
    const str text = call_value(call, i);
    *flag = str_eq(text, S("True")) || str_eq(text, S("true")) || str_eq(text, S("1"));
    return *flag || str_eq(text, S("False")) || str_eq(text, S("false")) || str_eq(text, S("0"));
}

bool call_integer(const struct op_call *call, int i, int64_t *value)
{
    return str_int(call_value(call, i), value);
}

bool call_sizes(const struct op_call *call, int i, uint32_t rank, int64_t *sizes)
{
    uint32_t count = integers_parse(call_value(call, i), sizes, rank);
    if (!count && rank)
        count = call_integer(call, i, sizes);
    if (count == 1)
        for (uint32_t k = 1; k < rank; k++)
            sizes[k] = sizes[0];
    return count == rank || count == 1;
}

uint32_t call_axis(const struct op_call *call, int i, uint32_t rank, int64_t otherwise)
{
    int64_t axis;
    if (!call_integer(call, i, &axis) && integers_parse(call_value(call, i), &axis, 1) != 1)
        axis = otherwise;
    if (axis < 0)
        axis += rank;
    return axis >= 0 && axis < rank ? (uint32_t)axis : rank ? rank - 1 : 0;
}

int64_t call_elements(const struct op_call *call, int i)
{
    if (!call_has(call, i))
        return -1;
    const struct shape_argument *argument = call_argument_at(call, i);
    int64_t elements = 0;
    for (uint32_t k = 0; k < argument->count; k++)
        elements = sum_known(elements, dims_elements(argument->tensors[k]));
    return elements;
}

int64_t call_bytes(const struct op_call *call, int i)
{
    return call_has(call, i) ? figure_bytes(call_elements(call, i), call_dtype(call, i)) : -1;
}

int64_t call_kernel_bytes(const struct op_call *call, int i)
{
    return figure_bytes(call_elements(call, i), call_kernel_dtype(call, i));
}

/* The recorded strides of a tensor; rank 0 where there are none that fit it. */
static struct tensor_dims call_strides(const struct op_call *call, int i, uint32_t rank)
{
    const struct tensor_dims strides = call_dims(&(struct op_call){.shape = call->strides}, i);
    return strides.rank == rank ? strides : (struct tensor_dims){NULL, 0};
}

int64_t call_stored_bytes(const struct op_call *call, int i)
{
    const struct tensor_dims dims = call_dims(call, i), strides = call_strides(call, i, dims.rank);
    if (!strides.rank)
        return call_bytes(call, i);
    int64_t elements = 1;
    for (uint32_t d = 0; d < dims.rank; d++)
        elements = figure_product(elements, strides.at[d] || !dims.at[d] ? dims.at[d] : 1);
    return figure_bytes(elements, call_dtype(call, i));
}

bool call_transposed(const struct op_call *call, int i)
{
    const struct tensor_dims dims = call_dims(call, i), strides = call_strides(call, i, dims.rank);
    return dims.rank > 1 && strides.rank && strides.at[dims.rank - 1] != 1 && dims.at[dims.rank - 1] > 1;
}

int64_t dims_rows(struct tensor_dims dims)
{
    return dims.rank ? dims_elements((struct tensor_dims){dims.at, dims.rank - 1}) : 1;
}

int64_t dims_cols(struct tensor_dims dims)
{
    return dims.rank ? dims.at[dims.rank - 1] : 1;
}

/* ---- figures ---- */

int64_t figure_product(int64_t a, int64_t b)
{
    int64_t product;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

int64_t figure_bytes(int64_t elements, enum dtype dtype)
{
    if (dtype == DTYPE_NONE)
        return 0;
    return dtype == DTYPE_UNKNOWN ? -1 : figure_product(elements, dtype_bytes(dtype));
}
