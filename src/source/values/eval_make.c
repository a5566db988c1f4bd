/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that functions make: their place, rank and dtype, from the row of the table and the arguments. */
#include "eval_known.h"
#include "source/known/known_words.h"

/* ---- makers of tensors ---- */

static uint8_t dtype_of(const struct known_call *c, const struct value *first)
{
    const uint32_t node = known_keyword(c, "dtype");
    if (node != NONE)
        return eval_get(c->e, node)->dtype;
    return c->known->dtype == OF_SAME ? first->dtype : known_dtype_of(c->known);
}

static uint8_t rank_of(const struct known_call *c, const struct value *first)
{
    switch ((enum known_rank)c->known->rank) {
    case AS_SAME:
        return first->rank;
    case AS_REDUCE: {
        const uint32_t i = c->receiver ? 0 : 1;
        const bool loss = known_word(WORDS_LOSS_FUNCTION, syntax_tail(c->e->tree, syntax_first(c->e->tree, c->call)));
        if (loss)
            return known_keyword(c, "reduction") == NONE ? RANK_0 : RANK_UNKNOWN;
        return known_has_argument(c, i, "dim") || known_keyword(c, "axis") != NONE ? RANK_UNKNOWN : RANK_0;
    }
    case AS_0:
        return RANK_0;
    case AS_SOME:
        return RANK_SOME;
    default:
        return RANK_UNKNOWN;
    }
}

/* torch.cat([a, b]): the tensors of a list are in one place. */
static const struct value *together(struct eval *e, const struct value *list)
{
    const struct value *joined = list->items[0];
    for (uint32_t i = 1; i < list->item_count; i++)
        joined = eval_binary(e, joined, list->items[i], OP_ADD);
    return joined;
}

/* The tensors among the arguments decide together. */
static void place_by_arguments(const struct known_call *c, struct value *out)
{
    struct eval *e = c->e;
    const struct value *joined = NULL;
    if (c->receiver && c->receiver->kind != VALUE_IMPORT)
        joined = c->receiver;
    const uint32_t list = syntax_child(e->tree, c->call, 1);
    for (uint32_t a = syntax_first(e->tree, list); a != NONE; a = syntax_next(e->tree, a)) {
        const struct value *value = eval_get(e, a);
        if (!value_device_matters(value) || value->kind == VALUE_DEVICE || value->kind == VALUE_MODULE)
            continue;
        if ((value->kind == VALUE_LIST || value->kind == VALUE_TUPLE) && value->item_count)
            value = together(e, value);
        if (!joined)
            joined = value;
        else if (value->kind != VALUE_UNKNOWN && value->kind != VALUE_NOTHING)
            joined = eval_binary(e, joined, value, OP_ADD);
        else if (value->device == DEVICE_GPU)
            joined = eval_binary(e, joined, value, OP_ADD);
    }
    if (!joined)
        return;
    out->device = joined->device;
    out->parameter = joined->parameter;
    out->flags |= joined->flags & (VALUE_RANDOM | VALUE_GRAD | VALUE_FROM_LOADER | VALUE_UPLOADED | VALUE_ASSUMED |
                                   VALUE_DETACHED | VALUE_DOWNLOADED);
}

/* torch.FloatTensor and its kin are of the CPU, whatever is set; all others are made where the default says. */
static bool follows_default(const struct known_call *c)
{
    const struct name *name = eval_get(c->e, syntax_first(c->e->tree, c->call))->name;
    const bool typed = name && str_ends(name->text, S("Tensor")) && !str_eq(name->text, S("torch.Tensor"));
    return c->e->cells->defaults.moved[c->e->file_id] && !typed;
}

static void place_by_option(const struct known_call *c, struct value *out)
{
    const bool second = c->known->device == ON_SECOND;
    const uint32_t node = second ? syntax_argument(c->e->tree, c->call, 1, "device") : known_keyword(c, "device");
    if (node == NONE) {
        const bool like = c->known->device == ON_LIKE;
        out->device = like ? c->first->device : follows_default(c) ? DEVICE_GPU : DEVICE_CPU;
        out->parameter = like ? c->first->parameter : 0;
        return;
    }
    const struct device_named named = eval_device_named(c->e, node);
    out->device = (uint8_t)named.device;
    out->parameter = named.parameter;
    if (named.device == DEVICE_GPU) {
        eval_fact(c->e, FACT_DEVICE_USED, &value_unknown);
        if (c->e->in_module)
            eval_class_on_gpu(c->e, c->e->self_class);
    }
}

static void place(const struct known_call *c, struct value *out)
{
    switch ((enum known_device)c->known->device) {
    case ON_NONE:
        break;
    case ON_ARGS:
        place_by_arguments(c, out);
        break;
    case ON_OPTION:
    case ON_SECOND:
    case ON_LIKE:
        place_by_option(c, out);
        break;
    case ON_CPU:
        out->device = DEVICE_CPU;
        break;
    case ON_GPU:
        out->device = DEVICE_GPU;
        if (out->kind != VALUE_DEVICE) /* which is named only */
            eval_fact(c->e, FACT_DEVICE_USED, &value_unknown);
        break;
    }
}

const struct value *known_plain(const struct known_call *c)
{
    const struct known *known = c->known;
    struct value out = {.kind = known->kind, .flags = known->flags, .detail = NONE};
    out.dtype = dtype_of(c, c->first->items && value_is_container(c->first) ? value_join_items(c->e->values, c->first)
                                                                            : c->first);
    out.rank = rank_of(c, c->first);
    if (out.dtype == DTYPE_BOOL && known->rank == AS_REDUCE && known->dtype == OF_SAME)
        out.dtype = DTYPE_INT64; /* counting */
    place(c, &out);
    if (known->maker)
        out.flags |= VALUE_FRESH;
    if (known->flags & VALUE_DETACHED)
        out.flags &= (uint16_t)~VALUE_GRAD;
    if (known->kind == VALUE_MODULE || known->kind == VALUE_LOSS) {
        const struct value *callee = eval_get(c->e, syntax_first(c->e->tree, c->call));
        out.name = callee->name;
        if (c->e->in_module)
            out.device = DEVICE_PARAMETER;
        if (known->kind == VALUE_LOSS)
            out.rank = known_keyword(c, "reduction") == NONE ? RANK_0 : RANK_UNKNOWN;
    }
    if (known->kind == VALUE_ARRAY) {
        const uint32_t list = syntax_child(c->e->tree, c->call, 1);
        for (uint32_t a = syntax_first(c->e->tree, list); a != NONE; a = syntax_next(c->e->tree, a))
            out.flags |= eval_get(c->e, a)->flags & (VALUE_DOWNLOADED | VALUE_RANDOM);
        out.flags |= c->first->flags & (VALUE_DOWNLOADED | VALUE_RANDOM);
        out.device = DEVICE_UNKNOWN;
    }
    return values_get(c->e->values, &out);
}

/* A tensor from data: the data's kind gives dtype and rank. torch.Tensor(3, 4) makes an empty one. */
const struct value *known_from_data(const struct known_call *c)
{
    struct value out = *known_plain(c);
    const struct value *data = known_argument(c, 0, "data");
    if (out.dtype == DTYPE_UNKNOWN)
        out.dtype = data->kind == VALUE_FLOAT  ? DTYPE_FLOAT32
                    : data->kind == VALUE_INT  ? DTYPE_INT64
                    : data->kind == VALUE_BOOL ? DTYPE_BOOL
                                               : data->dtype;
    if (out.rank == RANK_UNKNOWN || out.rank == RANK_SOME)
        out.rank = value_is_number(data) && c->known->rank == AS_UNKNOWN   ? RANK_0
                   : value_is_container(data) || c->known->rank == AS_SOME ? RANK_SOME
                                                                           : data->rank;
    out.flags |= data->flags & (VALUE_RANDOM | VALUE_DOWNLOADED | VALUE_CONSTANT);
    const bool shares = str_has(eval_get(c->e, syntax_first(c->e->tree, c->call))->name->text, S("as"));
    if (shares && data->kind == VALUE_TENSOR && known_keyword(c, "device") == NONE) {
        out.device = data->device;
        out.parameter = data->parameter;
    }
    return values_get(c->e->values, &out);
}
