/* SPDX-License-Identifier: Apache-2.0 */
/* The forms: their words, and their sizes as data. */
#include "kernel.h"

#include <stddef.h>
#include <string.h>

#define AT(member)      .offset = (uint32_t)offsetof(struct kernel, member)
#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

static const struct form_size product_sizes[] = {
    {.name = "b", .wrong = "b is 0 or less", AT(product.batch)},
    {.name = "m", .wrong = "m is 0 or less", AT(product.m)},
    {.name = "n", .wrong = "n is 0 or less", AT(product.reduced)},
    {.name = "k", .wrong = "k is 0 or less", AT(product.n)},
};

/* Tables may say one stride, padding and dilation for all axes, and leave out the depth of images that have none. */
static const struct form_size convolution_sizes[] = {
    {.name = "batch", .wrong = "the batch is 0 or less", AT(convolution.batch)},
    {.name = "in", .wrong = "there are no input channels", AT(convolution.in)},
    {.name = "out", .wrong = "there are no output channels", AT(convolution.out)},
    {.name = "kernel_h", .wrong = "the window has no height", AT(convolution.axes[1].window)},
    {.name = "kernel_w", .wrong = "the window has no width", AT(convolution.axes[2].window)},
    {.name = "height", .wrong = "the input has no height", AT(convolution.axes[1].size)},
    {.name = "width", .wrong = "the input has no width", AT(convolution.axes[2].size)},
    {.name = "stride_h", .shared = "stride", .wrong = "the stride is 0 or less", AT(convolution.axes[1].stride)},
    {.name = "stride_w", .shared = "stride", .wrong = "the stride is 0 or less", AT(convolution.axes[2].stride)},
    {.name = "padding_h",
     .shared = "padding",
     .wrong = "the padding is less than 0",
     .may_be_zero = true,
     AT(convolution.axes[1].padding)},
    {.name = "padding_w",
     .shared = "padding",
     .wrong = "the padding is less than 0",
     .may_be_zero = true,
     AT(convolution.axes[2].padding)},
    {.name = "groups", .wrong = "there are no groups", AT(convolution.groups)},
    {.name = "dilation_h",
     .shared = "dilation",
     .wrong = "the dilation is 0 or less",
     AT(convolution.axes[1].dilation),
     .optional = true,
     .otherwise = 1},
    {.name = "dilation_w",
     .shared = "dilation",
     .wrong = "the dilation is 0 or less",
     AT(convolution.axes[2].dilation),
     .optional = true,
     .otherwise = 1},
    {.name = "kernel_d",
     .wrong = "the window has no depth",
     AT(convolution.axes[0].window),
     .optional = true,
     .otherwise = 1},
    {.name = "depth",
     .wrong = "the input has no depth",
     AT(convolution.axes[0].size),
     .optional = true,
     .otherwise = 1},
    {.name = "stride_d",
     .wrong = "the stride is 0 or less",
     AT(convolution.axes[0].stride),
     .optional = true,
     .otherwise = 1},
    {.name = "padding_d",
     .wrong = "the padding is less than 0",
     .may_be_zero = true,
     AT(convolution.axes[0].padding),
     .optional = true},
    {.name = "dilation_d",
     .wrong = "the dilation is 0 or less",
     AT(convolution.axes[0].dilation),
     .optional = true,
     .otherwise = 1},
};

static const struct form_size elements_sizes[] = {
    {.name = "rows", .wrong = "rows is 0 or less", AT(elements.rows)},
    {.name = "cols", .wrong = "cols is 0 or less", AT(elements.cols)},
    {.name = "accesses", .wrong = "it reads and writes nothing", AT(elements.accesses)},
    {.name = "scattered",
     .wrong = "scattered is less than 0",
     .may_be_zero = true,
     AT(elements.scattered),
     .optional = true},
    {.name = "chunk", .wrong = "the chunk is less than 0", .may_be_zero = true, AT(elements.chunk), .optional = true},
};

static const struct form_size rows_sizes[] = {
    {.name = "rows", .wrong = "rows is 0 or less", AT(rows.rows)},
    {.name = "cols", .wrong = "cols is 0 or less", AT(rows.cols)},
};

static const struct form_size norm_sizes[] = {
    {.name = "batch", .wrong = "the batch is 0 or less", AT(norm.batch)},
    {.name = "channels", .wrong = "there are no channels", AT(norm.channels)},
    {.name = "positions", .wrong = "there are no positions", AT(norm.positions)},
};

static const struct form_size pooling_sizes[] = {
    {.name = "channels", .wrong = "there are no planes", AT(pooling.planes)},
    {.name = "positions_in", .wrong = "no positions are read", AT(pooling.in)},
    {.name = "positions_out", .wrong = "no positions are written", AT(pooling.out)},
    {.name = "window", .wrong = "the window is 0 or less", AT(pooling.window)},
};

static const struct form_size lookup_sizes[] = {
    {.name = "batch", .wrong = "the batch is 0 or less", AT(lookup.batch)},
    {.name = "tables", .wrong = "there are no tables", AT(lookup.tables)},
    {.name = "rows", .wrong = "a table has no rows", AT(lookup.rows)},
    {.name = "bag", .wrong = "the bag is empty", AT(lookup.bag)},
    {.name = "width", .wrong = "a row has no width", AT(lookup.width)},
};

static const struct form_size transpose_sizes[] = {
    {.name = "batch", .wrong = "the batch is 0 or less", AT(transpose.batch)},
    {.name = "rows", .wrong = "rows is 0 or less", AT(transpose.rows)},
    {.name = "cols", .wrong = "cols is 0 or less", AT(transpose.cols)},
};

static const struct form_size index_sizes[] = {
    {.name = "bytes_read", .wrong = "the bytes read are less than 0", .may_be_zero = true, AT(index.read)},
    {.name = "bytes_written", .wrong = "the bytes written are less than 0", .may_be_zero = true, AT(index.written)},
};

static const struct form_size concat_sizes[] = {
    {.name = "bytes_written", .wrong = "no bytes are written", AT(concat.written)},
    {.name = "parts", .wrong = "there are no parts", AT(concat.parts)},
};

static const struct form_size moved_sizes[] = {
    {.name = "bytes", .wrong = "there are no bytes", AT(moved.bytes)},
    {.name = "pinned", .wrong = "pinned is neither 0 nor 1", .may_be_zero = true, AT(moved.pinned)},
};

static const struct form_size copy_sizes[] = {
    {.name = "bytes", .wrong = "there are no bytes", AT(moved.bytes)},
    {.name = "scattered",
     .wrong = "scattered is less than 0",
     .may_be_zero = true,
     AT(moved.scattered),
     .optional = true},
};

static const struct form_size optimizer_sizes[] = {
    {.name = "parameters", .wrong = "there are no parameters", AT(optimizer.parameters)},
    {.name = "states", .wrong = "the states are fewer than 0", .may_be_zero = true, AT(optimizer.states)},
};

static const struct form_size attention_sizes[] = {
    {.name = "batch", .wrong = "the batch is 0 or less", AT(attention.batch)},
    {.name = "heads", .wrong = "there are no heads", AT(attention.heads)},
    {.name = "queries", .wrong = "there are no queries", AT(attention.queries)},
    {.name = "keys", .wrong = "there are no keys", AT(attention.keys)},
    {.name = "width", .wrong = "a head has no width", AT(attention.width)},
    {.name = "causal", .wrong = "causal is neither 0 nor 1", .may_be_zero = true, AT(attention.causal)},
    {.name = "key_heads",
     .shared = "kv_heads",
     .wrong = "the heads of keys are fewer than 0",
     .may_be_zero = true,
     AT(attention.key_heads),
     .optional = true},
    {.name = "value_width",
     .wrong = "the width of values is less than 0",
     .may_be_zero = true,
     AT(attention.value_width),
     .optional = true},
    {.name = "window",
     .wrong = "the window is less than 0",
     .may_be_zero = true,
     AT(attention.window),
     .optional = true},
    {.name = "latent",
     .wrong = "latent is neither 0 nor 1",
     .may_be_zero = true,
     AT(attention.latent),
     .optional = true},
};

static const struct form_size experts_sizes[] = {
    {.name = "tokens", .wrong = "there are no tokens", AT(experts.tokens)},
    {.name = "hidden", .wrong = "the hidden size is 0 or less", AT(experts.hidden)},
    {.name = "intermediate", .wrong = "an expert has no width", AT(experts.intermediate)},
    {.name = "experts", .wrong = "there are no experts", AT(experts.experts)},
    {.name = "topk", .wrong = "a token meets no expert", AT(experts.topk)},
    {.name = "tensor_parallel",
     .wrong = "the tensor group has no ranks",
     AT(experts.tensor_parallel),
     .optional = true,
     .otherwise = 1},
    {.name = "expert_parallel",
     .wrong = "the expert group has no ranks",
     AT(experts.expert_parallel),
     .optional = true,
     .otherwise = 1},
    {.name = "matrices", .wrong = "an expert has no matrices", AT(experts.matrices), .optional = true, .otherwise = 3},
    {.name = "skew", .wrong = "the skew is less than 0", .may_be_zero = true, AT(experts.skew), .optional = true},
};

static const struct form_size quantize_sizes[] = {
    {.name = "rows", .wrong = "rows is 0 or less", AT(quantize.rows)},
    {.name = "cols", .wrong = "cols is 0 or less", AT(quantize.cols)},
    {.name = "finds_scale",
     .wrong = "finds_scale is neither 0 nor 1",
     .may_be_zero = true,
     AT(quantize.finds_scale),
     .optional = true},
};

static const struct form_size recurrent_sizes[] = {
    {.name = "batch", .wrong = "the batch is 0 or less", AT(recurrent.batch)},
    {.name = "steps", .wrong = "there are no steps", AT(recurrent.steps)},
    {.name = "units", .wrong = "there are no units", AT(recurrent.units)},
    {.name = "gates", .wrong = "there are no gates", AT(recurrent.gates)},
    {.name = "width", .wrong = "a step hands on nothing", AT(recurrent.width)},
    {.name = "packed",
     .wrong = "packed is neither 0 nor 1",
     .may_be_zero = true,
     AT(recurrent.packed),
     .optional = true},
};

static const struct form_size collective_sizes[] = {
    {.name = "kind", .wrong = "the kind is not known", AT(collective.kind)},
    {.name = "bytes", .wrong = "there are no bytes", AT(collective.bytes)},
    {.name = "ranks", .wrong = "there are no ranks", AT(collective.ranks)},
    {.name = "server_ranks", .wrong = "a server has no ranks", AT(collective.server_ranks)},
};

static const struct form_size iteration_sizes[] = {
    {.name = "hidden", .wrong = "the hidden size is 0 or less", AT(iteration.hidden)},
    {.name = "heads", .wrong = "there are no heads", AT(iteration.heads)},
    {.name = "layers", .wrong = "there are no layers", AT(iteration.layers)},
    {.name = "sequence", .wrong = "the sequence is 0 or less", AT(iteration.sequence)},
    {.name = "micro_batch", .wrong = "the micro-batch is 0 or less", AT(iteration.micro_batch)},
    {.name = "global_batch", .wrong = "the global batch is 0 or less", AT(iteration.global_batch)},
    {.name = "tensor", .wrong = "the tensor group has no ranks", AT(iteration.tensor)},
    {.name = "data", .wrong = "the data group has no ranks", AT(iteration.data)},
    {.name = "pipeline", .wrong = "there are no stages", AT(iteration.pipeline)},
};

static const struct {
    const char *word;
    struct form_sizes sizes;
} forms[FORMS] = {
    [FORM_BMM] = {"bmm", {product_sizes, COUNT_OF(product_sizes)}},
    [FORM_LINEAR] = {"linear", {product_sizes, COUNT_OF(product_sizes)}},
    [FORM_CONVOLUTION] = {"convolution", {convolution_sizes, COUNT_OF(convolution_sizes)}},
    [FORM_ELEMENTWISE] = {"elementwise", {elements_sizes, COUNT_OF(elements_sizes)}},
    [FORM_SOFTMAX] = {"softmax", {rows_sizes, COUNT_OF(rows_sizes)}},
    [FORM_LAYER_NORM] = {"layer_norm", {rows_sizes, COUNT_OF(rows_sizes)}},
    [FORM_DROPOUT] = {"dropout", {rows_sizes, COUNT_OF(rows_sizes)}},
    [FORM_BATCH_NORM] = {"batch_norm", {norm_sizes, COUNT_OF(norm_sizes)}},
    [FORM_POOLING] = {"pooling", {pooling_sizes, COUNT_OF(pooling_sizes)}},
    [FORM_REDUCTION] = {"reduction", {rows_sizes, COUNT_OF(rows_sizes)}},
    [FORM_EMBEDDING] = {"embedding", {lookup_sizes, COUNT_OF(lookup_sizes)}},
    [FORM_TRANSPOSE] = {"transpose", {transpose_sizes, COUNT_OF(transpose_sizes)}},
    [FORM_INDEX] = {"index", {index_sizes, COUNT_OF(index_sizes)}},
    [FORM_CONCAT] = {"concat", {concat_sizes, COUNT_OF(concat_sizes)}},
    [FORM_COPY] = {"copy", {copy_sizes, COUNT_OF(copy_sizes)}},
    [FORM_FILL] = {"fill", {moved_sizes, 1}},
    [FORM_HOST_COPY] = {"host_copy", {moved_sizes, 2}},
    [FORM_OPTIMIZER] = {"optimizer", {optimizer_sizes, COUNT_OF(optimizer_sizes)}},
    [FORM_ATTENTION] = {"attention", {attention_sizes, COUNT_OF(attention_sizes)}},
    [FORM_EXPERTS] = {"experts", {experts_sizes, COUNT_OF(experts_sizes)}},
    [FORM_QUANTIZE] = {"quantize", {quantize_sizes, COUNT_OF(quantize_sizes)}},
    [FORM_RECURRENT] = {"recurrent", {recurrent_sizes, COUNT_OF(recurrent_sizes)}},
    [FORM_COLLECTIVE] = {"collective", {collective_sizes, COUNT_OF(collective_sizes)}},
    [FORM_ITERATION] = {"iteration", {iteration_sizes, COUNT_OF(iteration_sizes)}},
    [FORM_BYTES] = {"bytes", {moved_sizes, 1}},
};

str kernel_form_word(enum kernel_form form)
{
    return form < FORMS ? str_of(forms[form].word) : S("?");
}

bool kernel_form_of_word(str word, enum kernel_form *form)
{
    for (int i = 0; i < FORMS; i++) {
        if (!str_eq(word, str_of(forms[i].word)))
            continue;
        *form = (enum kernel_form)i;
        return true;
    }
    return false;
}

struct form_sizes form_sizes_of(enum kernel_form form)
{
    return form < FORMS ? forms[form].sizes : (struct form_sizes){NULL, 0};
}

int64_t kernel_size(const struct kernel *kernel, const struct form_size *size)
{
    int64_t value;
    memcpy(&value, (const char *)kernel + size->offset, sizeof value);
    return value;
}

void kernel_set_size(struct kernel *kernel, const struct form_size *size, int64_t value)
{
    memcpy((char *)kernel + size->offset, &value, sizeof value);
}

/* The largest product of a kernel's sizes: beyond it a double is no longer exact, and nothing real is that large. */
static const double most_work = 9007199254740992.0; /* 2^53 */

/* What is wrong with sizes beside each other; NULL: nothing. */
static const char *attention_check(const struct kernel *kernel)
{
    const int64_t heads = kernel->attention.heads, key_heads = kernel->attention.key_heads;
    if (kernel->attention.causal > 1)
        return "causal is neither 0 nor 1";
    if (kernel->attention.latent > 1)
        return "latent is neither 0 nor 1";
    return key_heads && heads % key_heads ? "heads of keys do not divide the heads" : NULL;
}

static const char *experts_check(const struct kernel *kernel)
{
    enum { MOST_SKEW = 5000 };
    if (kernel->experts.topk > kernel->experts.experts)
        return "a token meets more experts than there are";
    if (kernel->experts.expert_parallel > kernel->experts.experts)
        return "the expert group has more ranks than there are experts";
    if (kernel->experts.tensor_parallel > kernel->experts.intermediate)
        return "the tensor group has more ranks than an expert is wide";
    if (kernel->experts.matrices != 2 && kernel->experts.matrices != 3)
        return "an expert has 3 matrices, or 2 without a gate";
    return kernel->experts.skew > MOST_SKEW ? "the skew is above 5000 thousandths" : NULL;
}

static const char *recurrent_check(const struct kernel *kernel)
{
    if (kernel->recurrent.packed > 1)
        return "packed is neither 0 nor 1";
    return kernel->recurrent.width > kernel->recurrent.units ? "a step hands on more than it has units" : NULL;
}

const char *kernel_check(const struct kernel *kernel)
{
    if (kernel->form >= FORMS)
        return "an unknown form";
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    double product = 1;
    for (uint32_t i = 0; i < sizes.count; i++) {
        const int64_t size = kernel_size(kernel, &sizes.at[i]);
        if (size < 0 || (size == 0 && !sizes.at[i].may_be_zero))
            return sizes.at[i].wrong;
        product *= size ? (double)size : 1;
        if ((double)size > most_work)
            return "a size is too large to be one";
    }
    if (product > most_work * most_work)
        return "the sizes overflow when multiplied";
    switch (kernel->form) {
    case FORM_ATTENTION:
        return attention_check(kernel);
    case FORM_EXPERTS:
        return experts_check(kernel);
    case FORM_RECURRENT:
        return recurrent_check(kernel);
    default:
        return NULL;
    }
}
