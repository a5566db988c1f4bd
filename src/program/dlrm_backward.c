/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backward pass and the optimizer. In 2021 profilers recorded autograd's
 * nodes alone, gradients were kept between steps (set to zero before, added to by
 * AccumulateGrad) and SGD went parameter by parameter. Today each node lies in
 * the engine's call of it, gradients are dropped, and SGD takes all parameters in
 * one call.
 */
#include "base/buf.h"
#include "dlrm_step.h"

static bool current(const struct dlrm_step *s)
{
    return s->dlrm->era == DLRM_CURRENT;
}

/* ---- autograd's nodes ---- */

/* The node `name`, as PyTorch 1.8 calls it (today every name has its number), of the forward call (OP_NONE). */
static void open_node(struct dlrm_step *s, const char *name, str dims, uint32_t forward)
{
    const bool numbered = str_ends(str_of(name), S("0")) || str_has(str_of(name), S("::"));
    const str full = str_printf(s->build.arena, "%s%s", name, current(s) && !numbered ? "0" : "");
    if (current(s)) {
        const str call = str_printf(s->build.arena, "autograd::engine::evaluate_function: %s", full.at);
        program_build_forward(&s->build, program_build_open(&s->build, call, S(""), S(""), S("")), forward);
    }
    program_build_forward(&s->build, dlrm_open(s, full.at, dims, "f"), forward);
}

static void close_node(struct dlrm_step *s)
{
    dlrm_close(s);
    if (current(s))
        dlrm_close(s);
}

static void node(struct dlrm_step *s, const char *name, str dims, uint32_t forward)
{
    open_node(s, name, dims, forward);
    close_node(s);
}

/* Adds to the gradient of a parameter, or takes its place where there is none. */
static void accumulate(struct dlrm_step *s, const char *form, const int64_t *sizes)
{
    const str dims = dlrm_dims(s, form, sizes);
    open_node(s, "torch::autograd::AccumulateGrad", dims, OP_NONE);
    if (current(s)) {
        dlrm_call(s, "aten::detach", dims, "f");
    } else {
        const str inner = (str){dims.at + 1, dims.len - 2};
        dlrm_call(s, "aten::add_",
                  str_printf(s->build.arena, "[%.*s, %.*s, []]", (int)inner.len, inner.at, (int)inner.len, inner.at),
                  "ff.");
    }
    close_node(s);
}

/* ---- layers ---- */

/* The gradients of input (but of the first layer) and weights, two products. */
static void backward_product(struct dlrm_step *s, const struct dlrm_layer *layer)
{
    const int64_t batch = s->dlrm->batch, in = layer->in, out = layer->out;
    open_node(s, "AddmmBackward", dlrm_dims(s, "[[#, #]]", (int64_t[]){batch, out}), layer->product);
    if (!layer->first) {
        dlrm_call(s, "aten::t", dlrm_dims(s, "[[#, #]]", (int64_t[]){in, out}), "f");
        dlrm_call(s, "aten::mm", dlrm_dims(s, "[[#, #], [#, #]]", (int64_t[]){batch, out, out, in}), "ff");
    }
    dlrm_call(s, "aten::t", dlrm_dims(s, "[[#, #]]", (int64_t[]){batch, out}), "f");
    dlrm_call(s, "aten::mm", dlrm_dims(s, "[[#, #], [#, #]]", (int64_t[]){out, batch, batch, in}), "ff");
    dlrm_call(s, "aten::t", dlrm_dims(s, "[[#, #]]", (int64_t[]){out, in}), "f");
}

/* The gradient of the bias, which the engine sums behind the node. */
static void backward_bias(struct dlrm_step *s, const struct dlrm_layer *layer)
{
    const int64_t batch = s->dlrm->batch, out = layer->out;
    program_build_call(&s->build, S("aten::sum"), dlrm_dims(s, "[[#, #], [], [], []]", (int64_t[]){batch, out}),
                       S("[\"float\", \"ScalarList\", \"Scalar\", \"\"]"), S("[\"\", \"[0]\", \"True\", \"\"]"));
    dlrm_call(s, "aten::view", dlrm_dims(s, "[[1, #], []]", &out), "f.");
}

static void backward_activation(struct dlrm_step *s, const struct dlrm_layer *layer)
{
    const int64_t batch = s->dlrm->batch, out = layer->out;
    open_node(s, layer->sigmoid ? "SigmoidBackward" : "ReluBackward0",
              dlrm_dims(s, "[[#, #]]", (int64_t[]){batch, out}), layer->activation);
    dlrm_call(
        s, layer->sigmoid ? "aten::sigmoid_backward" : "aten::threshold_backward",
        dlrm_dims(s, layer->sigmoid ? "[[#, #], [#, #]]" : "[[#, #], [#, #], []]", (int64_t[]){batch, out, batch, out}),
        layer->sigmoid ? "ff" : "ff.");
    close_node(s);
}

static void backward_layer(struct dlrm_step *s, const struct dlrm_layer *layer)
{
    backward_activation(s, layer);
    backward_product(s, layer);
    if (current(s)) {
        dlrm_close(s); /* the node; the engine's call goes on */
        backward_bias(s, layer);
        dlrm_close(s);
    } else {
        close_node(s);
        backward_bias(s, layer);
    }
    accumulate(s, "[[#]]", &layer->out);
    open_node(s, "TBackward", dlrm_dims(s, "[[#, #]]", (int64_t[]){layer->in, layer->out}), layer->transpose);
    dlrm_call(s, "aten::t", dlrm_dims(s, "[[#, #]]", (int64_t[]){layer->in, layer->out}), "f");
    close_node(s);
    accumulate(s, "[[#, #]]", (int64_t[]){layer->out, layer->in});
}

/* ---- interaction ---- */

static void backward_index(struct dlrm_step *s)
{
    const int64_t batch = s->dlrm->batch, n = s->vectors, pairs = s->pairs;
    const str square = dlrm_dims(s, "[[#, #, #]]", (int64_t[]){batch, n, n});
    open_node(s, "IndexBackward", dlrm_dims(s, "[[#, #]]", (int64_t[]){batch, pairs}), s->index);
    dlrm_open(s, "aten::new_zeros", dlrm_dims(s, "[[#, #], [], [], [], [], []]", (int64_t[]){batch, pairs}), "f.....");
    dlrm_call(s, "aten::zero_", square, "f");
    dlrm_close(s);
    dlrm_call(s, "aten::_index_put_impl_",
              dlrm_dims(s, "[[#, #, #], [[], [#], [#]], [#, #], [], []]",
                        (int64_t[]){batch, n, n, pairs, pairs, batch, pairs}),
              "fLf..");
    close_node(s);
    open_node(s, "SliceBackward", square, s->slice);
    dlrm_open(s, "aten::slice_backward", dlrm_dims(s, "[[#, #, #], [], [], [], [], []]", (int64_t[]){batch, n, n}),
              "f.....");
    dlrm_call(s, "aten::zero_", square, "f");
    dlrm_call(s, "aten::copy_", dlrm_dims(s, "[[#, #, #], [#, #, #], []]", (int64_t[]){batch, n, n, batch, n, n}),
              "ff.");
    dlrm_close(s);
    close_node(s);
}

static void backward_pairs(struct dlrm_step *s)
{
    const int64_t batch = s->dlrm->batch, width = s->dlrm->width, n = s->vectors;
    node(s, "CatBackward", dlrm_dims(s, "[[#, #]]", (int64_t[]){batch, s->inputs}), s->join);
    backward_index(s);
    open_node(s, "BmmBackward0", dlrm_dims(s, "[[#, #, #]]", (int64_t[]){batch, n, n}), s->interaction);
    dlrm_call(s, "aten::bmm", dlrm_dims(s, "[[#, #, #], [#, #, #]]", (int64_t[]){batch, width, n, batch, n, n}), "ff");
    dlrm_call(s, "aten::bmm", dlrm_dims(s, "[[#, #, #], [#, #, #]]", (int64_t[]){batch, n, n, batch, n, width}), "ff");
    close_node(s);
    node(s, "TransposeBackward0", dlrm_dims(s, "[[#, #, #]]", (int64_t[]){batch, width, n}), s->flip);
    dlrm_call(s, "aten::add", dlrm_dims(s, "[[#, #, #], [#, #, #], []]", (int64_t[]){batch, n, width, batch, n, width}),
              "ff.");
}

static void backward_interaction(struct dlrm_step *s)
{
    const int64_t batch = s->dlrm->batch, width = s->dlrm->width;
    if (s->dlrm->dot)
        backward_pairs(s);
    node(s, "CatBackward", dlrm_dims(s, "[[#, #, #]]", (int64_t[]){batch, s->vectors, width}), s->stack);
    if (s->dlrm->dot)
        dlrm_call(s, "aten::add", dlrm_dims(s, "[[#, #], [#, #], []]", (int64_t[]){batch, width, batch, width}), "ff.");
}

/* ---- embeddings ---- */

static void backward_bag(struct dlrm_step *s, uint32_t table, uint32_t forward)
{
    const struct dlrm *d = s->dlrm;
    open_node(s, "EmbeddingBagBackward", dlrm_dims(s, "[[#, #]]", (int64_t[]){d->batch, d->width}), forward);
    const str dims =
        dlrm_dims(s, "[[#, #], [#], [#], [#], [#], [], [], [], [], []]",
                  (int64_t[]){d->batch, d->width, d->batch * d->lookups, d->batch, d->batch * d->lookups, d->batch});
    const str values =
        str_printf(s->build.arena, "[\"\", \"\", \"\", \"\", \"\", \"\", \"%lld\", \"False\", \"0\", \"True\"]",
                   (long long)d->tables[table]);
    program_build_call(
        &s->build, S("aten::_embedding_bag_backward"), dims,
        S("[\"float\", \"long int\", \"long int\", \"long int\", \"long int\", \"\", \"Scalar\", \"Scalar\", "
          "\"Scalar\", \"Scalar\"]"),
        values);
    close_node(s);
}

/* Lookups in one call update the tables too: their optimizer is part of it. */
static void backward_embeddings(struct dlrm_step *s)
{
    const struct dlrm *d = s->dlrm;
    if (d->batched)
        node(s, "LookupFunctionBackward", dlrm_dims(s, "[[#, #, #]]", (int64_t[]){d->batch, d->table_count, d->width}),
             s->lookup);
    else
        for (uint32_t i = d->table_count; i-- > 0;)
            backward_bag(s, i, s->lookup + 2 * i);
}

/* ---- all of it ---- */

static void backward_loss(struct dlrm_step *s)
{
    const int64_t batch = s->dlrm->batch;
    dlrm_open(s, "aten::ones_like", S("[[], [], [], [], [], []]"), "f.....");
    dlrm_call(s, "aten::fill_", S("[[], []]"), "f.");
    dlrm_close(s);
    open_node(s, s->dlrm->bce ? "BinaryCrossEntropyBackward" : "MseLossBackward", S("[[]]"), s->loss);
    dlrm_call(s, s->dlrm->bce ? "aten::binary_cross_entropy_backward" : "aten::mse_loss_backward",
              dlrm_dims(s, s->dlrm->bce ? "[[], [#, 1], [#, 1], [], []]" : "[[], [#, 1], [#, 1], []]",
                        (int64_t[]){batch, batch}),
              s->dlrm->bce ? "fff.." : "fff.");
    close_node(s);
}

void dlrm_backward(struct dlrm_step *s)
{
    const struct dlrm *d = s->dlrm;
    s->build.phase = PHASE_BACKWARD;
    program_build_label(&s->build, S("DLRM backward"));
    dlrm_zero_grad(s);
    backward_loss(s);
    s->build.thread = 1;
    for (uint32_t i = d->top_layers; i-- > 0;)
        backward_layer(s, &s->top[i]);
    backward_interaction(s);
    backward_embeddings(s);
    for (uint32_t i = d->bottom_layers; i-- > 0;)
        backward_layer(s, &s->bottom[i]);
    s->build.thread = 0;
    dlrm_optimizer(s);
    dlrm_close(s);
}
