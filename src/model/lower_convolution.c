/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions and fused attention. Padding, stride and groups stand in the
 * values of the call. Old recordings have no values: then they follow from the
 * sizes of input and output. Of a gradient call the output is as large as the
 * incoming gradient, of a forward call as what the next call reads that has as
 * many images and channels.
 */
#include "lower_work.h"

struct window {
    int64_t stride, padding, groups;
};

struct convolution {
    struct tensor_dims input, weight; /* [N, C, H, W], [Cout, Cin / groups, h, w]; one dimension less of conv1d */
    struct window window;
    bool transposed;
    enum dtype dtype;
};

static const char no_window[] = "its stride, padding and groups were not recorded";
static const char no_images[] = "its input or weight is not recorded as images are";

static int64_t size_at(struct tensor_dims dims, uint32_t i, int64_t otherwise)
{
    return i < dims.rank ? dims.at[i] : otherwise;
}

/* The first of the sizes recorded as argument i: windows are square but for very few. */
static bool first_size(const struct op_call *call, int i, int64_t *size)
{
    int64_t sizes[3];
    if (i < 0)
        return false;
    if (call_integer(call, (uint32_t)i, size))
        return true;
    if (!integers_parse(text_list_at(&call->values, (uint32_t)i), sizes, 3))
        return false;
    *size = sizes[0];
    return true;
}

static bool read_window(const struct op_call *call, int padding, int stride, int groups, struct window *window)
{
    window->groups = 1;
    if (!first_size(call, padding, &window->padding) || !first_size(call, stride, &window->stride))
        return false;
    first_size(call, groups, &window->groups);
    const int64_t most = 1 << 20; /* beyond it, no window of anybody */
    return window->stride > 0 && window->padding >= 0 && window->groups > 0 && window->stride < most &&
           window->padding < most && window->groups < most;
}

/* ---- windows from sizes ---- */

enum { SIDE_MOST = 1 << 20 };

static int64_t places(int64_t size, int64_t kernel, const struct window *window)
{
    const int64_t room = size + 2 * window->padding - kernel;
    return room < 0 ? 0 : room / window->stride + 1;
}

static bool image_fits(struct tensor_dims dims)
{
    bool fits = dims.rank == 3 || dims.rank == 4;
    for (uint32_t i = 0; fits && i < dims.rank; i++)
        fits = dims.at[i] > 0 && dims.at[i] < SIDE_MOST;
    return fits;
}

/* The least padding with which windows at this stride give the output. */
static bool stride_leads(const struct convolution *c, struct tensor_dims output, int64_t stride, struct window *window)
{
    const struct tensor_dims in = c->input, w = c->weight;
    const int64_t missing = (output.at[2] - 1) * stride + w.at[2] - in.at[2];
    *window = (struct window){stride, missing > 0 ? (missing + 1) / 2 : 0, in.at[1] / w.at[1]};
    for (uint32_t i = 2; i < in.rank; i++)
        if (places(in.at[i], w.at[i], window) != output.at[i])
            return false;
    return window->groups > 0 && window->padding <= w.at[2];
}

/* Of the strides about input / output the least that leads there. */
static bool window_between(const struct convolution *c, struct tensor_dims output, struct window *window)
{
    if (output.rank != c->input.rank || !image_fits(output) || !image_fits(c->input) || !image_fits(c->weight) ||
        output.at[0] != c->input.at[0] || output.at[1] != c->weight.at[0])
        return false;
    const int64_t about = c->input.at[2] / output.at[2];
    for (int64_t stride = about > 1 ? about : 1; stride <= about + 1; stride++)
        if (stride_leads(c, output, stride, window))
            return true;
    return false;
}

/* From the nearest of the calls that follow whose first tensor can be the output. */
static bool window_of_next(const struct lower_work *work, const struct convolution *c, struct window *window)
{
    bool found = false;
    for (uint32_t i = 0; i < work->asked->after_count && !found; i++) {
        struct arena scratch = {0};
        struct op_call next = {0};
        if (shape_parse(work->asked->after[i]->dims, &scratch, &next.shape))
            found = window_between(c, call_dims(&next, 0), window);
        arena_free(&scratch);
    }
    return found;
}

/*
 * The form's sizes. A transposed one is the gradient of the plain one that leads from its output to its input: the same
 * products, so channels change places and the positions are those of its output.
 */
static void add_convolution(struct lower_work *work, const struct convolution *c, const char *variant)
{
    const struct tensor_dims in = c->input, w = c->weight;
    const bool line = in.rank == 3;
    const int64_t kernel_h = line ? 1 : size_at(w, 2, 1), kernel_w = line ? size_at(w, 2, 1) : size_at(w, 3, 1);
    int64_t height = line ? 1 : size_at(in, 2, 1), width = line ? size_at(in, 2, 1) : size_at(in, 3, 1);
    int64_t channels = size_at(in, 1, 0), filters = size_at(w, 0, 0);
    if (c->transposed) {
        filters = channels;
        channels = figure_product(size_at(w, 1, 0), c->window.groups);
        height = line ? 1 : (height - 1) * c->window.stride + kernel_h - 2 * c->window.padding;
        width = (width - 1) * c->window.stride + kernel_w - 2 * c->window.padding;
    }
    lower_add(work, FORM_CONVOLUTION, c->dtype,
              (const int64_t[]){size_at(in, 0, 0), channels, filters, kernel_h, kernel_w, height, width,
                                c->window.stride, c->window.padding, c->window.groups});
    if (!work->count)
        return;
    lower_last(work)->variant = str_of(variant);
    lower_last(work)->backward = variant[0] != '\0';
}

static bool images_fit(struct tensor_dims input, struct tensor_dims weight)
{
    return (input.rank == 3 || input.rank == 4) && weight.rank == input.rank;
}

/* v->c: groups; the flag of transposition, where there is one, stands two places before them (convolution). */
bool lower_convolution(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    struct convolution c = {call_dims(call, 0), call_dims(call, 1), {0}, false, lower_dtype(call, 0)};
    if (!images_fit(c.input, c.weight))
        return lower_miss(work, no_images);
    if (!read_window(call, v->a, v->b, v->c, &c.window) && !window_of_next(work, &c, &c.window))
        return lower_miss(work, no_window);
    if (v->c == 8)
        call_boolean(call, 6, &c.transposed);
    else
        c.transposed = str_has(work->asked->name, S("transpose"));
    add_convolution(work, &c, c.transposed ? "data" : "");
    return true;
}

/* Whether the gradient of an argument is wanted: the mask is a list of three; wanted where not recorded. */
static bool wanted(const struct op_call *call, uint32_t argument)
{
    str rest = text_list_at(&call->values, call->values.count ? call->values.count - 1 : 0), flag;
    for (uint32_t i = 0; str_cut(&rest, ',', &flag); i++)
        if (i == argument)
            return !str_has_nocase(flag, S("false"));
    return true;
}

/* Where the gradient call has padding, stride and groups; those of the forward call are `convolution`'s. */
static bool back_window(const struct op_call *call, bool node, bool input_first, struct window *window)
{
    if (node)
        return read_window(call, 4, 3, 8, window);
    return input_first ? read_window(call, 3, 4, 6, window) : read_window(call, 5, 4, 9, window);
}

/*
 * convolution_backward(grad, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups),
 * cudnn_convolution_backward(input, grad, weight, padding, stride, dilation, groups, ..., mask)
 */
bool lower_convolution_back(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *own = &work->call;
    const bool node = call_dims(own, (uint32_t)v->c).rank < 3; /* an autograd node: its forward call knows */
    const struct op_call *call = node ? &work->forward : own;
    const uint32_t first = node ? 0 : (uint32_t)v->b;
    struct convolution c = {
        call_dims(call, first), call_dims(call, node ? 1 : (uint32_t)v->c), {0}, false, lower_dtype(call, first)};
    if (!images_fit(c.input, c.weight))
        return lower_miss(work, no_images);
    if (!back_window(call, node, v->b == 0, &c.window) &&
        !window_between(&c, call_dims(own, node ? 0 : (uint32_t)v->a), &c.window))
        return lower_miss(work, no_window);
    if (node || wanted(own, 0))
        add_convolution(work, &c, "data");
    if (node || wanted(own, 1))
        add_convolution(work, &c, "weight");
    return true;
}

/* ---- attention ---- */

static bool add_attention(struct lower_work *work, const struct lower_variant *v, uint32_t first, bool backward)
{
    const struct op_call *call = &work->call;
    const struct tensor_dims q = call_dims(call, first), k = call_dims(call, first + 1);
    if (q.rank != 4 || k.rank != 4)
        return lower_miss(work, "its queries and keys were not recorded");
    const int sequence = v->b ? 1 : 2, head = v->b ? 2 : 1;
    bool causal = false;
    if (v->a >= 0)
        call_boolean(call, (uint32_t)v->a, &causal);
    lower_add(work, FORM_ATTENTION, lower_dtype(call, first),
              (const int64_t[]){q.at[0], q.at[head], q.at[sequence], k.at[sequence], q.at[3], causal});
    if (work->count)
        lower_last(work)->backward = backward;
    return true;
}

bool lower_attention(struct lower_work *work, const struct lower_variant *v)
{
    return add_attention(work, v, 0, false);
}

bool lower_attention_back(struct lower_work *work, const struct lower_variant *v)
{
    return add_attention(work, v, 1, true);
}
