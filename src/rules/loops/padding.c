/* SPDX-License-Identifier: Apache-2.0 */
#include "padding.h"

#include "origin.h"

enum { LARGEST = 20000 };

static const struct limit many_taken = {
    "padded-rows",
    "a batch takes more than 16 parts in a row, or its class has more than 20,000 nodes of the tree; whether its "
    "rows are padded to the longest of all data is not known"};

/* ---- how rows are padded ---- */

/* `row + pad * (most - length)`, `[1] * length + [0] * (most - length)` */
struct padded {
    struct site most, length;
    bool is_mask;
};

static bool is_binary(const struct syntax *tree, uint32_t node, enum syntax_op op)
{
    return syntax_is(tree, node, SYN_BINARY) && tree->op[node] == op;
}

static bool is_list_of_one(const struct syntax *tree, uint32_t list)
{
    return syntax_is(tree, list, SYN_LIST) && syntax_child_count(tree, list) == 1 &&
           str_eq(syntax_text(tree, syntax_first(tree, list)), S("1"));
}

/* The factor of a product that is what is asked for, in either order; SYNTAX_NONE. */
static uint32_t factor_of(const struct syntax *tree, uint32_t product, bool (*is)(const struct syntax *, uint32_t))
{
    if (!is_binary(tree, product, OP_MUL))
        return SYNTAX_NONE;
    const uint32_t left = syntax_first(tree, product), right = syntax_child(tree, product, 1);
    return is(tree, left) ? left : is(tree, right) ? right : SYNTAX_NONE;
}

static uint32_t other_factor(const struct syntax *tree, uint32_t product, uint32_t factor)
{
    const uint32_t left = syntax_first(tree, product);
    return left == factor ? syntax_child(tree, product, 1) : left;
}

static bool is_difference(const struct syntax *tree, uint32_t node)
{
    return is_binary(tree, node, OP_SUB);
}

static bool padded_in(const struct project *project, struct site comprehension, struct padded *padded)
{
    const struct syntax *const tree = project_tree(project, comprehension.file);
    if (!syntax_is(tree, comprehension.node, SYN_LIST_COMP) || syntax_child_count(tree, comprehension.node) != 2)
        return false;
    const uint32_t sum = syntax_first(tree, comprehension.node);
    if (!is_binary(tree, sum, OP_ADD))
        return false;
    const uint32_t row = syntax_first(tree, sum),
                   difference = factor_of(tree, syntax_child(tree, sum, 1), is_difference);
    if (difference == SYNTAX_NONE)
        return false;
    const uint32_t length = syntax_child(tree, difference, 1), ones = factor_of(tree, row, is_list_of_one);
    *padded = (struct padded){
        .most = {comprehension.file, syntax_first(tree, difference)},
        .length = {comprehension.file, length},
        .is_mask = ones != SYNTAX_NONE && syntax_same(tree, other_factor(tree, row, ones), tree, length),
    };
    return true;
}

static bool same_text(const struct project *project, struct site a, struct site b)
{
    return a.file == b.file &&
           syntax_same(project_tree(project, a.file), a.node, project_tree(project, b.file), b.node);
}

/* Made side by side, to the same length, of rows that are as long. */
static bool as_wide(const struct project *project, const struct padded *a, const struct padded *b)
{
    return same_text(project, a->most, b->most) && same_text(project, a->length, b->length) &&
           syntax_function(project_tree(project, a->most.file), a->most.node) ==
               syntax_function(project_tree(project, b->most.file), b->most.node);
}

/* ---- where they are kept ---- */

static bool is_array_of(const struct project *project, struct site call)
{
    return syntax_is(project_tree(project, call.file), call.node, SYN_CALL) &&
           (name_is(project, call, "numpy.array") || name_is(project, call, "numpy.asarray"));
}

/* `self.rows = self.rows[order]`: other rows, as wide as they were. */
static bool is_reordered(const struct syntax *tree, uint32_t target, uint32_t value)
{
    return syntax_is(tree, value, SYN_SUBSCRIPT) && syntax_same(tree, syntax_first(tree, value), tree, target) &&
           syntax_is(tree, syntax_child(tree, value, 1), SYN_NAME);
}

/* How all that an attribute ever holds is padded. */
static bool padded_attribute(const struct project *project, uint32_t class_id, str name, struct padded *padded)
{
    struct site bound[ASK_MOST_BINDINGS];
    const uint32_t count = attribute_bindings(project, class_id, name, bound, ASK_MOST_BINDINGS);
    if (count > ASK_MOST_BINDINGS)
        project_limit(project, &ask_many_bindings, bound[0]);
    bool is_found = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct syntax *const tree = i < ASK_MOST_BINDINGS ? project_tree(project, bound[i].file) : NULL;
        const uint32_t statement = tree ? tree->parent[bound[i].node] : SYNTAX_NONE;
        if (!tree || !syntax_is(tree, statement, SYN_ASSIGN) || syntax_child_count(tree, statement) != 2)
            return false;
        struct site value = {bound[i].file, syntax_last_child(tree, statement)};
        if (is_reordered(tree, bound[i].node, value.node))
            continue;
        if (is_found || !is_array_of(project, value))
            return false;
        value.node = syntax_argument(tree, value.node, 0, NULL);
        is_found = value.node != SYNTAX_NONE && padded_in(project, origin_of(project, value), padded);
        if (!is_found)
            return false;
    }
    return is_found;
}

/* ---- who asks how wide all data are ---- */

static bool is_read(const struct syntax *tree, str name)
{
    uint32_t at = 0;
    while ((at = syntax_name_from(tree, name, at, tree->count)) != SYNTAX_NONE) {
        const uint32_t attribute = tree->parent[at];
        const uint32_t statement = tree->parent[attribute];
        const bool is_target = syntax_is(tree, statement, SYN_ASSIGN) && syntax_first(tree, statement) == attribute;
        if (syntax_is(tree, attribute, SYN_ATTRIBUTE) && attribute + 1 != at && !is_target)
            return true;
        at++;
    }
    return false;
}

static bool is_read_anywhere(const struct project *project, str name)
{
    for (uint32_t file = 0; file < project_files(project); file++)
        if (project_tree(project, file) && is_read(project_tree(project, file), name))
            return true;
    return false;
}

static bool is_same_site(struct site a, struct site b)
{
    return a.file == b.file && a.node == b.node;
}

/* `self.longest = most` in the class, and somebody reads it: a table of positions, say, is made for that. */
static bool width_is_asked_for(const struct check *check, uint32_t class_id, const struct padded *padded)
{
    const struct class_info *const class = project_class(check->project, class_id);
    const struct syntax *const tree = project_tree(check->project, class->file);
    const struct site most = origin_of(check->project, padded->most);
    for (uint32_t at = class->node; at < syntax_last(tree, class->node); at++) {
        if (!syntax_is(tree, at, SYN_ASSIGN) || !ask_own_attribute(tree, syntax_first(tree, at)))
            continue;
        const struct site value = {class->file, syntax_last_child(tree, at)};
        if (syntax_is(tree, value.node, SYN_NAME) && is_same_site(origin_of(check->project, value), most) &&
            is_read_anywhere(check->project, syntax_tail(tree, syntax_first(tree, at))))
            return true;
    }
    return false;
}

/* ---- what takes rows of them ---- */

struct taken {
    uint32_t names[PADDING_NAMES], attributes[PADDING_NAMES];
    uint32_t count;
    uint32_t rows; /* the index */
    bool cut;      /* there are more */
};

static bool take_one(const struct check *check, uint32_t name, uint32_t value, struct taken *taken)
{
    const struct syntax *const tree = check->tree;
    if (!syntax_is(tree, name, SYN_NAME) || !syntax_is(tree, value, SYN_SUBSCRIPT) ||
        !ask_own_attribute(tree, syntax_first(tree, value)))
        return false;
    const uint32_t rows = syntax_child(tree, value, 1);
    if (!syntax_is(tree, rows, SYN_NAME) || (taken->count && !syntax_same(tree, rows, tree, taken->rows)))
        return false;
    taken->cut |= taken->count == PADDING_NAMES;
    if (taken->cut)
        return true;
    taken->rows = rows;
    taken->names[taken->count] = name;
    taken->attributes[taken->count++] = syntax_first(tree, value);
    return true;
}

/* `rows, mask = self.rows[batch], self.mask[batch]`; all of it, or nothing is taken. */
static bool take(const struct check *check, uint32_t statement, struct taken *taken)
{
    const struct syntax *const tree = check->tree;
    if (!syntax_is(tree, statement, SYN_ASSIGN) || syntax_child_count(tree, statement) != 2)
        return false;
    const uint32_t targets = syntax_first(tree, statement), values = syntax_child(tree, statement, 1);
    if (!syntax_is(tree, targets, SYN_TUPLE))
        return take_one(check, targets, values, taken);
    const uint32_t count = syntax_child_count(tree, targets);
    if (!syntax_is(tree, values, SYN_TUPLE) || syntax_child_count(tree, values) != count)
        return false;
    const struct taken earlier = *taken;
    for (uint32_t i = 0; i < count; i++)
        if (!take_one(check, syntax_child(tree, targets, i), syntax_child(tree, values, i), taken)) {
            *taken = earlier;
            return false;
        }
    return true;
}

/* The statement before in the same block: nodes lie in preorder, so the node before is in it, or is the block. */
static uint32_t before(const struct syntax *tree, uint32_t statement)
{
    const uint32_t block = tree->parent[statement];
    uint32_t at = statement - 1;
    if (at == block)
        return SYNTAX_NONE;
    while (tree->parent[at] != block)
        at = tree->parent[at];
    return at;
}

/* All statements in a row, from this one on; it must be the first. */
static bool take_all(const struct check *check, uint32_t statement, struct taken *taken, uint32_t *last)
{
    struct taken earlier = {0};
    if (!take(check, statement, taken))
        return false;
    const uint32_t previous = before(check->tree, statement);
    if (previous != SYNTAX_NONE && take(check, previous, &earlier))
        return false;
    *last = statement;
    for (uint32_t at = syntax_next(check->tree, statement); at != SYNTAX_NONE && take(check, at, taken);
         at = syntax_next(check->tree, at))
        *last = at;
    return true;
}

/* ---- that they are a batch, as wide as they were ---- */

/* `rows[:, :longest]` */
static bool is_cut(const struct syntax *tree, uint32_t use)
{
    const uint32_t subscript = tree->parent[use], index = syntax_child(tree, subscript, 1);
    if (!syntax_is(tree, subscript, SYN_SUBSCRIPT) || syntax_first(tree, subscript) != use ||
        !syntax_is(tree, index, SYN_TUPLE))
        return false;
    for (uint32_t at = syntax_first(tree, index); at != SYNTAX_NONE; at = syntax_next(tree, at))
        if (syntax_is(tree, at, SYN_SLICE))
            return true;
    return false;
}

static bool is_gone_over(const struct syntax *tree, uint32_t use)
{
    const uint32_t loop = tree->parent[use];
    return (syntax_is(tree, loop, SYN_FOR) || syntax_is(tree, loop, SYN_COMP_FOR)) &&
           syntax_child(tree, loop, 1) == use;
}

/* Sets *batch where a use goes over its rows; false where one is cut already, or the uses are too many to see. */
static bool look_at_uses(const struct check *check, uint32_t name, bool *batch)
{
    uint32_t uses[FLOW_MOST_USES];
    const struct definition *const definition = flow_bound(check->project, check_site(check, name));
    const uint32_t count =
        definition ? flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES) : FLOW_MOST_USES + 1;
    if (count > FLOW_MOST_USES || flow_escapes(check->project, check->file, definition))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        *batch |= is_gone_over(check->tree, uses[i]);
        if (is_cut(check->tree, uses[i]))
            return false;
    }
    return true;
}

static bool is_many_rows(const struct value *rows)
{
    return rows->kind == VALUE_ARRAY || rows->kind == VALUE_LIST || rows->kind == VALUE_TENSOR;
}

static bool is_batch(const struct check *check, const struct padding *padding, uint32_t rows)
{
    const struct value *const value = ask_value(check, rows);
    bool batch = is_many_rows(value);
    for (uint32_t i = 0; i < padding->count; i++)
        if (!look_at_uses(check, padding->names[i], &batch))
            return false;
    return batch && value->kind != VALUE_INT;
}

/* ---- all of it ---- */

static bool find_mask(const struct check *check, uint32_t class_id, const struct taken *taken, struct padded *mask,
                      struct padding *padding)
{
    for (uint32_t i = 0; i < taken->count; i++)
        if (padded_attribute(check->project, class_id, syntax_tail(check->tree, taken->attributes[i]), mask) &&
            mask->is_mask) {
            padding->mask = taken->names[i];
            return true;
        }
    return false;
}

static void find_names(const struct check *check, uint32_t class_id, const struct taken *taken,
                       const struct padded *mask, struct padding *padding)
{
    struct padded other;
    for (uint32_t i = 0; i < taken->count; i++)
        if (padded_attribute(check->project, class_id, syntax_tail(check->tree, taken->attributes[i]), &other) &&
            as_wide(check->project, &other, mask))
            padding->names[padding->count++] = taken->names[i];
}

static bool is_too_large(const struct check *check, uint32_t class_id, uint32_t statement, const struct taken *taken)
{
    const struct class_info *const class = project_class(check->project, class_id);
    if (!taken->cut && project_tree(check->project, class->file)->size[class->node] <= LARGEST)
        return false;
    project_limit(check->project, &many_taken, check_site(check, statement));
    return true;
}

bool padding_find(const struct check *check, uint32_t statement, struct padding *padding)
{
    struct taken taken = {0};
    struct padded mask;
    *padding = (struct padding){0};
    if (!take_all(check, statement, &taken, &padding->statement) || taken.count < 2)
        return false;
    const uint32_t function = project_function_at(check->project, check_site(check, statement));
    const uint32_t class_id =
        function == SYNTAX_NONE ? SYNTAX_NONE : project_function(check->project, function)->class_id;
    if (class_id == SYNTAX_NONE || is_too_large(check, class_id, statement, &taken) ||
        !find_mask(check, class_id, &taken, &mask, padding))
        return false;
    find_names(check, class_id, &taken, &mask, padding);
    return padding->count > 1 && is_batch(check, padding, taken.rows) && !width_is_asked_for(check, class_id, &mask);
}
