/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that do a few operations an element. A flop is one elementary
 * function or operation of one element, whatever it costs: exp counts like add.
 */
#include "flops_formula.h"

/* Elements of the operands broadcast against each other from the right; -1 where they do not fit. */
static int64_t broadcast_elements(const struct op_call *call, uint32_t operands)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < operands; i++)
        rank = call_dims(call, i).rank > rank ? call_dims(call, i).rank : rank;
    int64_t elements = 1;
    for (uint32_t axis = 1; axis <= rank; axis++) {
        int64_t size = 1;
        for (uint32_t i = 0; i < operands; i++) {
            const struct tensor_dims dims = call_dims(call, i);
            const int64_t own = axis <= dims.rank ? dims.at[dims.rank - axis] : 1;
            if (own != size && own != 1 && size != 1)
                return -1;
            size = own == 1 ? size : own;
        }
        elements = figure_product(elements, size);
    }
    return elements;
}

/*
 * What the operands are promoted to: the widest type of those that have dimensions, as a number or a tensor of none does
 * not widen the others. All of them without dimensions: the widest.
 */
static enum dtype promoted(const struct op_call *call, uint32_t operands)
{
    enum dtype dtype = DTYPE_NONE;
    bool sized = false;
    for (uint32_t i = 0; i < operands; i++) {
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

struct op_cost cost_elementwise(const struct op_call *call, const struct op_variant *v)
{
    const uint32_t operands = (uint32_t)v->a;
    if (!call_has(call, 0))
        return no_cost();
    const int64_t elements = broadcast_elements(call, operands);
    const enum dtype dtype = promoted(call, operands);
    const enum dtype written = call->in_place ? call_dtype(call, 0) : v->c ? DTYPE_I8 : dtype;
    int64_t bytes = figure_bytes(elements, written);
    for (uint32_t i = 0; i < operands; i++)
        if (call_has(call, i))
            bytes = figure_sum(bytes, call_bytes(call, i));
    if (v->c == 2)
        bytes = figure_sum(bytes, figure_bytes(elements, DTYPE_I8));
    return (struct op_cost){figure_product(elements, v->b), bytes, dtype, false};
}

struct op_cost cost_copy(const struct op_call *call, const struct op_variant *v)
{
    const int64_t bytes = figure_sum(call_bytes(call, (uint32_t)v->a), call_bytes(call, (uint32_t)v->b));
    return (struct op_cost){call_has(call, (uint32_t)v->a) ? 0 : -1, bytes, call_dtype(call, (uint32_t)v->a), false};
}

struct op_cost cost_fill(const struct op_call *call, const struct op_variant *v)
{
    const uint32_t i = (uint32_t)v->a;
    return (struct op_cost){call_has(call, i) ? 0 : -1, call_bytes(call, i), call_dtype(call, i), false};
}

/* The profiler writes no types inside a list, so the traffic stays unknown. */
struct op_cost cost_lists(const struct op_call *call, const struct op_variant *v)
{
    if (!call->shape.count || !call->shape.arguments[0].list)
        return no_cost();
    return (struct op_cost){figure_product(call_elements(call, 0), v->a), -1, DTYPE_UNKNOWN, false};
}

/* The axes that go, where the call names them: "[0, 2]" or "1". False: it names none. */
static bool named_axes(const struct op_call *call, uint32_t place, int64_t *axes, uint32_t room, uint32_t *count)
{
    *count = integers_parse(text_list_at(&call->values, place), axes, room);
    if (!*count && call_integer(call, place, axes))
        *count = 1;
    return *count > 0;
}

/* Elements that are left without these axes; -1 where there is no such axis. */
static int64_t without_axes(struct tensor_dims input, const int64_t *axes, uint32_t count)
{
    int64_t elements = dims_elements(input);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t at = axes[i] < 0 ? axes[i] + input.rank : axes[i];
        if (at < 0 || at >= input.rank)
            return -1;
        if (input.at[at] > 0 && elements > 0)
            elements /= input.at[at];
    }
    return elements;
}

/*
 * Elements of the result. sum(self, dtype) leaves one; sum(self, dim, keepdim, dtype) has more arguments and says in
 * the values which dimensions go: none named, all of them; values not recorded, nobody knows.
 */
static int64_t reduced_elements(const struct op_call *call, uint32_t place)
{
    int64_t axes[8];
    uint32_t count;
    if (call->shape.count <= place + 1)
        return 1;
    if (named_axes(call, place, axes, 8, &count))
        return without_axes(call_dims(call, 0), axes, count);
    return call->values.count > place ? 1 : -1;
}

struct op_cost cost_reduction(const struct op_call *call, const struct op_variant *v)
{
    if (!call_has(call, 0))
        return no_cost();
    if (call_dims(call, (uint32_t)v->b).rank > 0) /* max(self, other) */
        return cost_elementwise(call, &(struct op_variant){.a = 2, .b = 1});
    const int64_t left = reduced_elements(call, (uint32_t)v->b);
    const int64_t written = figure_bytes(left, v->c ? DTYPE_I64 : call_dtype(call, 0));
    const int64_t flops = figure_product(call_elements(call, 0), v->a);
    return (struct op_cost){flops, figure_sum(call_bytes(call, 0), written), call_dtype(call, 0), false};
}

struct op_cost cost_rows(const struct op_call *call, const struct op_variant *v)
{
    const uint32_t input = (uint32_t)v->a;
    if (!call_has(call, input))
        return no_cost();
    const int64_t passes = figure_product(call_bytes(call, input), v->c + v->d);
    return (struct op_cost){figure_product(call_elements(call, input), v->b), passes, call_dtype(call, input), false};
}

struct op_cost cost_loss(const struct op_call *call, const struct op_variant *v)
{
    if (!call_has(call, 0) || !call_has(call, 1))
        return no_cost();
    const int64_t read = figure_sum(call_bytes(call, 0), call_bytes(call, 1));
    return (struct op_cost){figure_product(call_elements(call, 0), v->a), read, call_dtype(call, 0), false};
}
