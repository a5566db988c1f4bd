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
#include "reading.h"

/* The flag, or the kind of a mask (0: none). */
static bool is_causal(const struct op_call *call, int place)
{
    bool flag = false;
    int64_t kind = 0;
    call_boolean(call, place, &flag);
    return flag || (call_integer(call, place, &kind) && kind > 0);
}

/* What is not recorded of keys and values is as of the queries. */
static struct kernel kernel_of(const struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int first = reading->row->tensor;
    const struct tensor_dims q = call_dims(call, first), k = call_dims(call, first + 1), v = call_dims(call, first + 2);
    const int sequence = reading->row->operands ? 1 : 2, head = reading->row->operands ? 2 : 1;
    return (struct kernel){
        .form = FORM_ATTENTION,
        .backward = reading->row->backward,
        .dtype = call_kernel_dtype(call, first),
        .attention = {.batch = q.at[0],
                      .heads = q.at[head],
                      .queries = q.at[sequence],
                      .keys = k.at[sequence],
                      .width = q.at[3],
                      .causal = is_causal(call, reading->row->place),
                      .key_heads = k.at[head],
                      .value_width = v.rank == 4 ? v.at[3] : q.at[3]},
    };
}

static int64_t flops_of(const struct kernel *kernel)
{
    const int64_t pairs = figure_product(figure_product(kernel->attention.batch, kernel->attention.heads),
                                         figure_product(kernel->attention.queries, kernel->attention.keys));
    const int64_t width = kernel->attention.width, values = kernel->attention.value_width;
    const int64_t depths = kernel->backward ? 3 * width + 2 * values : width + values;
    const int64_t flops = figure_product(2, figure_product(pairs, depths));
    const bool half = kernel->attention.causal && kernel->attention.queries == kernel->attention.keys;
    return flops > 0 && half ? flops / 2 : flops;
}

/*
 * Reads Q, K and V and writes O; backward reads dO, Q, K, V and O, writes dQ, dK and dV: O and dO have the queries' heads
 * and the values' depth.
 */
static void say_least(struct reading *reading, const struct kernel *kernel)
{
    const struct op_call *call = &reading->call;
    const int first = reading->row->tensor, times = kernel->backward ? 2 : 1;
    const enum dtype dtype = call_dtype(call, first);
    const int64_t output = figure_product(figure_product(kernel->attention.batch, kernel->attention.heads),
                                          figure_product(kernel->attention.queries, kernel->attention.value_width));
    int64_t bytes = figure_bytes(output, dtype);
    for (int i = 0; i < 3; i++)
        bytes = sum_known(bytes, call_bytes(call, first + i));
    reading->least = (struct op_cost){flops_of(kernel), figure_product(times, bytes), dtype, true};
}

bool read_attention(struct reading *reading)
{
    const int first = reading->row->tensor;
    const struct tensor_dims q = call_dims(&reading->call, first), k = call_dims(&reading->call, first + 1);
    if (q.rank != 4 || k.rank != 4)
        return reading_miss(reading, "its queries and keys were not recorded");
    const struct kernel kernel = kernel_of(reading);
    if (k.at[3] == q.at[3] && k.at[0] == q.at[0] && call_dims(&reading->call, first + 2).rank == 4)
        say_least(reading, &kernel);
    reading_add(reading, kernel);
    return true;
}
