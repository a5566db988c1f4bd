/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forward pass: the batch goes to the device, the bottom MLP, the embedding
 * lookups, the interaction, the top MLP, the loss, and the loss to the host. The
 * operators and their order are those of dlrm_s_pytorch.py as profilers record
 * it (2021: with the batched lookup of Lin et al. 2022).
 */
#include "base/buf.h"
#include "dlrm_step.h"

/* ---- calls ---- */

str dlrm_dims(struct dlrm_step *s, const char *form, const int64_t *numbers)
{
    struct buf text = {0};
    for (; *form; form++)
        if (*form == '#')
            buf_printf(&text, "%lld", (long long)*numbers++);
        else
            buf_char(&text, *form);
    const str kept = str_copy(s->build.arena, buf_str(&text));
    buf_free(&text);
    return kept;
}

static str type_word(char letter)
{
    switch (letter) {
    case 'f':
    case 'F':
        return S("\"float\"");
    case 'i':
        return S("\"int\"");
    case 'l':
    case 'L':
        return S("\"long int\"");
    default:
        return S("\"Scalar\"");
    }
}

static str types_of(struct dlrm_step *s, const char *letters)
{
    struct buf text = {0};
    for (const char *at = letters; *at; at++) {
        buf_add(&text, at == letters ? S("[") : S(", "));
        buf_add(&text, type_word(*at));
    }
    buf_char(&text, ']');
    const str kept = str_copy(s->build.arena, buf_str(&text));
    buf_free(&text);
    return kept;
}

uint32_t dlrm_open(struct dlrm_step *s, const char *name, str dims, const char *types)
{
    return program_build_open(&s->build, str_of(name), dims, types_of(s, types), S(""));
}

void dlrm_close(struct dlrm_step *s)
{
    program_build_close(&s->build);
}

uint32_t dlrm_call(struct dlrm_step *s, const char *name, str dims, const char *types)
{
    const uint32_t op = dlrm_open(s, name, dims, types);
    dlrm_close(s);
    return op;
}

/* The bytes of an index: the authors of 2021 keep them in 4. */
static int64_t dlrm_index_bytes(const struct dlrm *dlrm)
{
    return dlrm->batched && dlrm->era == DLRM_2021 ? 4 : 8;
}

/* ---- to the device and back ---- */

struct moved {
    str dims;
    char type; /* letter */
    int64_t bytes;
    enum copy_direction direction;
    enum host_memory memory;
};

static void move(struct dlrm_step *s, const struct moved *moved)
{
    const char types[] = {moved->type, 0}, copy_types[] = {moved->type, moved->type, '.', 0};
    const str inner = (str){moved->dims.at + 1, moved->dims.len - 2};
    dlrm_open(s, "aten::to", moved->dims, types);
    if (s->dlrm->era == DLRM_CURRENT)
        dlrm_open(s, "aten::_to_copy", moved->dims, types);
    dlrm_call(s, "aten::empty_strided", S("[[], [], [], [], [], []]"), "......");
    dlrm_open(s, "aten::copy_",
              str_printf(s->build.arena, "[%.*s, %.*s, []]", (int)inner.len, inner.at, (int)inner.len, inner.at),
              copy_types);
    program_build_copy(&s->build, moved->direction, moved->memory, moved->bytes);
    dlrm_close(s);
    if (s->dlrm->era == DLRM_CURRENT)
        dlrm_close(s);
    dlrm_close(s);
}

static void move_vector(struct dlrm_step *s, char type, int64_t count, int64_t element_bytes, enum host_memory memory)
{
    move(s, &(struct moved){dlrm_dims(s, "[[#]]", &count), type, count * element_bytes, COPY_H2D, memory});
}

static void move_matrix(struct dlrm_step *s, int64_t rows, int64_t cols)
{
    move(s, &(struct moved){dlrm_dims(s, "[[#, #]]", (int64_t[]){rows, cols}), 'f', 4 * rows * cols, COPY_H2D,
                            HOST_PINNED});
}

/* Indices, offsets (one a bag, and the last one's end where tables are looked up together), dense features. */
static void move_batch(struct dlrm_step *s)
{
    const struct dlrm *d = s->dlrm;
    const int64_t bytes = dlrm_index_bytes(d), bags = d->batch * d->table_count;
    const char type = bytes == 4 ? 'i' : 'l';
    if (d->batched) {
        move_vector(s, type, bags * d->lookups, bytes, HOST_PINNED);
        move_vector(s, type, bags + 1, bytes, HOST_PINNED);
    } else {
        for (uint32_t i = 0; i < d->table_count; i++)
            move_vector(s, type, d->batch * d->lookups, bytes, HOST_PINNED);
        move_matrix(s, d->table_count, d->batch);
    }
    move_matrix(s, d->batch, d->bottom[0]);
}

/* ---- layers ---- */

static void transposed(struct dlrm_step *s, struct dlrm_layer *layer)
{
    const str dims = dlrm_dims(s, "[[#, #]]", (int64_t[]){layer->out, layer->in});
    layer->transpose = dlrm_open(s, "aten::t", dims, "f");
    dlrm_call(s, "aten::transpose", dims, "f");
    dlrm_close(s);
}

static void activation(struct dlrm_step *s, struct dlrm_layer *layer)
{
    const str dims = dlrm_dims(s, "[[#, #]]", (int64_t[]){s->dlrm->batch, layer->out});
    layer->activation = dlrm_open(s, layer->sigmoid ? "aten::sigmoid" : "aten::relu", dims, "f");
    if (!layer->sigmoid)
        dlrm_call(s, "aten::clamp_min", dlrm_dims(s, "[[#, #], []]", (int64_t[]){s->dlrm->batch, layer->out}), "f.");
    dlrm_close(s);
}

static void forward_layer(struct dlrm_step *s, struct dlrm_layer *layer)
{
    const int64_t batch = s->dlrm->batch, in = layer->in, out = layer->out;
    dlrm_open(s, "aten::linear", dlrm_dims(s, "[[#, #], [#, #], [#]]", (int64_t[]){batch, in, out, in, out}), "fff");
    transposed(s, layer);
    if (s->dlrm->era ==
        DLRM_2021) /* the bias goes to where the product is added to it; today that is part of the product */
        dlrm_call(s, "aten::copy_", dlrm_dims(s, "[[#, #], [#, #], []]", (int64_t[]){batch, out, batch, out}), "ff.");
    layer->product = dlrm_call(
        s, "aten::addmm", dlrm_dims(s, "[[#], [#, #], [#, #], [], []]", (int64_t[]){out, batch, in, in, out}), "fff..");
    dlrm_close(s);
    activation(s, layer);
}

/* ---- embeddings ---- */

static void lookup_together(struct dlrm_step *s)
{
    const struct dlrm *d = s->dlrm;
    const int64_t bags = d->batch * d->table_count;
    int64_t rows = 0;
    for (uint32_t i = 0; i < d->table_count; i++)
        rows += d->tables[i];
    s->lookup = dlrm_call(s, "LookupFunction",
                          dlrm_dims(s, "[[#, #], [#], [#], [#]]",
                                    (int64_t[]){rows, d->width, d->table_count, bags * d->lookups, bags + 1}),
                          dlrm_index_bytes(d) == 4 ? "fiii" : "flll");
}

static void lookup_one(struct dlrm_step *s, int64_t rows)
{
    const struct dlrm *d = s->dlrm;
    const str dims = dlrm_dims(s, "[[#, #], [#], [#], [], [], [], [], [], []]",
                               (int64_t[]){rows, d->width, d->batch * d->lookups, d->batch});
    dlrm_open(s, "aten::embedding_bag", dims, "fll......");
    const uint32_t op = dlrm_call(s, "aten::_embedding_bag", dims, "fll......");
    s->lookup = s->lookup == OP_NONE ? op : s->lookup;
    dlrm_close(s);
}

static void lookups(struct dlrm_step *s)
{
    s->lookup = OP_NONE;
    if (s->dlrm->batched)
        lookup_together(s);
    else
        for (uint32_t i = 0; i < s->dlrm->table_count; i++)
            lookup_one(s, s->dlrm->tables[i]);
}

/* ---- interaction ---- */

/* Sizes of a list of tensors: "[[2048, 64], [2048, 64]]", as many as there are vectors. */
static str vectors_of(struct dlrm_step *s, const char *each, const int64_t *numbers, int64_t count)
{
    struct buf text = {0};
    const str one = dlrm_dims(s, each, numbers);
    for (int64_t i = 0; i < count; i++) {
        buf_add(&text, i ? S(", ") : S("[["));
        buf_add(&text, one);
    }
    buf_add(&text, S("], []]"));
    const str kept = str_copy(s->build.arena, buf_str(&text));
    buf_free(&text);
    return kept;
}

/* All vectors of a sample under each other. */
static void stack(struct dlrm_step *s)
{
    const struct dlrm *d = s->dlrm;
    const int64_t batch = d->batch, width = d->width, tables = d->table_count;
    if (d->batched)
        s->stack = dlrm_call(
            s, "aten::cat",
            dlrm_dims(s, "[[[#, 1, #], [#, #, #]], []]", (int64_t[]){batch, width, batch, tables, width}), "F.");
    else
        s->stack = dlrm_call(s, "aten::cat", vectors_of(s, "[#, #]", (int64_t[]){batch, width}, s->vectors), "F.");
}

/* Products of all pairs, of which the ones below the diagonal are kept; their places come from the host. */
static void pairwise(struct dlrm_step *s)
{
    const int64_t batch = s->dlrm->batch, width = s->dlrm->width, n = s->vectors, pairs = s->pairs;
    s->flip = dlrm_call(s, "aten::transpose", dlrm_dims(s, "[[#, #, #], [], []]", (int64_t[]){batch, n, width}), "f..");
    s->interaction = dlrm_call(
        s, "aten::bmm", dlrm_dims(s, "[[#, #, #], [#, #, #]]", (int64_t[]){batch, n, width, batch, width, n}), "ff");
    move_vector(s, 'l', pairs, 8, HOST_PAGEABLE);
    move_vector(s, 'l', pairs, 8, HOST_PAGEABLE);
    s->slice =
        dlrm_call(s, "aten::slice", dlrm_dims(s, "[[#, #, #], [], [], [], []]", (int64_t[]){batch, n, n}), "f....");
    s->index = dlrm_call(s, "aten::index",
                         dlrm_dims(s, "[[#, #, #], [[], [#], [#]]]", (int64_t[]){batch, n, n, pairs, pairs}), "fL");
    s->join = dlrm_call(s, "aten::cat", dlrm_dims(s, "[[[#, #], [#, #]], []]", (int64_t[]){batch, width, batch, pairs}),
                        "F.");
}

static void interact(struct dlrm_step *s)
{
    stack(s);
    if (s->dlrm->dot)
        pairwise(s);
}

/* ---- loss ---- */

static void loss(struct dlrm_step *s)
{
    const int64_t batch = s->dlrm->batch;
    program_build_label(&s->build, S("DLRM loss compute"));
    move_matrix(s, batch, 1);
    const char *dims = s->dlrm->bce ? "[[#, 1], [#, 1], [], []]" : "[[#, 1], [#, 1], []]";
    s->loss = dlrm_open(s, s->dlrm->bce ? "aten::binary_cross_entropy" : "aten::mse_loss",
                        dlrm_dims(s, dims, (int64_t[]){batch, batch}), s->dlrm->bce ? "ff.." : "ff.");
    dlrm_close(s);
    dlrm_close(s);
    move(s, &(struct moved){S("[[]]"), 'f', 4, COPY_D2H, HOST_PAGEABLE});
}

/* ---- the pass ---- */

static void part(struct dlrm_step *s, const char *name, void (*of)(struct dlrm_step *s))
{
    program_build_label(&s->build, str_of(name));
    of(s);
    dlrm_close(s);
}

static void bottom_mlp(struct dlrm_step *s)
{
    for (uint32_t i = 0; i < s->dlrm->bottom_layers; i++)
        forward_layer(s, &s->bottom[i]);
}

static void top_mlp(struct dlrm_step *s)
{
    for (uint32_t i = 0; i < s->dlrm->top_layers; i++)
        forward_layer(s, &s->top[i]);
}

static void dlrm_forward(struct dlrm_step *s)
{
    s->build.phase = PHASE_FORWARD;
    program_build_label(&s->build, S("DLRM forward"));
    move_batch(s);
    part(s, "module::forward_pass::bottom_mlp", bottom_mlp);
    part(s, "module::forward_pass::embedding_lookup", lookups);
    part(s, "module::forward_pass::interaction", interact);
    part(s, "module::forward_pass::top_mlp", top_mlp);
    dlrm_close(s);
    loss(s);
}

static void size_layers(struct dlrm_step *s)
{
    const struct dlrm *d = s->dlrm;
    s->vectors = (int64_t)d->table_count + 1;
    s->pairs = s->vectors * (s->vectors - 1) / 2;
    s->inputs = d->dot ? d->width + s->pairs : d->bottom[d->bottom_layers] + d->width * d->table_count;
    for (uint32_t i = 0; i < d->bottom_layers; i++)
        s->bottom[i] = (struct dlrm_layer){.in = d->bottom[i], .out = d->bottom[i + 1], .first = i == 0};
    for (uint32_t i = 0; i < d->top_layers; i++)
        s->top[i] = (struct dlrm_layer){
            .in = i ? d->top[i - 1] : s->inputs, .out = d->top[i], .sigmoid = i + 1 == d->top_layers};
}

struct program program_of_dlrm(const struct dlrm *dlrm, struct arena *arena)
{
    struct dlrm_step s = {.dlrm = dlrm, .build.arena = arena};
    size_layers(&s);
    dlrm_forward(&s);
    dlrm_backward(&s);
    struct program program = program_build_finish(&s.build, PROGRAM_CONFIG);
    program.path = dlrm->name;
    return program;
}
