/* SPDX-License-Identifier: Apache-2.0 */
/* Values of expressions, from those of their operands. */
#include "eval.h"

#include "source/known/known_words.h"

const struct value *eval_kind_of(struct eval *e, enum value_kind kind, uint16_t flags)
{
    return values_get(e->values, &(struct value){.kind = (uint8_t)kind, .flags = flags, .detail = NONE});
}

void eval_prove_tensor(struct eval *e, uint32_t node)
{
    if (e->tree->kind[node] != SYN_NAME)
        return;
    const uint32_t def = flow_resolve(e->flow, e->flow->def_of[node]);
    if (def == NONE || e->flow->defs[def].proof & PROOF_TENSOR)
        return;
    e->flow->defs[def].proof |= PROOF_TENSOR;
    e->proved = true;
}

str eval_last_part(str dotted)
{
    for (size_t i = dotted.len; i--;)
        if (dotted.at[i] == '.')
            return str_from(dotted, i + 1);
    return dotted;
}

/* ---- operators ---- */

/* Where the result of tensors together is: on the GPU if any is; what is one number may stay behind. */
static void place_together(struct value *out, const struct value *a, const struct value *b)
{
    const bool ta = value_tensor_like(a), tb = value_tensor_like(b);
    const struct value *take = ta && !tb ? a : tb && !ta ? b : NULL;
    if (!take && (a->device == DEVICE_GPU || b->device == DEVICE_GPU))
        take = a->device == DEVICE_GPU ? a : b;
    else if (!take && (a->device == DEVICE_PARAMETER || b->device == DEVICE_PARAMETER))
        take = a->device == DEVICE_PARAMETER ? a : b;
    else if (!take && a->device == b->device)
        take = a;
    out->device = take ? take->device : DEVICE_UNKNOWN;
    out->parameter = take ? take->parameter : 0;
    out->flags = (uint16_t)((a->flags | b->flags) &
                            (VALUE_RANDOM | VALUE_GRAD | VALUE_FROM_LOADER | VALUE_DOWNLOADED | VALUE_ASSUMED));
    if (take)
        out->flags |= take->flags & VALUE_UPLOADED;
    if (a->flags & b->flags & VALUE_CONSTANT)
        out->flags |= VALUE_CONSTANT;
}

static uint8_t rank_together(const struct value *a, const struct value *b)
{
    const uint8_t x = value_is_number(a) ? RANK_0 : a->rank, y = value_is_number(b) ? RANK_0 : b->rank;
    return x == RANK_SOME || y == RANK_SOME ? RANK_SOME : x == RANK_0 && y == RANK_0 ? RANK_0 : RANK_UNKNOWN;
}

const struct value *eval_binary(struct eval *e, const struct value *a, const struct value *b, enum syntax_op op)
{
    struct value out = {.kind = VALUE_UNKNOWN, .detail = NONE};
    if (a->kind == VALUE_NOTHING && b->kind == VALUE_NOTHING)
        return a;
    place_together(&out, a, b);
    out.rank = rank_together(a, b);
    out.dtype = a->dtype == b->dtype || value_is_number(b) ? a->dtype : value_is_number(a) ? b->dtype : DTYPE_UNKNOWN;
    const bool plain = value_is_number(a) && value_is_number(b);
    if (value_tensor_like(a) || value_tensor_like(b))
        out.kind = VALUE_TENSOR;
    else if (a->kind == VALUE_ARRAY || b->kind == VALUE_ARRAY)
        out.kind = VALUE_ARRAY;
    else if (plain)
        out.kind = a->kind == VALUE_FLOAT || b->kind == VALUE_FLOAT || op == OP_DIV ? VALUE_FLOAT : VALUE_INT;
    else if (a->kind == VALUE_STR)
        out.kind = VALUE_STR;
    else if ((a->kind == VALUE_LIST || a->kind == VALUE_TUPLE) && op == OP_MUL)
        return values_container(e->values, a->kind, value_join_items(e->values, a));
    else if (a->kind == b->kind && (a->kind == VALUE_LIST || a->kind == VALUE_TUPLE) && a->items && b->items)
        return values_container(
            e->values, a->kind,
            values_join(e->values, value_join_items(e->values, a), value_join_items(e->values, b), JOIN_WAYS));
    if (plain || out.kind == VALUE_STR) {
        out.device = DEVICE_UNKNOWN;
        out.rank = out.dtype = 0;
        out.flags &= (uint16_t)~VALUE_UPLOADED;
    }
    return values_get(e->values, &out);
}

static const struct value *compare(struct eval *e, uint32_t node)
{
    const enum syntax_op op = e->tree->op[node];
    const struct value *a = eval_get(e, syntax_child(e->tree, node, 0)),
                       *b = eval_get(e, syntax_child(e->tree, node, 1));
    if (op == OP_IN || op == OP_NOT_IN || op == OP_IS || op == OP_IS_NOT)
        return eval_kind_of(e, VALUE_BOOL, 0);
    if (a->kind == VALUE_STR || b->kind == VALUE_STR) /* role == "user": no tensor is compared with a text */
        return eval_kind_of(e, VALUE_BOOL, 0);
    struct value out = *eval_binary(e, a, b, op);
    if (out.kind == VALUE_TENSOR || out.kind == VALUE_ARRAY) {
        out.dtype = DTYPE_BOOL;
        out.flags &= (uint16_t)~VALUE_GRAD;
        return values_get(e->values, &out);
    }
    return eval_kind_of(e, VALUE_BOOL, out.flags & (VALUE_DOWNLOADED | VALUE_RANDOM));
}

static const struct value *unary(struct eval *e, uint32_t node)
{
    struct value out = *eval_get(e, syntax_first(e->tree, node));
    out.flags &= (uint16_t) ~(VALUE_FRESH | VALUE_PARAMETER | VALUE_BUFFER | VALUE_PINNED);
    return values_get(e->values, &out);
}

/* ---- containers ---- */

const struct value *eval_iterate(struct eval *e, const struct value *value)
{
    struct value out = {.device = value->device, .parameter = value->parameter, .dtype = value->dtype, .detail = NONE};
    out.flags = value->flags & (VALUE_RANDOM | VALUE_GRAD | VALUE_FROM_LOADER | VALUE_DOWNLOADED | VALUE_UPLOADED |
                                VALUE_ASSUMED | VALUE_PINNED);
    switch (value->kind) {
    case VALUE_TENSOR:
        out.kind = VALUE_TENSOR;
        break;
    case VALUE_BATCH:
        out.kind = VALUE_BATCH;
        break;
    case VALUE_ARRAY:
        out.kind = VALUE_ARRAY;
        break;
    case VALUE_LOADER:
        if (value->items)
            return value->items[0];
        out.kind = VALUE_BATCH;
        out.device = value->device == DEVICE_GPU ? DEVICE_GPU : DEVICE_CPU;
        out.flags = VALUE_FROM_LOADER | (value->flags & (VALUE_PINNED | VALUE_ASSUMED));
        break;
    case VALUE_DICT:
        return &value_unknown; /* keys */
    case VALUE_STR:
        out.kind = VALUE_STR;
        break;
    case VALUE_UNKNOWN:
    case VALUE_NOTHING:
        if (value->device == DEVICE_UNKNOWN)
            return &value_unknown;
        break;
    case VALUE_INSTANCE:
    case VALUE_DATASET: {
        const uint32_t method = class_method(e->cells, value->detail, S("__iter__"));
        const struct value *made = method == NONE ? &value_unknown : eval_cell(e, cell_of_result(method));
        return made->kind == VALUE_ITERATOR && made->items ? value_join_items(e->values, made) : &value_unknown;
    }
    default:
        return value->items ? value_join_items(e->values, value) : &value_unknown;
    }
    return values_get(e->values, &out);
}

static const struct limit deep = {"container-depth",
                                  "lists, tuples and dicts nest deeper than 4; what lies deeper is not known"};

static const struct limit long_container = {
    "container-items", "a list, tuple or set has more than 32 items that differ; what each of them is is not known"};

/* Numbers and texts, and rows of these: nobody asks which is which. */
static bool is_plain(const struct value *value)
{
    for (uint32_t i = 0; i < value_item_slots(value); i++)
        if (!is_plain(value->items[i]))
            return false;
    return value->items || value->kind == VALUE_UNKNOWN || value->kind == VALUE_NONE || value->kind == VALUE_STR ||
           value_is_number(value);
}

static bool tells_more(const struct value *item, const struct value *joined)
{
    return item != joined && !is_plain(item);
}

static bool any_tells_more(struct eval *e, uint32_t node, const struct value *joined)
{
    for (uint32_t item = syntax_first(e->tree, node); item != NONE; item = syntax_next(e->tree, item))
        if (tells_more(eval_get(e, item), joined))
            return true;
    return false;
}

static const struct value *sequence(struct eval *e, uint32_t node, enum value_kind kind)
{
    const struct value *items[VALUE_ITEMS];
    uint32_t count = 0;
    bool known = true;
    const struct value *joined = &value_nothing;
    for (uint32_t item = syntax_first(e->tree, node); item != NONE; item = syntax_next(e->tree, item)) {
        const struct value *value = eval_get(e, item);
        if (e->tree->kind[item] == SYN_STARRED) {
            value = eval_iterate(e, value);
            known = false;
        }
        if (count < VALUE_ITEMS)
            items[count] = value;
        count++;
        joined = values_join(e->values, joined, value, JOIN_WAYS);
    }
    const struct value *value = known && count <= VALUE_ITEMS ? values_tuple(e->values, kind, items, count)
                                                              : values_container(e->values, kind, joined);
    if (known && count > VALUE_ITEMS && any_tells_more(e, node, joined))
        eval_limit(e, &long_container, node);
    if (count && !value->items)
        eval_limit(e, &deep, node);
    return value;
}

static const struct value *dictionary(struct eval *e, uint32_t node)
{
    const struct value *joined = &value_nothing;
    for (uint32_t item = syntax_first(e->tree, node); item != NONE; item = syntax_next(e->tree, item))
        if (e->tree->kind[item] == SYN_PAIR)
            joined = values_join(e->values, joined, eval_get(e, syntax_child(e->tree, item, 1)), JOIN_WAYS);
    return joined == &value_nothing ? eval_kind_of(e, VALUE_DICT, 0) : values_container(e->values, VALUE_DICT, joined);
}

static const struct value *comprehension(struct eval *e, uint32_t node)
{
    const enum syntax_kind kind = e->tree->kind[node];
    uint32_t element = syntax_first(e->tree, node);
    if (kind == SYN_DICT_COMP && syntax_is(e->tree, element, SYN_PAIR))
        element = syntax_child(e->tree, element, 1);
    const enum value_kind made = kind == SYN_LIST_COMP   ? VALUE_LIST
                                 : kind == SYN_SET_COMP  ? VALUE_SET
                                 : kind == SYN_DICT_COMP ? VALUE_DICT
                                                         : VALUE_ITERATOR;
    return values_container(e->values, made, eval_get(e, element));
}

static void comprehension_target(struct eval *e, uint32_t node)
{
    const uint32_t target = syntax_first(e->tree, node);
    for (uint32_t n = target, last = syntax_last(e->tree, target); n < last; n++)
        if (e->tree->kind[n] == SYN_NAME && e->flow->def_of[n] != NONE &&
            e->flow->defs[e->flow->def_of[n]].shown.name == n)
            eval_settle(e, e->flow->def_of[n]);
}

static bool constant_index(const struct syntax *tree, uint32_t node, int64_t *index)
{
    return syntax_is(tree, node, SYN_INTEGER) && str_int(syntax_text(tree, node), index) && *index >= 0;
}

/* batch["prompts"]: fields of a batch that hold text, pictures or files, which no collate function makes tensors of. */
static bool names_text(const struct syntax *tree, uint32_t index)
{
    const str text = syntax_is(tree, index, SYN_STRING) ? syntax_text(tree, index) : S("");
    return text.len > 2 && known_word(WORDS_TEXT_FIELDS, (str){text.at + 1, text.len - 2});
}

static const struct value *eval_index(struct eval *e, uint32_t node)
{
    const struct value *object = eval_get(e, syntax_child(e->tree, node, 0));
    const uint32_t index = syntax_child(e->tree, node, 1);
    const bool slice = syntax_is(e->tree, index, SYN_SLICE);
    struct value out = *object;
    int64_t at;
    out.flags &= (uint16_t) ~(VALUE_FRESH | VALUE_PARAMETER | VALUE_BUFFER);
    if (!value_has(eval_get(e, index), VALUE_CONSTANT))
        out.flags &= (uint16_t)~VALUE_CONSTANT;
    out.items = NULL;
    out.item_count = 0;
    out.rank = RANK_UNKNOWN;
    switch (object->kind) {
    case VALUE_TENSOR:
    case VALUE_ARRAY:
        out.rank = slice ? RANK_SOME : RANK_UNKNOWN;
        return values_get(e->values, &out);
    case VALUE_BATCH:
        return names_text(e->tree, index) ? &value_unknown : values_get(e->values, &out);
    case VALUE_LIST:
    case VALUE_TUPLE:
        if (slice)
            return values_container(e->values, object->kind, eval_iterate(e, object));
        if (constant_index(e->tree, index, &at) && at < object->item_count)
            return value_item_at(object, (uint32_t)at);
        return eval_iterate(e, object);
    case VALUE_DICT:
        if (object->flags & VALUE_PARAMETER && !str_has(syntax_text(e->tree, index), S("params")))
            break; /* group["lr"] */
        if (object->items && value_join_items(e->values, object)->kind != VALUE_UNKNOWN)
            return value_join_items(e->values, object);
        break;
    case VALUE_SHAPE:
        return slice ? object : eval_kind_of(e, VALUE_INT, 0);
    case VALUE_STR:
        return eval_kind_of(e, VALUE_STR, 0);
    case VALUE_MODULE:
        return object->items ? value_join_items(e->values, object) : object;
    case VALUE_UNKNOWN:
    case VALUE_NOTHING:
        if (object->device != DEVICE_UNKNOWN) {
            out.kind = VALUE_UNKNOWN;
            return values_get(e->values, &out);
        }
        break;
    default:
        break;
    }
    if (syntax_is(e->tree, index, SYN_STRING)) {
        str text = syntax_text(e->tree, index);
        text = text.len > 2 ? (str){text.at + 1, text.len - 2} : text;
        return eval_by_convention(e, text, &value_unknown);
    }
    return &value_unknown;
}

/* ---- one node ---- */

static const struct value *node_value_of(struct eval *e, uint32_t node)
{
    const struct syntax *tree = e->tree;
    switch (tree->kind[node]) {
    case SYN_NAME:
        return eval_name_value(e, node);
    case SYN_ATTRIBUTE:
        return eval_attribute(e, node);
    case SYN_CALL:
        return eval_call(e, node);
    case SYN_SUBSCRIPT:
        return eval_index(e, node);
    case SYN_BINARY:
        return eval_binary(e, eval_get(e, syntax_child(tree, node, 0)), eval_get(e, syntax_child(tree, node, 1)),
                           tree->op[node]);
    case SYN_UNARY:
        return unary(e, node);
    case SYN_COMPARE:
        return compare(e, node);
    case SYN_NOT:
        return eval_kind_of(e, VALUE_BOOL, 0);
    case SYN_BOOL:
        return values_join(e->values, eval_get(e, syntax_child(tree, node, 0)),
                           eval_get(e, syntax_child(tree, node, 1)), JOIN_WAYS);
    case SYN_CONDITIONAL:
        return values_join(e->values, eval_get(e, syntax_child(tree, node, 0)),
                           eval_get(e, syntax_child(tree, node, 2)), JOIN_WAYS);
    case SYN_NAMED:
    case SYN_PAIR:
    case SYN_KEYWORD:
        return eval_get(e, syntax_child(tree, node, 1));
    case SYN_STARRED:
    case SYN_DOUBLE_STARRED:
    case SYN_AWAIT:
        return eval_get(e, syntax_first(tree, node));
    case SYN_LIST:
        return sequence(e, node, VALUE_LIST);
    case SYN_TUPLE:
        return sequence(e, node, VALUE_TUPLE);
    case SYN_SET:
        return sequence(e, node, VALUE_SET);
    case SYN_DICT:
        return dictionary(e, node);
    case SYN_LIST_COMP:
    case SYN_SET_COMP:
    case SYN_DICT_COMP:
    case SYN_GENERATOR:
        return comprehension(e, node);
    case SYN_COMP_FOR:
        comprehension_target(e, node);
        return &value_unknown;
    case SYN_LAMBDA: {
        const uint32_t id = map_get(&e->files->function_by_node, (int64_t)e->file_id << 32 | node);
        const uint32_t body = syntax_child(tree, node, 1);
        if (id != MAP_NONE && body != NONE)
            eval_fact(e, cell_of_result(id), eval_concrete(e, eval_get(e, body), false));
        return values_get(e->values, &(struct value){.kind = VALUE_FUNCTION, .detail = id});
    }
    case SYN_YIELD:
        eval_fact(e, cell_of_result(eval_function_id(e)),
                  values_container(e->values, VALUE_ITERATOR, eval_get(e, syntax_first(tree, node))));
        return &value_unknown;
    case SYN_STRING:
        return eval_string(e, syntax_text(tree, node));
    case SYN_INTEGER:
        return eval_kind_of(e, VALUE_INT, VALUE_CONSTANT);
    case SYN_FLOAT:
        return eval_kind_of(e, VALUE_FLOAT, VALUE_CONSTANT);
    case SYN_TRUE:
    case SYN_FALSE:
        return eval_kind_of(e, VALUE_BOOL, VALUE_CONSTANT);
    case SYN_NONE:
        return eval_kind_of(e, VALUE_NONE, VALUE_CONSTANT);
    default:
        return &value_unknown;
    }
}

void eval_expression(struct eval *e, uint32_t node)
{
    bool again = false;
    for (uint32_t n = syntax_last(e->tree, node); n-- > node;) {
        const enum syntax_kind kind = e->tree->kind[n];
        if (kind == SYN_NAME && syntax_is_member_name(e->tree, n))
            continue;
        eval_set(e, n, node_value_of(e, n));
        /* the targets of a second `for` stand behind the first, whose values they need */
        again |= kind == SYN_COMP_FOR && syntax_is(e->tree, syntax_next(e->tree, n), SYN_COMP_FOR);
    }
    for (uint32_t n = syntax_last(e->tree, node); again && n-- > node;)
        if (e->tree->kind[n] != SYN_NAME || !syntax_is_member_name(e->tree, n))
            eval_set(e, n, node_value_of(e, n));
}
