/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites of tensors that grow or are built item by item: through one array, through one cat. */
#include "fix.h"
#include "patch.h"
#include "rules/loops/element_type.h"

/* ---- ST201 ---- */

static const char *array_type(uint8_t dtype)
{
    switch (dtype) {
    case DTYPE_BOOL:
        return "bool_";
    case DTYPE_UINT8:
        return "uint8";
    case DTYPE_INT32:
        return "int32";
    case DTYPE_INT64:
        return "int64";
    case DTYPE_FLOAT32:
        return "float32";
    case DTYPE_FLOAT64:
        return "float64";
    default:
        return NULL;
    }
}

/* torch.tensor([1, 2]) is int64, of floats the default type, of arrays the type of the arrays. */
static const char *inferred_type(const struct check *check, uint32_t list)
{
    const struct value *item = ask_value(check, list);
    for (int depth = 0; depth < 4 && value_is_container(item); depth++)
        item = value_item(item);
    switch (item->kind) {
    case VALUE_INT:
        return "int64";
    case VALUE_FLOAT:
        return "float32";
    case VALUE_BOOL:
        return "bool_";
    case VALUE_ARRAY:
        return array_type(item->dtype);
    default:
        return NULL;
    }
}

static bool is_inferring(const struct check *check, uint32_t call)
{
    return ask_named(check, call, "torch.tensor") || ask_named(check, call, "torch.as_tensor");
}

static const char *type_of(const struct check *check, uint32_t call, uint32_t list)
{
    const char *fixed = element_type(check, call);
    if (fixed)
        return fixed;
    if (!is_inferring(check, call))
        return NULL;
    const uint32_t dtype = syntax_argument(check->tree, call, 1, "dtype");
    if (dtype == SYNTAX_NONE)
        return inferred_type(check, list);
    const uint8_t given = ask_value(check, call)->dtype;
    return given == DTYPE_UNKNOWN ? NULL : array_type(given);
}

/* Of a number it would make room, not data; of a set or an iterator NumPy would make one object. */
static bool is_list(const struct check *check, uint32_t list)
{
    const struct value *value = ask_value(check, list);
    const struct value *item = value;
    for (int depth = 0; depth < 4 && value_is_container(item); depth++)
        item = value_item(item);
    const enum syntax_kind kind = check->tree->kind[list];
    return (value->kind == VALUE_LIST || value->kind == VALUE_TUPLE || kind == SYN_LIST || kind == SYN_LIST_COMP) &&
           item->kind != VALUE_TENSOR && item->kind != VALUE_BATCH;
}

/* ---- how long it is ---- */

/* Measured on lists of floats: 0.9 times as fast through NumPy at one element, 1.3 at 16, 4.4 at 256. */
enum { PAYS_FROM = 16, DATA = 1 << 20, DEEP = 6 };

static uint32_t elements(const struct check *check, uint32_t node, int depth);

static bool is_number_literal(const struct check *check, uint32_t node, int64_t *number)
{
    return syntax_is(check->tree, node, SYN_INTEGER) && str_int(syntax_text(check->tree, node), number) && *number >= 0;
}

static uint32_t capped(uint64_t count)
{
    return count < DATA ? (uint32_t)count : DATA;
}

static uint32_t in_literal(const struct check *check, uint32_t list, int depth)
{
    uint64_t sum = 0;
    for (uint32_t at = syntax_first(check->tree, list); at != SYNTAX_NONE; at = syntax_next(check->tree, at)) {
        const struct value *value = ask_value(check, at);
        const bool more =
            value_is_container(value) || value->kind == VALUE_ARRAY || syntax_is(check->tree, at, SYN_STARRED);
        sum += more ? elements(check, at, depth - 1) : 1;
    }
    return capped(sum);
}

/* `n` of `n = len(rows)`: what a name was given by its only assignment; the node itself where it is no such name. */
static uint32_t behind_name(const struct check *check, uint32_t node)
{
    for (int depth = 0; depth < DEEP && syntax_is(check->tree, node, SYN_NAME); depth++) {
        const struct definition *definition = flow_definition(check->project, check_site(check, node));
        if (!definition || definition->kind != DEFINED_ASSIGN || definition->unpacked ||
            definition->value == SYNTAX_NONE)
            return node;
        node = definition->value;
    }
    return node;
}

/* range(len(rows)), range(x.shape[0]) go round as often as the data say; of range(n) of a setting nobody knows. */
static uint32_t rounds_of_range(const struct check *check, uint32_t range)
{
    int64_t number;
    if (syntax_child_count(check->tree, syntax_child(check->tree, range, 1)) != 1)
        return DATA;
    const uint32_t stop = behind_name(check, syntax_argument(check->tree, range, 0, NULL));
    if (is_number_literal(check, stop, &number))
        return capped((uint64_t)number);
    const str tail = syntax_is(check->tree, stop, SYN_CALL) ? ask_tail(check, stop) : S("");
    const bool shape = syntax_is(check->tree, stop, SYN_SUBSCRIPT) &&
                       str_eq(syntax_tail(check->tree, syntax_first(check->tree, stop)), S("shape"));
    return shape || str_is_among("len size numel", tail) ? DATA : 0;
}

/* rows[i:j], rows[:4]: a part whose length the program decides, a micro-batch of two perhaps. */
static bool is_cut_out(const struct check *check, uint32_t node)
{
    const uint32_t part = syntax_is(check->tree, node, SYN_SUBSCRIPT) ? syntax_last_child(check->tree, node) : 0;
    return part && syntax_is(check->tree, part, SYN_SLICE) && syntax_child_count(check->tree, part) > 1 &&
           !syntax_is(check->tree, syntax_child(check->tree, part, 1), SYN_ABSENT);
}

/* How often the loop of a comprehension goes round: as the data say, where no number says it; 0 where nobody knows. */
static uint32_t rounds_of(const struct check *check, uint32_t iterable, int depth)
{
    if (syntax_is(check->tree, iterable, SYN_CALL) && ask_named(check, iterable, "range"))
        return rounds_of_range(check, iterable);
    const enum syntax_kind kind = check->tree->kind[iterable];
    if (kind == SYN_LIST || kind == SYN_TUPLE)
        return elements(check, iterable, depth - 1);
    return is_cut_out(check, behind_name(check, iterable)) ? 0 : DATA;
}

static uint32_t in_comprehension(const struct check *check, uint32_t comprehension, int depth)
{
    const uint32_t loop = syntax_child(check->tree, comprehension, 1), item = syntax_first(check->tree, comprehension);
    const uint64_t each = value_is_container(ask_value(check, item)) ? elements(check, item, depth - 1) : 1;
    const uint32_t rounds = rounds_of(check, syntax_child(check->tree, loop, 1), depth);
    return each == DATA && !rounds ? DATA : capped(each * rounds);
}

/* [0] * n */
static uint32_t in_product(const struct check *check, uint32_t product, int depth)
{
    const uint32_t left = syntax_first(check->tree, product), right = syntax_last_child(check->tree, product);
    const bool list_first = value_is_container(ask_value(check, left));
    int64_t times;
    if (!is_number_literal(check, list_first ? right : left, &times))
        return DATA;
    return capped((uint64_t)times * elements(check, list_first ? left : right, depth - 1));
}

/* Whether the name grows somewhere in the function: an `out = []` that a loop fills. */
static bool grows(const struct check *check, const struct definition *definition)
{
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++) {
        const str method = syntax_tail(check->tree, check->tree->parent[uses[i]]);
        if (syntax_is(check->tree, check->tree->parent[uses[i]], SYN_ATTRIBUTE) &&
            (str_eq(method, S("append")) || str_eq(method, S("extend"))))
            return true;
    }
    return false;
}

static uint32_t in_name(const struct check *check, uint32_t name, int depth)
{
    const struct definition *definition = flow_definition(check->project, check_site(check, name));
    if (!definition || definition->kind != DEFINED_ASSIGN || definition->unpacked)
        return 0;
    return grows(check, definition) ? DATA : elements(check, definition->value, depth - 1);
}

/* Of a list as far as it is written down: DATA where it is as long as the data say, 0 where nobody knows. */
static uint32_t elements(const struct check *check, uint32_t node, int depth)
{
    const struct value *item = value_item(ask_value(check, node));
    if (!depth || node == SYNTAX_NONE)
        return 0;
    switch (check->tree->kind[node]) {
    case SYN_LIST:
    case SYN_TUPLE:
        return in_literal(check, node, depth);
    case SYN_LIST_COMP:
        return in_comprehension(check, node, depth);
    case SYN_BINARY:
        if (check->tree->op[node] == OP_MUL)
            return in_product(check, node, depth);
        return capped((uint64_t)elements(check, syntax_first(check->tree, node), depth - 1) +
                      elements(check, syntax_last_child(check->tree, node), depth - 1));
    case SYN_STARRED:
        return elements(check, syntax_first(check->tree, node), depth - 1);
    default:
        break;
    }
    const uint32_t known = syntax_is(check->tree, node, SYN_NAME) ? in_name(check, node, depth) : 0;
    const bool rows = value_is_container(item) || item->kind == VALUE_ARRAY; /* a list of rows is data */
    return known ? known : rows || ask_value(check, node)->kind == VALUE_ARRAY ? DATA : 0;
}

bool fix_tensor_from_list(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t list = match->captures[0];
    uint32_t call = check->tree->parent[list];
    while (call && !syntax_is(check->tree, call, SYN_CALL))
        call = check->tree->parent[call];
    if (!call || syntax_argument(check->tree, call, 0, "data") != list || syntax_arguments_hidden(check->tree, call) ||
        project_sets_default_type(check->project)) /* torch.Tensor and floats mean that one */
        return false;
    const char *type = type_of(check, call, list);
    if (!type || !is_list(check, list) || elements(check, list, DEEP) < PAYS_FROM)
        return false;
    const str numpy = patch_module(&patch, "numpy"), text = patch_text(&patch, list);
    patch_node(&patch, list,
               patch_printf(&patch, "%.*s.asarray(%.*s, dtype=%.*s.%s)", (int)numpy.len, numpy.at, (int)text.len,
                            text.at, (int)numpy.len, numpy.at, type));
    return patch_hand_over(&patch, edits);
}

/* ---- ST103: out = torch.cat([out, new]) ---- */

struct growth {
    uint32_t loop, statement, name, added, call;
};

static bool find_growth(const struct check *check, const struct match *match, struct growth *growth)
{
    const struct syntax *tree = check->tree;
    growth->loop = match->captures[0];
    growth->statement = match->captures[1];
    if (match->capture_count < 2 || !syntax_is(tree, growth->statement, SYN_ASSIGN) ||
        syntax_child_count(tree, growth->statement) != 2 || !syntax_is(tree, growth->loop, SYN_FOR))
        return false;
    growth->name = syntax_first(tree, growth->statement);
    growth->call = syntax_last_child(tree, growth->statement);
    const uint32_t list = syntax_argument(tree, growth->call, 0, "tensors");
    if (!syntax_is(tree, growth->name, SYN_NAME) || !ask_named(check, growth->call, "torch.cat") ||
        (!syntax_is(tree, list, SYN_LIST) && !syntax_is(tree, list, SYN_TUPLE)) || syntax_child_count(tree, list) != 2)
        return false;
    growth->added = syntax_child(tree, list, 1);
    return syntax_same(tree, syntax_first(tree, list), tree, growth->name) &&
           !syntax_is(tree, growth->added, SYN_STARRED);
}

/* Whether the loop knows the name by another place than the statement: then it needs the tensor as it grows. */
static bool is_used_elsewhere(const struct check *check, const struct growth *growth)
{
    for (uint32_t node = growth->loop; node < syntax_last(check->tree, growth->loop); node++)
        if (!syntax_inside(check->tree, node, growth->statement) && syntax_is(check->tree, node, SYN_NAME) &&
            str_eq(syntax_text(check->tree, node), syntax_text(check->tree, growth->name)))
            return true;
    return syntax_child_count(check->tree, growth->loop) > 3 &&
           !syntax_is(check->tree, syntax_child(check->tree, growth->loop, 3), SYN_ABSENT);
}

static bool leaves_early(const struct check *check, uint32_t loop)
{
    for (uint32_t node = loop; node < syntax_last(check->tree, loop); node++)
        if (check->tree->kind[node] == SYN_RETURN || check->tree->kind[node] == SYN_YIELD)
            return true;
    return false;
}

bool fix_growing_cat(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    struct growth growth;
    if (!find_growth(check, match, &growth) || is_used_elsewhere(check, &growth) || leaves_early(check, growth.loop))
        return false;
    const struct definition *definition = flow_bound(check->project, check_site(check, growth.name));
    if (!definition || flow_escapes(check->project, check->file, definition))
        return false;
    const str name = syntax_text(check->tree, growth.name), added = patch_text(&patch, growth.added);
    const str parts = patch_fresh_name(&patch, patch_printf(&patch, "%.*s_parts", (int)name.len, name.at));
    const str call = syntax_text(check->tree, growth.call);
    const uint32_t list = syntax_argument(check->tree, growth.call, 0, "tensors");
    uint32_t begin, end;
    syntax_outer(check->tree, list, &begin, &end);
    const str head = {call.at, begin - check->tree->begin[growth.call]};
    const str tail = {check->tree->text.at + end, check->tree->end[growth.call] - end};
    patch_line_before(&patch, growth.loop,
                      patch_printf(&patch, "%.*s = [%.*s]", (int)parts.len, parts.at, (int)name.len, name.at));
    patch_replace(&patch, check->tree->begin[growth.statement], check->tree->end[growth.statement],
                  patch_printf(&patch, "%.*s.append(%.*s)", (int)parts.len, parts.at, (int)added.len, added.at));
    patch_line_after(&patch, growth.loop,
                     patch_printf(&patch, "%.*s = %.*s%.*s%.*s", (int)name.len, name.at, (int)head.len, head.at,
                                  (int)parts.len, parts.at, (int)tail.len, tail.at));
    return patch_hand_over(&patch, edits);
}
