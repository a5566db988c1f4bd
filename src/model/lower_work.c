/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments as the lowerings ask for them. */
#include "lower_work.h"

/* "GenericList[Tensor(float),Tensor(float)]": that of the first tensor; execution traces write types inside lists. */
static enum dtype listed_dtype(str types)
{
    str word;
    if (!str_cut(&types, '(', &word) || !str_ends(word, S("Tensor")) || !str_cut(&types, ')', &word))
        return DTYPE_UNKNOWN;
    return dtype_of_word(word);
}

enum dtype lower_dtype(const struct op_call *call, uint32_t i)
{
    if (i >= call->types.count)
        return DTYPE_F32;
    enum dtype dtype = dtype_of_word(call->types.at[i]);
    if (dtype_bytes(dtype) == 0)
        dtype = listed_dtype(call->types.at[i]);
    return dtype_bytes(dtype) ? dtype : DTYPE_F32;
}

int64_t lower_bytes(const struct op_call *call, uint32_t i)
{
    const int64_t elements = call_elements(call, i);
    return elements < 0 ? -1 : figure_bytes(elements, lower_dtype(call, i));
}

int64_t dims_rows(struct tensor_dims dims)
{
    return dims.rank ? dims_elements((struct tensor_dims){dims.at, dims.rank - 1}) : 1;
}

int64_t dims_cols(struct tensor_dims dims)
{
    return dims.rank ? dims.at[dims.rank - 1] : 1;
}

uint32_t call_axis(const struct op_call *call, uint32_t i, uint32_t rank, int64_t otherwise)
{
    int64_t axis;
    if (!call_integer(call, i, &axis) && integers_parse(text_list_at(&call->values, i), &axis, 1) != 1)
        axis = otherwise;
    if (axis < 0)
        axis += rank;
    return axis >= 0 && axis < rank ? (uint32_t)axis : rank ? rank - 1 : 0;
}
