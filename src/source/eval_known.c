/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of the table give (known.h), and what moves do. */
#include "source/eval.h"

struct known_call {
    struct eval *e;
    uint32_t call;
    const struct known *known;
    const struct value *receiver; /* of a method of a value; NULL */
    const struct value *first;    /* the receiver, or argument 0; value_unknown */
    uint32_t first_node;          /* NONE */
};

static const struct value *argument(const struct known_call *c, uint32_t i, const char *name)
{
    const uint32_t node = syntax_argument(c->e->tree, c->call, i, name);
    return node == NONE ? &value_unknown : eval_get(c->e, node);
}

static bool has_argument(const struct known_call *c, uint32_t i, const char *name)
{
    return syntax_argument(c->e->tree, c->call, i, name) != NONE;
}

static uint32_t keyword(const struct known_call *c, const char *name)
{
    return syntax_argument(c->e->tree, c->call, NONE, name);
}

/* ---- moves ---- */

const struct value *eval_move_to(struct eval *e, const struct value *value, enum value_device device, uint8_t parameter)
{
    const uint16_t drop = VALUE_FRESH | VALUE_PINNED;
    if (value_is_number(value) || value->kind == VALUE_STR || value->kind == VALUE_NONE)
        return value;
    if (device == DEVICE_PARAMETER)
        return value_as_parameter(e->values, values_on(e->values, value, DEVICE_UNKNOWN, VALUE_UPLOADED, drop),
                                  parameter);
    if (device == DEVICE_GPU)
        return values_on(e->values, value, device, VALUE_UPLOADED, drop | VALUE_DOWNLOADED | VALUE_ASSUMED);
    if (device == DEVICE_CPU)
        return values_on(e->values, value, device,
                         eval_concrete(e, value, false)->device == DEVICE_GPU ? VALUE_DOWNLOADED : 0,
                         drop | VALUE_UPLOADED);
    return values_on(e->values, value, device, 0, drop);
}

/* A module that is moved takes its class along; a module nobody knows stands for all of the run. */
static const struct value *moved(struct eval *e, const struct value *value, enum value_device device, uint8_t parameter)
{
    if (device == DEVICE_GPU) {
        const bool module = value->kind == VALUE_MODULE;
        if (module && value->detail != NONE)
            eval_class_on_gpu(e, value->detail);
        else if ((module && !value->name) || value->kind == VALUE_UNKNOWN)
            eval_fact(e, FACT_MODULE_MOVED, &value_unknown);
        eval_fact(e, FACT_DEVICE_USED, &value_unknown);
        if (e->in_module)
            eval_class_on_gpu(e, e->self_class);
    }
    return eval_move_to(e, value, device, parameter);
}

static const struct value *with_dtype(struct eval *e, const struct value *value, uint8_t dtype)
{
    if (!dtype || value->dtype == dtype)
        return value;
    struct value out = *value;
    out.dtype = dtype;
    return values_get(e->values, &out);
}

/* .to(device), .to(dtype), .to(other), .to(device=..., dtype=...) */
static const struct value *to(const struct known_call *c)
{
    struct eval *e = c->e;
    const struct value *value = c->receiver ? c->receiver : &value_unknown;
    uint32_t node = syntax_argument(e->tree, c->call, 0, NULL);
    if (node == NONE)
        node = keyword(c, "device");
    uint32_t second = syntax_argument(e->tree, c->call, 1, "dtype");
    if (node == NONE)
        node = second;
    if (node == NONE)
        return value;
    const struct device_named named = eval_device_named(e, node);
    if (second != NONE)
        value = with_dtype(e, value, eval_get(e, second)->dtype);
    value = with_dtype(e, value, named.dtype);
    if (named.named && named.device != DEVICE_UNKNOWN)
        return moved(e, value, named.device, named.parameter);
    return eval_get(e, node)->kind == VALUE_DTYPE ? value
                                                  : values_on(e->values, value, DEVICE_UNKNOWN, 0, VALUE_PINNED);
}

/* What a read gives: one number, a list, an array. It is a read-back where the tensor was on the GPU. */
static const struct value *read_back(const struct known_call *c, enum value_kind kind)
{
    const struct value *from = eval_concrete(c->e, c->first, false);
    struct value out = {.kind = (uint8_t)kind, .detail = NONE};
    out.flags = from->flags & (VALUE_RANDOM | VALUE_DOWNLOADED | VALUE_FROM_LOADER);
    if (from->device == DEVICE_GPU)
        out.flags |= VALUE_DOWNLOADED;
    if (kind == VALUE_FLOAT && (from->dtype == DTYPE_INT64 || from->dtype == DTYPE_INT32 || from->dtype == DTYPE_UINT8))
        out.kind = VALUE_INT;
    if (kind == VALUE_FLOAT && from->dtype == DTYPE_BOOL)
        out.kind = VALUE_BOOL;
    if (kind == VALUE_ARRAY) {
        out.dtype = from->dtype;
        out.rank = from->rank;
    }
    return values_get(c->e->values, &out);
}

/* ---- makers of tensors ---- */

static uint8_t dtype_of(const struct known_call *c, const struct value *first)
{
    const uint32_t node = keyword(c, "dtype");
    if (node != NONE)
        return eval_get(c->e, node)->dtype;
    switch ((enum known_dtype)c->known->dtype) {
    case OF_SAME:
        return first->dtype;
    case OF_DEFAULT:
        return DTYPE_FLOAT32;
    case OF_BOOL:
        return DTYPE_BOOL;
    case OF_UINT8:
        return DTYPE_UINT8;
    case OF_INT32:
        return DTYPE_INT32;
    case OF_INT64:
        return DTYPE_INT64;
    case OF_FLOAT16:
        return DTYPE_FLOAT16;
    case OF_FLOAT32:
        return DTYPE_FLOAT32;
    case OF_FLOAT64:
        return DTYPE_FLOAT64;
    default:
        return DTYPE_UNKNOWN;
    }
}

static uint8_t rank_of(const struct known_call *c, const struct value *first)
{
    switch ((enum known_rank)c->known->rank) {
    case AS_SAME:
        return first->rank;
    case AS_REDUCE: {
        const uint32_t i = c->receiver ? 0 : 1;
        const bool loss = str_has(syntax_tail(c->e->tree, syntax_first(c->e->tree, c->call)), S("loss")) ||
                          str_has(syntax_tail(c->e->tree, syntax_first(c->e->tree, c->call)), S("entropy"));
        if (loss)
            return keyword(c, "reduction") == NONE ? RANK_0 : RANK_UNKNOWN;
        return has_argument(c, i, "dim") || keyword(c, "axis") != NONE ? RANK_UNKNOWN : RANK_0;
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

static void place_by_option(const struct known_call *c, struct value *out)
{
    const uint32_t node = keyword(c, "device");
    if (node == NONE) {
        const bool like = c->known->device == ON_LIKE;
        out->device = like ? c->first->device : DEVICE_CPU;
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
    case ON_LIKE:
        place_by_option(c, out);
        break;
    case ON_CPU:
        out->device = DEVICE_CPU;
        break;
    case ON_GPU:
        out->device = DEVICE_GPU;
        break;
    }
}

static const struct value *plain(const struct known_call *c)
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
            out.rank = keyword(c, "reduction") == NONE ? RANK_0 : RANK_UNKNOWN;
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
static const struct value *from_data(const struct known_call *c)
{
    struct value out = *plain(c);
    const struct value *data = argument(c, 0, "data");
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
    if (shares && data->kind == VALUE_TENSOR && keyword(c, "device") == NONE) {
        out.device = data->device;
        out.parameter = data->parameter;
    }
    return values_get(c->e->values, &out);
}

/* ---- containers and Python ---- */

static const struct value *of(const struct known_call *c, enum value_kind kind, const struct value *item)
{
    return values_container(c->e->values, kind, item);
}

static const struct value *pair(const struct known_call *c, const struct value *a, const struct value *b, bool iterator)
{
    const struct value *tuple = values_tuple(c->e->values, VALUE_TUPLE, (const struct value *[]){a, b}, 2);
    return iterator ? of(c, VALUE_ITERATOR, tuple) : tuple;
}

static const struct value *zip(const struct known_call *c)
{
    const struct value *items[16];
    uint32_t count = 0;
    const uint32_t list = syntax_child(c->e->tree, c->call, 1);
    for (uint32_t a = syntax_first(c->e->tree, list); a != NONE && count < 16; a = syntax_next(c->e->tree, a)) {
        if (c->e->tree->kind[a] == SYN_STARRED)
            return of(c, VALUE_ITERATOR, of(c, VALUE_TUPLE, eval_iterate(c->e, eval_iterate(c->e, eval_get(c->e, a)))));
        if (c->e->tree->kind[a] != SYN_KEYWORD)
            items[count++] = eval_iterate(c->e, eval_get(c->e, a));
    }
    return of(c, VALUE_ITERATOR, values_tuple(c->e->values, VALUE_TUPLE, items, count));
}

static const struct value *number(const struct known_call *c)
{
    struct value out = {.kind = c->known->kind, .detail = NONE};
    out.flags = c->first->flags & (VALUE_RANDOM | VALUE_DOWNLOADED | VALUE_CONSTANT | VALUE_FROM_LOADER);
    if (eval_is_tensor_like(c->first) && eval_concrete(c->e, c->first, false)->device == DEVICE_GPU)
        out.flags |= VALUE_DOWNLOADED;
    return values_get(c->e->values, &out);
}

static const struct value *largest(const struct known_call *c)
{
    const uint32_t list = syntax_child(c->e->tree, c->call, 1);
    const uint32_t second = syntax_argument(c->e->tree, c->call, 1, NULL);
    if (second == NONE)
        return eval_iterate(c->e, c->first);
    const struct value *joined = &value_nothing;
    for (uint32_t a = syntax_first(c->e->tree, list); a != NONE; a = syntax_next(c->e->tree, a))
        if (c->e->tree->kind[a] != SYN_KEYWORD)
            joined = values_join(c->e->values, joined, eval_get(c->e, a), JOIN_WAYS);
    return joined;
}

static const struct value *mapped(const struct known_call *c)
{
    const struct value *function = c->first;
    const struct value *given[1] = {eval_iterate(c->e, argument(c, 1, NULL))};
    if (function->kind == VALUE_FUNCTION && function->detail != NONE) {
        eval_fact(c->e, cell_of_parameter(c->e->project, function->detail, 0), eval_concrete(c->e, given[0], false));
        return of(c, VALUE_ITERATOR,
                  value_substitute(c->e, eval_cell(c->e, cell_of_result(function->detail)), given, 1));
    }
    if (function->name && function->name->known && function->name->known->special == SPECIAL_NUMBER)
        return of(c, VALUE_ITERATOR, values_of_kind(c->e->values, function->name->known->kind));
    return of(c, VALUE_ITERATOR, &value_unknown);
}

static const struct value *pieces(const struct known_call *c)
{
    struct value tensor = *plain(c);
    tensor.kind = VALUE_TENSOR;
    tensor.dtype = c->first->dtype;
    return of(c, VALUE_TUPLE, values_get(c->e->values, &tensor));
}

static const struct value *two(const struct known_call *c)
{
    struct value values = *plain(c);
    values.rank = RANK_UNKNOWN;
    struct value indices = values;
    indices.dtype = DTYPE_INT64;
    indices.flags &= (uint16_t)~VALUE_GRAD;
    return pair(c, values_get(c->e->values, &values), values_get(c->e->values, &indices), false);
}

static const struct value *min_max(const struct known_call *c)
{
    const uint32_t node = syntax_argument(c->e->tree, c->call, c->receiver ? 0 : 1, "dim");
    const bool by_dim = node != NONE && eval_get(c->e, node)->kind != VALUE_TENSOR;
    return by_dim ? two(c) : plain(c);
}

static const struct value *unique(const struct known_call *c)
{
    const bool more = keyword(c, "return_inverse") != NONE || keyword(c, "return_counts") != NONE;
    return more ? of(c, VALUE_TUPLE, plain(c)) : plain(c);
}

static const struct value *loader(const struct known_call *c)
{
    const uint32_t pin = keyword(c, "pin_memory"), collate = keyword(c, "collate_fn");
    struct value out = {.kind = VALUE_LOADER, .detail = NONE};
    if (pin != NONE && c->e->tree->kind[pin] == SYN_TRUE)
        out.flags |= VALUE_PINNED;
    const struct value *function = collate == NONE ? &value_unknown : eval_get(c->e, collate);
    const struct value *made = &value_unknown;
    if (function->kind == VALUE_FUNCTION && function->detail != NONE)
        made = eval_cell(c->e, cell_of_result(function->detail));
    if (made->kind != VALUE_UNKNOWN && made->kind != VALUE_NOTHING && !value_symbolic(made)) {
        made = values_on(c->e->values, made, made->device, VALUE_FROM_LOADER | (out.flags & VALUE_PINNED), VALUE_FRESH);
        out.items = &made;
    }
    return values_get(c->e->values, &out);
}

static const struct value *device(const struct known_call *c)
{
    const uint32_t node = syntax_argument(c->e->tree, c->call, 0, "type");
    struct device_named named = node == NONE ? (struct device_named){0} : eval_device_named(c->e, node);
    if (!named.named || named.device == DEVICE_UNKNOWN)
        named.device = DEVICE_GPU; /* from a setting: what the run is told to use */
    return values_get(c->e->values, &(struct value){.kind = VALUE_DEVICE,
                                                    .device = (uint8_t)named.device,
                                                    .parameter = named.parameter,
                                                    .flags = named.device == DEVICE_GPU ? VALUE_UPLOADED : 0,
                                                    .detail = NONE});
}

static const struct value *modules(const struct known_call *c)
{
    struct value out = *plain(c);
    const uint32_t list = syntax_child(c->e->tree, c->call, 1);
    const struct value *joined = &value_nothing;
    for (uint32_t a = syntax_first(c->e->tree, list); a != NONE; a = syntax_next(c->e->tree, a)) {
        const struct value *value = eval_get(c->e, a);
        joined = values_join(c->e->values, joined, value->kind == VALUE_MODULE ? value : eval_iterate(c->e, value),
                             JOIN_WAYS);
    }
    const bool listed = out.name && str_has(out.name->text, S("ModuleList"));
    if (listed && joined->kind == VALUE_MODULE)
        out.items = &joined;
    return values_get(c->e->values, &out);
}

static const struct value *parameters(const struct known_call *c)
{
    const struct value *module = c->receiver ? c->receiver : &value_unknown;
    const struct value *tensor = values_get(c->e->values, &(struct value){.kind = VALUE_TENSOR,
                                                                          .device = module->device,
                                                                          .parameter = module->parameter,
                                                                          .rank = RANK_SOME,
                                                                          .flags = VALUE_PARAMETER | VALUE_GRAD,
                                                                          .detail = NONE});
    const bool named = str_starts(syntax_tail(c->e->tree, syntax_first(c->e->tree, c->call)), S("named"));
    return named ? pair(c, values_of_kind(c->e->values, VALUE_STR), tensor, true) : of(c, VALUE_ITERATOR, tensor);
}

static const struct value *children(const struct known_call *c)
{
    const struct value *module = c->receiver ? c->receiver : &value_unknown;
    const struct value *child =
        values_get(c->e->values,
                   &(struct value){
                       .kind = VALUE_MODULE, .device = module->device, .parameter = module->parameter, .detail = NONE});
    const bool named = str_starts(syntax_tail(c->e->tree, syntax_first(c->e->tree, c->call)), S("named"));
    return named ? pair(c, values_of_kind(c->e->values, VALUE_STR), child, true) : of(c, VALUE_ITERATOR, child);
}

static const struct value *parent_class(const struct known_call *c)
{
    struct eval *e = c->e;
    if (e->self_class == NONE)
        return &value_unknown;
    const struct class_data *data = &e->project->class_data[e->self_class];
    if (data->base_count)
        return eval_module_of(e, data->bases[0], DEVICE_PARAMETER);
    return e->in_module ? values_get(e->values,
                                     &(struct value){.kind = VALUE_MODULE, .device = DEVICE_PARAMETER, .detail = NONE})
                        : &value_unknown;
}

static const struct value *same_argument(const struct known_call *c)
{
    if (c->first->kind == VALUE_UNKNOWN && c->first->device == DEVICE_UNKNOWN)
        return c->known->kind == VALUE_TENSOR ? plain(c) : c->first;
    struct value out = *c->first;
    out.flags |= c->known->flags;
    if (c->known->kind == VALUE_TENSOR && (out.kind == VALUE_UNKNOWN || out.kind == VALUE_NOTHING))
        out.kind = VALUE_TENSOR;
    return values_get(c->e->values, &out);
}

static const struct value *special(const struct known_call *c)
{
    struct eval *e = c->e;
    switch ((enum special)c->known->special) {
    case SPECIAL_TO:
        return to(c);
    case SPECIAL_CUDA:
        return moved(e, c->first, DEVICE_GPU, 0);
    case SPECIAL_CPU:
        return eval_move_to(e, c->first, DEVICE_CPU, 0);
    case SPECIAL_ITEM:
        return read_back(c, VALUE_FLOAT);
    case SPECIAL_TOLIST:
        return read_back(c, VALUE_LIST);
    case SPECIAL_NUMPY:
        return read_back(c, VALUE_ARRAY);
    case SPECIAL_TENSOR:
    case SPECIAL_TYPE_AS:
    case SPECIAL_FROM_NUMPY:
        return from_data(c);
    case SPECIAL_LIST:
        return of(c, VALUE_LIST, eval_iterate(e, c->first));
    case SPECIAL_TUPLE:
        return of(c, VALUE_TUPLE, eval_iterate(e, c->first));
    case SPECIAL_SET:
        return of(c, VALUE_SET, eval_iterate(e, c->first));
    case SPECIAL_DICT:
        return c->first->kind == VALUE_DICT ? c->first : values_of_kind(e->values, VALUE_DICT);
    case SPECIAL_ENUMERATE:
        return pair(c, values_of_kind(e->values, VALUE_INT), eval_iterate(e, c->first), true);
    case SPECIAL_ZIP:
        return zip(c);
    case SPECIAL_RANGE:
        return of(c, VALUE_ITERATOR, values_of_kind(e->values, VALUE_INT));
    case SPECIAL_SAME:
    case SPECIAL_COPY:
    case SPECIAL_RUN:
        return same_argument(c);
    case SPECIAL_ITEM_OF:
        return c->known->kind == VALUE_UNKNOWN ? largest(c) : &value_unknown;
    case SPECIAL_ITEMS:
        return pair(c, &value_unknown, c->first->items ? value_join_items(e->values, c->first) : &value_unknown, true);
    case SPECIAL_KEYS:
        return of(c, VALUE_ITERATOR, &value_unknown);
    case SPECIAL_VALUES:
        return of(c, VALUE_ITERATOR, c->first->items ? value_join_items(e->values, c->first) : &value_unknown);
    case SPECIAL_MAP:
        return mapped(c);
    case SPECIAL_SUM: {
        const struct value *item = eval_iterate(e, c->first);
        return item->kind == VALUE_BOOL ? values_of_kind(e->values, VALUE_INT) : item;
    }
    case SPECIAL_PAIR:
        return two(c);
    case SPECIAL_MINMAX:
        return min_max(c);
    case SPECIAL_SPLIT:
        return pieces(c);
    case SPECIAL_WHERE:
        return has_argument(c, 1, NULL) ? plain(c) : of(c, VALUE_TUPLE, plain(c));
    case SPECIAL_UNIQUE:
        return unique(c);
    case SPECIAL_LOADER:
        return loader(c);
    case SPECIAL_DEVICE:
        return device(c);
    case SPECIAL_PARTIAL:
        return c->first;
    case SPECIAL_MODULES:
        return modules(c);
    case SPECIAL_NUMBER:
        return number(c);
    case SPECIAL_SUPER:
        return parent_class(c);
    case SPECIAL_CHILDREN:
        return children(c);
    case SPECIAL_PARAMETERS:
        return parameters(c);
    default:
        return plain(c);
    }
}

const struct value *eval_known(struct eval *e, uint32_t call, const struct known *known, const struct value *receiver)
{
    struct known_call c = {.e = e, .call = call, .known = known, .receiver = receiver};
    c.first_node =
        receiver ? syntax_first(e->tree, syntax_first(e->tree, call)) : syntax_argument(e->tree, call, 0, NULL);
    c.first = receiver ? receiver : c.first_node == NONE ? &value_unknown : eval_get(e, c.first_node);
    const struct name *name = eval_get(e, syntax_first(e->tree, call))->name;
    const bool moves = known->special >= SPECIAL_TO && known->special <= SPECIAL_CPU;
    const bool of_tensor = !moves && known->kind == VALUE_TENSOR && known->device == ON_ARGS && name &&
                           str_starts(name->text, S("torch."));
    if (of_tensor && c.first_node != NONE && !value_is_container(c.first))
        eval_prove_tensor(e, c.first_node);
    if (known->kind == VALUE_SHAPE && c.first_node != NONE && has_argument(&c, 0, "dim"))
        return values_of_kind(e->values, VALUE_INT); /* x.size(0) */
    return known->special == SPECIAL_NONE ? plain(&c) : special(&c);
}
