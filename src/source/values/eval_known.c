/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of the table give (known.h). */
#include "eval_known.h"

const struct value *known_argument(const struct known_call *c, uint32_t i, const char *name)
{
    const uint32_t node = syntax_argument(c->e->tree, c->call, i, name);
    return node == NONE ? &value_unknown : eval_get(c->e, node);
}

bool known_has_argument(const struct known_call *c, uint32_t i, const char *name)
{
    return syntax_argument(c->e->tree, c->call, i, name) != NONE;
}

uint32_t known_keyword(const struct known_call *c, const char *name)
{
    return syntax_argument(c->e->tree, c->call, NONE, name);
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
    static const struct limit wide = {"zip", "zip takes more than 32 things; the others are not known"};
    const struct value *items[VALUE_ITEMS];
    uint32_t count = 0;
    const uint32_t list = syntax_child(c->e->tree, c->call, 1);
    for (uint32_t a = syntax_first(c->e->tree, list); a != NONE; a = syntax_next(c->e->tree, a)) {
        if (c->e->tree->kind[a] == SYN_STARRED)
            return of(c, VALUE_ITERATOR, of(c, VALUE_TUPLE, eval_iterate(c->e, eval_iterate(c->e, eval_get(c->e, a)))));
        if (c->e->tree->kind[a] == SYN_KEYWORD)
            continue;
        if (count == VALUE_ITEMS) {
            eval_limit(c->e, &wide, c->call);
            break;
        }
        items[count++] = eval_iterate(c->e, eval_get(c->e, a));
    }
    return of(c, VALUE_ITERATOR, values_tuple(c->e->values, VALUE_TUPLE, items, count));
}

static const struct value *number(const struct known_call *c)
{
    struct value out = {.kind = c->known->kind, .detail = NONE};
    out.flags = c->first->flags & (VALUE_RANDOM | VALUE_DOWNLOADED | VALUE_CONSTANT | VALUE_FROM_LOADER);
    if (value_tensor_like(c->first) && eval_concrete(c->e, c->first, false)->device == DEVICE_GPU)
        out.flags |= VALUE_DOWNLOADED;
    return values_get(c->e->values, &out);
}

/* Where a size stands among the arguments; what is drawn of arrays may be an array too. */
static bool draws_one(const struct known_call *c)
{
    const str name = syntax_tail(c->e->tree, syntax_first(c->e->tree, c->call));
    if (known_keyword(c, "size") != NONE || syntax_arguments_hidden(c->e->tree, c->call))
        return false;
    if (str_eq(name, S("choice")))
        return !known_has_argument(c, 1, NULL);
    if (str_eq(name, S("random")) || str_eq(name, S("rand")) || str_eq(name, S("randn")))
        return !known_has_argument(c, 0, NULL);
    const struct value *first = known_argument(c, 0, "low"), *second = known_argument(c, 1, "high");
    return !known_has_argument(c, 2, NULL) && (value_is_number(first) || !known_has_argument(c, 0, "loc")) &&
           (value_is_number(second) || !known_has_argument(c, 1, "scale"));
}

static const struct value *drawn(const struct known_call *c)
{
    struct value out = *known_plain(c);
    out.flags |= draws_one(c) ? VALUE_SCALAR_NUMPY : 0;
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
    const struct value *given[1] = {eval_iterate(c->e, known_argument(c, 1, NULL))};
    if (function->kind == VALUE_FUNCTION && function->detail != NONE) {
        eval_fact(c->e, cell_of_parameter(c->e->cells, function->detail, 0), eval_concrete(c->e, given[0], false));
        return of(c, VALUE_ITERATOR,
                  value_substitute(c->e, eval_cell(c->e, cell_of_result(function->detail)), given, 1));
    }
    if (function->name && function->name->known && function->name->known->special == SPECIAL_NUMBER)
        return of(c, VALUE_ITERATOR, values_of_kind(c->e->values, function->name->known->kind));
    return of(c, VALUE_ITERATOR, &value_unknown);
}

static const struct value *pieces(const struct known_call *c)
{
    struct value tensor = *known_plain(c);
    tensor.kind = VALUE_TENSOR;
    tensor.dtype = c->first->dtype;
    return of(c, VALUE_TUPLE, values_get(c->e->values, &tensor));
}

static const struct value *two(const struct known_call *c)
{
    struct value values = *known_plain(c);
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
    return by_dim ? two(c) : known_plain(c);
}

static const struct value *unique(const struct known_call *c)
{
    const bool more = known_keyword(c, "return_inverse") != NONE || known_keyword(c, "return_counts") != NONE;
    return more ? of(c, VALUE_TUPLE, known_plain(c)) : known_plain(c);
}

static bool holds_on_device(const struct value *value)
{
    for (uint32_t i = 0; i < value_item_slots(value); i++)
        if (holds_on_device(value->items[i]))
            return true;
    return value->device == DEVICE_GPU;
}

/* What a data set of the run gives, where that lies on the device: collating leaves it there. */
static const struct value *sample(const struct known_call *c)
{
    const struct value *set = known_argument(c, 0, "dataset");
    const uint32_t get = set->kind == VALUE_DATASET && set->detail != NONE
                             ? class_method(c->e->cells, set->detail, S("__getitem__"))
                             : NONE;
    const struct value *made = get != NONE ? eval_cell(c->e, cell_of_result(get)) : eval_iterate(c->e, set);
    if (value_symbolic(made))
        made = value_substitute(c->e, made, &set, 1);
    return holds_on_device(made) ? made : &value_unknown;
}

/* pin_memory=True, or where there is a device to copy to. */
static bool pins(const struct syntax *tree, uint32_t pin)
{
    return pin != NONE && (tree->kind[pin] == SYN_TRUE || syntax_calls(tree, pin, S("is_available")));
}

static const struct value *loader(const struct known_call *c)
{
    const uint32_t pin = known_keyword(c, "pin_memory"), collate = known_keyword(c, "collate_fn");
    struct value out = {.kind = VALUE_LOADER, .detail = NONE};
    if (pins(c->e->tree, pin))
        out.flags |= VALUE_PINNED;
    const struct value *function = collate == NONE ? &value_unknown : eval_get(c->e, collate);
    const struct value *made = collate == NONE ? sample(c) : &value_unknown;
    if (function->kind == VALUE_FUNCTION && function->detail != NONE)
        made = eval_cell(c->e, cell_of_result(function->detail));
    if ((made->kind != VALUE_UNKNOWN || made->device == DEVICE_GPU) && made->kind != VALUE_NOTHING &&
        !value_symbolic(made)) {
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

/* From then on tensors are made there that are not told where. */
static const struct value *default_device(const struct known_call *c)
{
    const bool told = !value_has(c->first, VALUE_ASSUMED) || c->e->self_class == NONE; /* by more than a name */
    if (c->first_node != NONE && told && eval_device_named(c->e, c->first_node).device == DEVICE_GPU) {
        eval_fact(c->e, FACT_SETS_DEFAULT - (int64_t)eval_function_id(c->e), &value_unknown);
        eval_fact(c->e, FACT_DEVICE_USED, &value_unknown);
    }
    return values_of_kind(c->e->values, VALUE_NONE);
}

static const struct value *modules(const struct known_call *c)
{
    struct value out = *known_plain(c);
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
    const struct class_data *data = &e->cells->classes[e->self_class];
    if (data->base_count)
        return eval_module_of(e, data->bases[0], DEVICE_PARAMETER);
    const struct value *base = eval_framework_base(e);
    if (base)
        return base;
    return e->in_module ? values_get(e->values,
                                     &(struct value){.kind = VALUE_MODULE, .device = DEVICE_PARAMETER, .detail = NONE})
                        : &value_unknown;
}

/* functools.partial(f, a, b): f, with what it was given. By keyword it is told to f alone. */
static const struct value *partial(const struct known_call *c)
{
    struct eval *e = c->e;
    static const struct limit many = {"given-before",
                                      "partial gives a function more than 32 things; the others are not known"};
    const struct value *given[VALUE_ITEMS];
    uint32_t count = 0;
    if (c->first->kind != VALUE_FUNCTION || c->first->detail == NONE)
        return c->first;
    const struct function *f = &e->files->functions[c->first->detail];
    const uint32_t self = f->class_id != NONE && !f->is_static;
    const uint32_t list = syntax_child(e->tree, c->call, 1);
    for (uint32_t a = syntax_next(e->tree, syntax_first(e->tree, list)); a != NONE; a = syntax_next(e->tree, a)) {
        const enum syntax_kind kind = e->tree->kind[a];
        if (count == VALUE_ITEMS)
            eval_limit(e, &many, c->call);
        if (kind == SYN_STARRED || kind == SYN_DOUBLE_STARRED || count == VALUE_ITEMS)
            break;
        const uint32_t k = call_parameter_of(e->files, c->first->detail, e->tree, a, count, self);
        if (k < SUMMARY_PARAMETERS)
            eval_fact(e, cell_of_parameter(e->cells, c->first->detail, k), eval_concrete(e, eval_get(e, a), false));
        if (kind != SYN_KEYWORD)
            given[count++] = eval_get(e, a);
    }
    struct value out = *c->first;
    out.items = count ? given : NULL;
    out.item_count = (uint8_t)count;
    return values_get(e->values, &out);
}

static const struct value *same_argument(const struct known_call *c)
{
    if (c->first->kind == VALUE_UNKNOWN && c->first->device == DEVICE_UNKNOWN)
        return c->known->kind == VALUE_TENSOR ? known_plain(c) : c->first;
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
        return known_to(c);
    case SPECIAL_CUDA:
        return known_moved(e, c->first, DEVICE_GPU, 0);
    case SPECIAL_CPU:
        return eval_move_to(e, c->first, DEVICE_CPU, 0);
    case SPECIAL_ITEM:
        return known_read_back(c, VALUE_FLOAT);
    case SPECIAL_TOLIST:
        return known_read_back(c, VALUE_LIST);
    case SPECIAL_NUMPY:
        return known_read_back(c, VALUE_ARRAY);
    case SPECIAL_TENSOR:
    case SPECIAL_TYPE_AS:
    case SPECIAL_FROM_NUMPY:
        return known_from_data(c);
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
    case SPECIAL_BATCHES:
        return of(c, VALUE_ITERATOR, of(c, VALUE_LIST, values_of_kind(e->values, VALUE_INT)));
    case SPECIAL_SHARD:
        return known_keyword(c, "device_id") == NONE ? c->first : known_moved(e, c->first, DEVICE_GPU, 0);
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
        return known_has_argument(c, 1, NULL) ? known_plain(c) : of(c, VALUE_TUPLE, known_plain(c));
    case SPECIAL_UNIQUE:
        return unique(c);
    case SPECIAL_LOADER:
        return loader(c);
    case SPECIAL_DEVICE:
        return device(c);
    case SPECIAL_DEFAULT:
        return default_device(c);
    case SPECIAL_PARTIAL:
        return partial(c);
    case SPECIAL_GETATTR: {
        const struct value *got = eval_getattr(e, c->call);
        return got ? got : known_plain(c);
    }
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
    case SPECIAL_OBJECT:
        return known_object(c);
    case SPECIAL_PREPARE:
        return known_prepared(c);
    case SPECIAL_ENGINE:
        return known_engine(c);
    case SPECIAL_TRAINER:
        return known_trainer(c);
    case SPECIAL_HANDLER:
        return known_handler(c);
    case SPECIAL_DRAW:
        return drawn(c);
    default:
        return known_plain(c);
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
    if (known->kind == VALUE_SHAPE && c.first_node != NONE && known_has_argument(&c, 0, "dim"))
        return values_of_kind(e->values, VALUE_INT); /* x.size(0) */
    return known->special == SPECIAL_NONE ? known_plain(&c) : special(&c);
}
