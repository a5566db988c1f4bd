/* SPDX-License-Identifier: Apache-2.0 */
/* What SGD does with the parameters, in the order in which the model has them: weights and bias of each layer. */
#include "base/buf.h"
#include "dlrm_step.h"

/* What a parameter is done with: its sizes without brackets, "512, 64". */
typedef void each_parameter(struct dlrm_step *s, str sizes, struct buf *list);

static void layer_parameters(struct dlrm_step *s, const struct dlrm_layer *layer, each_parameter *take,
                             struct buf *list)
{
    take(s, dlrm_dims(s, "[#, #]", (int64_t[]){layer->out, layer->in}), list);
    take(s, dlrm_dims(s, "[#]", &layer->out), list);
}

/* Embedding bags are parameters as any other; tables that are looked up together are updated with their gradients. */
static void parameters(struct dlrm_step *s, each_parameter *take, struct buf *list)
{
    const struct dlrm *d = s->dlrm;
    for (uint32_t i = 0; i < d->table_count && !d->batched; i++)
        take(s, dlrm_dims(s, "[#, #]", (int64_t[]){d->tables[i], d->width}), list);
    for (uint32_t i = 0; i < d->bottom_layers; i++)
        layer_parameters(s, &s->bottom[i], take, list);
    for (uint32_t i = 0; i < d->top_layers; i++)
        layer_parameters(s, &s->top[i], take, list);
}

/* ---- one after another ---- */

static void zero(struct dlrm_step *s, str sizes, struct buf *list)
{
    (void)list;
    const str dims = str_printf(s->build.arena, "[%.*s]", (int)sizes.len, sizes.at);
    dlrm_open(s, "aten::zero_", dims, "f");
    dlrm_call(s, "aten::fill_", str_printf(s->build.arena, "[%.*s, []]", (int)sizes.len, sizes.at), "f.");
    dlrm_close(s);
}

static void add(struct dlrm_step *s, str sizes, struct buf *list)
{
    (void)list;
    dlrm_call(s, "aten::add_",
              str_printf(s->build.arena, "[%.*s, %.*s, []]", (int)sizes.len, sizes.at, (int)sizes.len, sizes.at),
              "ff.");
}

/* ---- all in one call ---- */

static void enlist(struct dlrm_step *s, str sizes, struct buf *list)
{
    (void)s;
    buf_add(list, list->len ? S(", ") : S("["));
    buf_add(list, sizes);
}

static void add_all(struct dlrm_step *s)
{
    struct buf list = {0};
    parameters(s, enlist, &list);
    buf_char(&list, ']');
    dlrm_call(s, "aten::_foreach_add_",
              str_printf(s->build.arena, "[%.*s, %.*s, []]", (int)list.len, list.at, (int)list.len, list.at), "FF.");
    buf_free(&list);
}

/* ---- steps ---- */

/* What the profiler of 2021 recorded as an operator, and today as an annotation. */
static void open_step(struct dlrm_step *s, str name)
{
    s->build.phase = PHASE_OPTIMIZER;
    if (s->dlrm->era == DLRM_CURRENT)
        program_build_label(&s->build, name);
    else
        program_build_open(&s->build, name, S(""), S(""), S(""));
}

static void close_step(struct dlrm_step *s)
{
    dlrm_close(s);
    s->build.phase = PHASE_BACKWARD;
}

void dlrm_zero_grad(struct dlrm_step *s)
{
    open_step(s, S("Optimizer.zero_grad#SGD.zero_grad"));
    if (s->dlrm->era == DLRM_2021)
        parameters(s, zero, NULL);
    close_step(s);
}

void dlrm_optimizer(struct dlrm_step *s)
{
    open_step(s, S("Optimizer.step#SGD.step"));
    if (s->dlrm->era == DLRM_CURRENT)
        add_all(s);
    else
        parameters(s, add, NULL);
    close_step(s);
}
