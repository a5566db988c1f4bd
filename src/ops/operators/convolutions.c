/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions, as torch.utils.flop_counter counts them (conv_flop_count,
 * conv_backward_flop). Each output position of each image costs two operations a
 * weight: 2 N prod(output positions) prod(weight sizes), whatever the groups, as
 * the weight [Cout, Cin / groups, kernel...] has them divided out. A transposed
 * one scatters from each input position instead.
 *
 * Padding, stride and dilation stand in the values of the call. Old recordings
 * have no values: then kernels follow from the sizes of input and output, and the
 * least work stays unknown. Of a gradient call the output is as large as the
 * incoming gradient, of a forward call as what the next call reads that has as
 * many images and channels.
 */
#include "reading.h"

/* As the plain convolution that it is, or whose gradient it is: a transposed one leads from its output to its input. */
struct convolution {
    int64_t images, in, out, groups;
    struct axis axes[KERNEL_AXES];
    enum dtype dtype;
};

static const char no_window[] = "its stride, padding and dilation were not recorded";
static const char no_images[] = "its input or weight is not recorded as images are";

static bool are_images(struct tensor_dims input, struct tensor_dims weight)
{
    return input.rank >= 3 && input.rank <= 2 + KERNEL_AXES && weight.rank == input.rank;
}

/* input [N, C, spatial...], weight [Cout, Cin / groups, spatial...]; fewer axes leave those in front at one. */
static struct convolution convolution_of(struct tensor_dims input, struct tensor_dims weight, enum dtype dtype)
{
    const uint32_t spatial = input.rank - 2, first = KERNEL_AXES - spatial;
    const int64_t each = weight.at[1];
    struct convolution c = {.images = input.at[0], .in = input.at[1], .out = weight.at[0], .dtype = dtype};
    c.groups = each > 0 && c.in % each == 0 ? c.in / each : 1;
    for (uint32_t i = 0; i < KERNEL_AXES; i++)
        c.axes[i] = i < first ? axis_of_one()
                              : (struct axis){.size = input.at[2 + i - first], .window = weight.at[2 + i - first]};
    return c;
}

static void add_convolution(struct reading *reading, const struct convolution *c, const char *variant)
{
    struct kernel kernel = {
        .form = FORM_CONVOLUTION,
        .backward = variant[0] != '\0',
        .dtype = c->dtype,
        .variant = str_of(variant),
        .convolution = {.batch = c->images, .in = c->in, .out = c->out, .groups = c->groups},
    };
    for (int i = 0; i < KERNEL_AXES; i++)
        kernel.convolution.axes[i] = c->axes[i];
    reading_add(reading, kernel);
}

/* ---- windows as recorded ---- */

enum { WINDOW_MOST = 1 << 20 }; /* beyond it, no window of anybody */

static bool is_window(const struct axis *axis)
{
    return axis->stride > 0 && axis->padding >= 0 && axis->dilation > 0 && axis->stride < WINDOW_MOST &&
           axis->padding < WINDOW_MOST && axis->dilation < WINDOW_MOST;
}

/* `later`: how many places further back all of them stand. Without a recorded dilation, none. */
static bool read_window(const struct op_call *call, const struct window_places *at, int later, uint32_t spatial,
                        struct axis *axes)
{
    int64_t stride[KERNEL_AXES], padding[KERNEL_AXES], dilation[KERNEL_AXES] = {1, 1, 1};
    if (!call_sizes(call, at->stride + later, spatial, stride) ||
        !call_sizes(call, at->padding + later, spatial, padding))
        return false;
    if (!call_sizes(call, at->dilation + later, spatial, dilation))
        for (uint32_t i = 0; i < spatial; i++)
            dilation[i] = 1;
    for (uint32_t i = 0; i < spatial; i++) {
        struct axis *axis = &axes[KERNEL_AXES - spatial + i];
        axis->stride = stride[i];
        axis->padding = padding[i];
        axis->dilation = dilation[i];
        if (!is_window(axis))
            return false;
    }
    return true;
}

/* Operators of cuDNN had a bias once, which moves everything behind it by one. */
static int places_later(const struct op_call *call, const struct window_places *at)
{
    return at->padding == 2 && !str_starts(call_value(call, 2), S("[")) ? 1 : 0;
}

static bool is_transposed(const struct op_call *call, const struct window_places *at)
{
    bool flag = false;
    return at->always_transposed || (call_boolean(call, at->transposed, &flag) && flag);
}

/* ---- windows from sizes ---- */

static bool image_fits(struct tensor_dims dims)
{
    bool fits = dims.rank >= 3 && dims.rank <= 2 + KERNEL_AXES;
    for (uint32_t i = 0; fits && i < dims.rank; i++)
        fits = dims.at[i] > 0 && dims.at[i] < WINDOW_MOST;
    return fits;
}

/* Of one axis the least padding with which windows at this stride give so many positions. */
static bool stride_leads(struct axis *axis, int64_t positions, int64_t stride)
{
    const int64_t missing = (positions - 1) * stride + axis->window - axis->size;
    axis->stride = stride;
    axis->padding = missing > 0 ? (missing + 1) / 2 : 0;
    axis->dilation = 1;
    return axis_positions(axis) == positions && axis->padding <= axis->window;
}

/* Of the strides about input / output the least that leads to all sizes of the output. */
static bool window_between(struct convolution *c, struct tensor_dims input, struct tensor_dims weight,
                           struct tensor_dims output)
{
    if (output.rank != input.rank || !image_fits(output) || !image_fits(input) || !image_fits(weight) ||
        output.at[0] != input.at[0] || output.at[1] != weight.at[0])
        return false;
    const uint32_t spatial = input.rank - 2, first = KERNEL_AXES - spatial;
    const int64_t about = input.at[2] / output.at[2];
    for (int64_t stride = about > 1 ? about : 1; stride <= about + 1; stride++) {
        bool leads = true;
        for (uint32_t i = 0; i < spatial; i++)
            leads &= stride_leads(&c->axes[first + i], output.at[2 + i], stride);
        if (leads)
            return true;
    }
    return false;
}

/* From the nearest of the calls that follow whose first tensor can be the output. */
static bool window_of_next(const struct reading *reading, struct convolution *c)
{
    bool found = false;
    for (uint32_t i = 0; i < reading->asked->after_count && !found; i++) {
        struct arena scratch = {0};
        struct op_call next = {0};
        if (shape_parse(reading->asked->after[i]->dims, &scratch, &next.shape))
            found = window_between(c, call_dims(&reading->call, 0), call_dims(&reading->call, 1), call_dims(&next, 0));
        arena_free(&scratch);
    }
    return found;
}

/* ---- transposed ---- */

/*
 * What was read as plain is scattered: it is the gradient of the plain convolution that leads from its output to its
 * input. Weights are [Cin, Cout / groups, spatial...], and the groups stand in the values.
 */
static void turn(const struct op_call *call, const struct window_places *at, int later, struct convolution *c)
{
    const struct tensor_dims weight = call_dims(call, 1);
    const uint32_t spatial = weight.rank - 2;
    int64_t extra[KERNEL_AXES] = {0};
    c->groups = 1;
    if (call_integer(call, at->groups + later, &c->groups) && (c->groups < 1 || c->groups > WINDOW_MOST))
        c->groups = 1;
    c->in = figure_product(weight.at[1], c->groups);
    if (!call_sizes(call, at->output_padding + later, spatial, extra))
        memset(extra, 0, sizeof extra);
    for (uint32_t i = 0; i < spatial; i++) {
        struct axis *axis = &c->axes[KERNEL_AXES - spatial + i];
        const int64_t added = extra[i] > 0 && extra[i] < WINDOW_MOST ? extra[i] : 0;
        const int64_t reach = axis->dilation * (axis->window - 1) + 1;
        axis->size = (axis->size - 1) * axis->stride + reach - 2 * axis->padding + added;
    }
}

/* ---- forward ---- */

static int64_t two_a_weight(int64_t images, int64_t positions, struct tensor_dims weight)
{
    return figure_product(2, figure_product(figure_product(images, positions), dims_elements(weight)));
}

/* -1 where a window is larger than its input. */
static int64_t positions_of(const struct axis *axes)
{
    int64_t positions = 1;
    for (int i = 0; i < KERNEL_AXES; i++)
        positions = figure_product(positions, axis_positions(&axes[i]) > 0 ? axis_positions(&axes[i]) : -1);
    return positions;
}

/* Of a transposed one the arithmetic is known without its window, of a plain one nothing is. */
static void say_least(struct reading *reading, const struct convolution *c, bool transposed, bool window)
{
    const struct op_call *call = &reading->call;
    const struct tensor_dims input = call_dims(call, 0), weight = call_dims(call, 1);
    const enum dtype dtype = call_dtype(call, 0);
    const int64_t scattered = dims_elements(dims_from(input, 2)), gathered = window ? positions_of(c->axes) : -1;
    int64_t written = -1;
    if (window && transposed)
        written = figure_product(figure_product(c->images, c->in), (int64_t)axes_size(c->axes));
    else if (window)
        written = figure_product(figure_product(c->images, gathered), c->out);
    reading->least = (struct op_cost){
        .flops = two_a_weight(input.at[0], transposed ? scattered : gathered, weight),
        .bytes = sum_known(sum_known(call_bytes(call, 0), call_bytes(call, 1)), figure_bytes(written, dtype)),
        .dtype = dtype,
        .matrix = true,
    };
}

bool read_convolution(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const struct window_places *at = reading->row->window;
    const struct tensor_dims input = call_dims(call, 0), weight = call_dims(call, 1);
    if (!are_images(input, weight))
        return reading_miss(reading, no_images);
    struct convolution c = convolution_of(input, weight, call_kernel_dtype(call, 0));
    const int later = places_later(call, at);
    bool flag;
    const bool transposed = is_transposed(call, at);
    const bool told = at->transposed == NO_ARGUMENT || call_boolean(call, at->transposed, &flag);
    const bool window = read_window(call, at, later, input.rank - 2, c.axes);
    if (window && transposed)
        turn(call, at, later, &c);
    if (told)
        say_least(reading, &c, transposed, window);
    if (!window && (transposed || !window_of_next(reading, &c)))
        return reading_miss(reading, no_window);
    add_convolution(reading, &c, transposed ? "data" : "");
    return true;
}

/* ---- gradients ---- */

/* output_mask "[True, True, False]", the last argument: whether the gradient of input or weight is wanted. */
static bool wanted(const struct op_call *call, uint32_t argument)
{
    str mask = call_value(call, (int)call->values.count - 1), flag;
    for (uint32_t i = 0; str_cut(&mask, ',', &flag); i++)
        if (i == argument)
            return !str_has_nocase(flag, S("false"));
    return true; /* not recorded */
}

/* Either gradient is a convolution as large as the forward one: its positions are those of what was gathered. */
static void say_least_gradients(struct reading *reading, bool transposed, bool of_input, bool of_weight)
{
    const struct op_call *call = &reading->call;
    const int gradient = reading->row->tensor, input = reading->row->with, weight = 2;
    const struct tensor_dims positions = dims_from(call_dims(call, transposed ? input : gradient), 2);
    const int64_t wanted_ones = of_input + of_weight;
    const int64_t once =
        two_a_weight(call_dims(call, gradient).at[0], dims_elements(positions), call_dims(call, weight));
    /* Input and weight are read for the gradient of the other and written as their own. */
    int64_t bytes = call_bytes(call, gradient);
    bytes = sum_known(bytes, figure_product(call_bytes(call, input), wanted_ones));
    bytes = sum_known(bytes, figure_product(call_bytes(call, weight), wanted_ones));
    reading->least = (struct op_cost){figure_product(once, wanted_ones), bytes, call_dtype(call, input), true};
}

static bool add_gradients(struct reading *reading, const struct convolution *c, bool of_input, bool of_weight)
{
    if (of_input)
        add_convolution(reading, c, "data");
    if (of_weight)
        add_convolution(reading, c, "weight");
    return true;
}

/* An autograd node has but the incoming gradient; its forward call knows the rest. */
static bool read_node(struct reading *reading)
{
    const struct op_call *call = &reading->forward;
    const struct operator_row *row = operator_row_of(reading->asked->forward);
    const struct window_places *at = row ? row->window : NULL;
    const struct tensor_dims input = call_dims(call, 0), weight = call_dims(call, 1);
    if (!are_images(input, weight))
        return reading_miss(reading, no_images);
    struct convolution c = convolution_of(input, weight, call_kernel_dtype(call, 0));
    const int later = at ? places_later(call, at) : 0;
    const bool window = at && read_window(call, at, later, input.rank - 2, c.axes);
    if (!window && !window_between(&c, input, weight, call_dims(&reading->call, 0)))
        return reading_miss(reading, no_window);
    if (window && is_transposed(call, at))
        turn(call, at, later, &c);
    return add_gradients(reading, &c, true, true);
}

bool read_convolution_gradients(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const struct window_places *at = reading->row->window;
    const struct tensor_dims gradient = call_dims(call, reading->row->tensor);
    const struct tensor_dims input = call_dims(call, reading->row->with), weight = call_dims(call, 2);
    if (weight.rank < 3)
        return read_node(reading);
    if (!are_images(input, weight) || gradient.rank != input.rank)
        return reading_miss(reading, no_images);
    const bool transposed = is_transposed(call, at);
    const bool of_input = wanted(call, 0), of_weight = wanted(call, 1);
    say_least_gradients(reading, transposed, of_input, of_weight);

    const struct tensor_dims from = transposed ? gradient : input, to = transposed ? input : gradient;
    struct convolution c = convolution_of(from, weight, call_kernel_dtype(call, reading->row->with));
    if (!read_window(call, at, 0, input.rank - 2, c.axes) && !window_between(&c, from, weight, to))
        return reading_miss(reading, no_window);
    return add_gradients(reading, &c, of_input, of_weight);
}
