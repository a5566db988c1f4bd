/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices: 2 m n k, as torch.utils.flop_counter counts them
 * (mm_flop, addmm_flop, bmm_flop, baddbmm_flop).
 */
#include "flops_formula.h"

/* batch products of m x k with k x n; each operand is read and the result written once. */
static struct op_cost product(const struct op_call *call, uint32_t first, uint32_t second, int64_t batch, int64_t m,
                              int64_t n, int64_t k)
{
    const enum dtype dtype = call_dtype(call, first);
    const int64_t results = figure_product(batch, figure_product(m, n));
    const int64_t read = figure_sum(call_bytes(call, first), call_bytes(call, second));
    return (struct op_cost){
        .flops = figure_product(2, figure_product(results, k)),
        .bytes = figure_sum(read, figure_bytes(results, dtype)),
        .dtype = dtype,
        .matrix = true,
    };
}

struct op_cost cost_mm(const struct op_call *call, const struct op_variant *v)
{
    const struct tensor_dims a = call_dims(call, (uint32_t)v->a), b = call_dims(call, (uint32_t)v->b);
    if (a.rank != 2 || (b.rank != 2 && b.rank != 1) || a.at[1] != b.at[0])
        return no_cost();
    return product(call, (uint32_t)v->a, (uint32_t)v->b, 1, a.at[0], b.rank == 2 ? b.at[1] : 1, a.at[1]);
}

struct op_cost cost_bmm(const struct op_call *call, const struct op_variant *v)
{
    const struct tensor_dims a = call_dims(call, (uint32_t)v->a), b = call_dims(call, (uint32_t)v->b);
    if (a.rank != 3 || b.rank != 3 || a.at[0] != b.at[0] || a.at[2] != b.at[1])
        return no_cost();
    return product(call, (uint32_t)v->a, (uint32_t)v->b, a.at[0], a.at[1], b.at[2], a.at[2]);
}

/* input [..., k], weight [n, k] or [k]. */
struct op_cost cost_linear(const struct op_call *call, const struct op_variant *v)
{
    (void)v;
    const struct tensor_dims input = call_dims(call, 0), weight = call_dims(call, 1);
    if (input.rank < 1 || weight.rank < 1 || weight.rank > 2)
        return no_cost();
    const int64_t k = weight.at[weight.rank - 1], n = weight.rank == 2 ? weight.at[0] : 1;
    if (input.at[input.rank - 1] != k)
        return no_cost();
    const int64_t m = dims_elements((struct tensor_dims){input.at, input.rank - 1});
    return product(call, 0, 1, 1, m, n, k);
}

/* Batch dimensions of both operands broadcast from the right; -1 where they do not. */
static int64_t broadcast_batch(struct tensor_dims a, struct tensor_dims b)
{
    const uint32_t a_rank = a.rank > 2 ? a.rank - 2 : 0, b_rank = b.rank > 2 ? b.rank - 2 : 0;
    int64_t batch = 1;
    for (uint32_t i = 0; i < a_rank || i < b_rank; i++) {
        const int64_t x = i < a_rank ? a.at[a_rank - 1 - i] : 1, y = i < b_rank ? b.at[b_rank - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            return -1;
        batch = figure_product(batch, x == 1 ? y : x);
    }
    return batch;
}

/* A vector is a row on the left and a column on the right. */
struct op_cost cost_matmul(const struct op_call *call, const struct op_variant *v)
{
    (void)v;
    const struct tensor_dims a = call_dims(call, 0), b = call_dims(call, 1);
    if (a.rank < 1 || b.rank < 1)
        return no_cost();
    const int64_t m = a.rank > 1 ? a.at[a.rank - 2] : 1, k = a.at[a.rank - 1];
    const int64_t n = b.rank > 1 ? b.at[b.rank - 1] : 1, k_too = b.rank > 1 ? b.at[b.rank - 2] : b.at[0];
    const int64_t batch = broadcast_batch(a, b);
    if (k != k_too || batch < 0)
        return no_cost();
    return product(call, 0, 1, batch, m, n, k);
}
