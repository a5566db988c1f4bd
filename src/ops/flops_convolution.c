/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions, as torch.utils.flop_counter counts them (conv_flop_count,
 * conv_backward_flop). Each output position of each image costs two operations a
 * weight: 2 N prod(output positions) prod(weight sizes), whatever the groups, as
 * the weight [Cout, Cin / groups, kernel...] has them divided out. A transposed
 * one scatters from each input position instead.
 *
 * The output's size follows from padding, stride and dilation, which stand in
 * Concrete Inputs; where those were not recorded it is unknown.
 */
#include "flops_formula.h"

enum { SPATIAL = 3 };

/* Where a schema keeps what the output's size depends on. */
struct places {
    uint32_t stride, padding, dilation;
    int transposed; /* place of the flag; -1: never, -2: always */
};

/* The variants of cost_convolution, by op_variant.a. */
static const struct places schemas[] = {
    {3, 4, 5, 6},  /* 0: convolution, _convolution: input weight bias stride padding dilation transposed ... */
    {3, 2, 4, -1}, /* 1: cudnn_convolution: input weight padding stride dilation groups */
    {4, 3, 5, -1}, /* 2: miopen_, mkldnn_, old cudnn_convolution: input weight bias padding stride dilation groups */
    {3, 4, 5,
     -1}, /* 3: conv1d, conv2d, conv3d, cudnn_convolution_relu: input weight bias stride padding dilation groups */
    {4, 5, 6, -1}, /* 4: _conv_depthwise2d: input weight kernel_size bias stride padding dilation */
    {0, 0, 0, -2}, /* 5: transposed: the output's size does not matter */
};

/* floor((size + 2 padding - dilation (kernel - 1) - 1) / stride) + 1; -1 where that is no size. */
static int64_t output_size(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation)
{
    const int64_t most = (int64_t)1 << 31;
    if (stride < 1 || padding < 0 || dilation < 1 || kernel < 1 || size > most || kernel > most || padding > most ||
        dilation > most)
        return -1;
    const int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
    return room < 0 ? -1 : room / stride + 1;
}

static int64_t output_positions(const struct op_call *call, const struct places *at, struct tensor_dims input,
                                struct tensor_dims weight)
{
    int64_t stride[SPATIAL], padding[SPATIAL], dilation[SPATIAL];
    const uint32_t spatial = input.rank - 2;
    if (!call_sizes(call, at->stride, spatial, stride) || !call_sizes(call, at->padding, spatial, padding) ||
        !call_sizes(call, at->dilation, spatial, dilation))
        return -1;
    int64_t positions = 1;
    for (uint32_t i = 0; i < spatial; i++)
        positions = figure_product(positions,
                                   output_size(input.at[2 + i], weight.at[2 + i], stride[i], padding[i], dilation[i]));
    return positions;
}

/* An old cudnn_convolution had a bias, which moves everything behind it by one. */
static const struct places *places_of(const struct op_call *call, int variant)
{
    const bool bias = variant == 1 && !str_starts(text_list_at(&call->values, 2), S("["));
    return &schemas[bias ? 2 : variant];
}

static int64_t two_a_weight(int64_t images, int64_t positions, struct tensor_dims weight)
{
    return figure_product(2, figure_product(figure_product(images, positions), dims_elements(weight)));
}

static bool convolution_sizes(struct tensor_dims input, struct tensor_dims weight)
{
    return input.rank == weight.rank && input.rank >= 3 && input.rank <= 2 + SPATIAL;
}

struct op_cost cost_convolution(const struct op_call *call, const struct op_variant *v)
{
    const struct tensor_dims input = call_dims(call, 0), weight = call_dims(call, 1);
    if (!convolution_sizes(input, weight))
        return no_cost();
    const struct places *at = places_of(call, v->a);
    bool transposed = at->transposed == -2;
    if (at->transposed >= 0 && !call_boolean(call, (uint32_t)at->transposed, &transposed))
        return no_cost();

    const enum dtype dtype = call_dtype(call, 0);
    const int64_t inputs = dims_elements(dims_from(input, 2));
    const int64_t outputs = transposed ? -1 : output_positions(call, at, input, weight);
    const int64_t written = figure_product(figure_product(input.at[0], outputs), weight.at[0]);
    return (struct op_cost){
        .flops = two_a_weight(input.at[0], transposed ? inputs : outputs, weight),
        .bytes = figure_sum(figure_sum(call_bytes(call, 0), call_bytes(call, 1)), figure_bytes(written, dtype)),
        .dtype = dtype,
        .matrix = true,
    };
}

/* output_mask "[True, True, False]": whether the gradients of input and weight are wanted. Not recorded: both. */
static void wanted(const struct op_call *call, uint32_t place, bool *input, bool *weight)
{
    str mask = text_list_at(&call->values, place), part;
    *input = *weight = true;
    if (!str_starts(mask, S("[")))
        return;
    mask = str_from(mask, 1);
    if (str_cut(&mask, ',', &part))
        *input = !str_has_nocase(part, S("false"));
    if (str_cut(&mask, ',', &part))
        *weight = !str_has_nocase(part, S("false"));
}

/*
 * Either gradient is a convolution as large as the forward one. Its positions are those of grad_output, or for a
 * transposed convolution those of the input.
 */
struct op_cost cost_convolution_backward(const struct op_call *call, const struct op_variant *v)
{
    const struct tensor_dims gradient = call_dims(call, (uint32_t)v->a), input = call_dims(call, (uint32_t)v->b);
    const struct tensor_dims weight = call_dims(call, (uint32_t)v->c);
    if (!convolution_sizes(gradient, weight) || !convolution_sizes(input, weight))
        return no_cost();
    bool transposed = false, of_input, of_weight;
    if (v->a == 0) /* convolution_backward; the old operators of one library were never transposed */
        call_boolean(call, 7, &transposed);
    wanted(call, (uint32_t)v->d, &of_input, &of_weight);

    const struct tensor_dims positions = dims_from(transposed ? input : gradient, 2);
    const int64_t once = two_a_weight(gradient.at[0], dims_elements(positions), weight);
    const int64_t gradients = of_input + of_weight;
    int64_t bytes = call_bytes(call, (uint32_t)v->a);
    bytes =
        figure_sum(bytes, figure_product(call_bytes(call, (uint32_t)v->b), gradients)); /* read for dW, written as dX */
    bytes =
        figure_sum(bytes, figure_product(call_bytes(call, (uint32_t)v->c), gradients)); /* read for dX, written as dW */
    return (struct op_cost){figure_product(once, gradients), bytes, call_dtype(call, (uint32_t)v->b), true};
}
