/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaled dot-product attention, as torch.utils.flop_counter counts it
 * (sdpa_flop_count, sdpa_backward_flop_count): with queries [B, H, Sq, D], keys
 * [B, Hk, Sk, D] and values [B, Hk, Sk, Dv],
 *
 *     forward   2 B H Sq Sk (D + Dv)        Q K^T and P V
 *     backward  2 B H Sq Sk (3 D + 2 Dv)    Q K^T again, dV, dP, dQ, dK
 *
 * A causal mask on a square needs half of it: only the kernels that skip the
 * other half carry the flag.
 */
#include "flops_formula.h"

struct sizes {
    int64_t batch, heads, queries, keys, depth, value_depth;
};

/* v->b: [B, S, H, D] instead of [B, H, S, D]. */
static bool read_sizes(const struct op_call *call, const struct op_variant *v, struct sizes *s)
{
    const struct tensor_dims q = call_dims(call, (uint32_t)v->a), k = call_dims(call, (uint32_t)v->a + 1);
    const struct tensor_dims values = call_dims(call, (uint32_t)v->a + 2);
    if (q.rank != 4 || k.rank != 4 || values.rank != 4)
        return false;
    const int sequence = v->b ? 1 : 2, head = v->b ? 2 : 1;
    *s = (struct sizes){q.at[0], q.at[head], q.at[sequence], k.at[sequence], q.at[3], values.at[3]};
    return k.at[3] == s->depth && k.at[0] == s->batch;
}

/* v->c: place of the flag, v->d: place of the kind of mask (0: none); the one that is not there is -1. */
static bool causal(const struct op_call *call, const struct op_variant *v)
{
    bool flag = false;
    int64_t kind = 0;
    if (v->c >= 0)
        call_boolean(call, (uint32_t)v->c, &flag);
    if (v->d >= 0)
        call_integer(call, (uint32_t)v->d, &kind);
    return flag || kind > 0;
}

static int64_t attention_flops(const struct op_call *call, const struct op_variant *v, const struct sizes *s,
                               int64_t depths)
{
    const int64_t pairs = figure_product(figure_product(s->batch, s->heads), figure_product(s->queries, s->keys));
    const int64_t flops = figure_product(2, figure_product(pairs, depths));
    return flops > 0 && s->queries == s->keys && causal(call, v) ? flops / 2 : flops;
}

struct op_cost cost_attention(const struct op_call *call, const struct op_variant *v)
{
    struct sizes s;
    if (!read_sizes(call, v, &s))
        return no_cost();
    const enum dtype dtype = call_dtype(call, (uint32_t)v->a);
    const int64_t output = figure_product(figure_product(s.batch, s.heads), figure_product(s.queries, s.value_depth));
    int64_t bytes = figure_bytes(output, dtype);
    for (uint32_t i = 0; i < 3; i++)
        bytes = figure_sum(bytes, call_bytes(call, (uint32_t)v->a + i));
    return (struct op_cost){attention_flops(call, v, &s, figure_sum(s.depth, s.value_depth)), bytes, dtype, true};
}

/* Reads dO, Q, K, V and O, writes dQ, dK and dV: O and dO have the queries' heads and the values' depth. */
struct op_cost cost_attention_backward(const struct op_call *call, const struct op_variant *v)
{
    struct sizes s;
    if (!read_sizes(call, v, &s))
        return no_cost();
    const enum dtype dtype = call_dtype(call, (uint32_t)v->a);
    const int64_t output = figure_product(figure_product(s.batch, s.heads), figure_product(s.queries, s.value_depth));
    int64_t bytes = figure_product(2, figure_bytes(output, dtype));
    for (uint32_t i = 0; i < 3; i++)
        bytes = figure_sum(bytes, figure_product(2, call_bytes(call, (uint32_t)v->a + i)));
    const int64_t depths = figure_sum(figure_product(3, s.depth), figure_product(2, s.value_depth));
    return (struct op_cost){attention_flops(call, v, &s, depths), bytes, dtype, true};
}
