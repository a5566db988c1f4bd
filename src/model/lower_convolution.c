/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions and fused attention. Padding, stride and groups stand in the
 * values of the call; without them the output's size is unknown, and so is the
 * work. Of a gradient call the output's size is that of the incoming gradient.
 */
#include "model/lower_work.h"

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
    if (!read_window(call, v->a, v->b, v->c, &c.window))
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

/* convolution_backward(grad, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups) */
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
    if (!read_window(call, node ? 4 : 5, node ? 3 : 4, node ? 8 : 9, &c.window))
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
