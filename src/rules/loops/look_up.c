/* SPDX-License-Identifier: Apache-2.0 */
#include "look_up.h"

static bool is_zero(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_INTEGER) && str_eq(syntax_text(tree, node), S("0"));
}

/* a == b of `np.where(a == b)[0][0]`; SYNTAX_NONE. */
static uint32_t comparison_of(const struct check *check, uint32_t element)
{
    const struct syntax *const tree = check->tree;
    for (int i = 0; i < 2; i++) {
        if (!syntax_is(tree, element, SYN_SUBSCRIPT) || !is_zero(tree, syntax_child(tree, element, 1)))
            return SYNTAX_NONE;
        element = syntax_first(tree, element);
    }
    if (!syntax_is(tree, element, SYN_CALL) || !ask_named(check, element, "numpy.where") ||
        syntax_child_count(tree, syntax_child(tree, element, 1)) != 1)
        return SYNTAX_NONE;
    const uint32_t compare = syntax_argument(tree, element, 0, NULL);
    return syntax_is(tree, compare, SYN_COMPARE) && tree->op[compare] == OP_EQUAL &&
                   syntax_child_count(tree, compare) == 2
               ? compare
               : SYNTAX_NONE;
}

static const struct definition *defined_by(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_NAME) ? flow_definition(check->project, check_site(check, node)) : NULL;
}

static bool same_value(const struct check *check, uint32_t a, uint32_t b)
{
    const struct definition *const definition = defined_by(check, a);
    return definition && syntax_same(check->tree, a, check->tree, b) && definition == defined_by(check, b);
}

/* node = np.unique(items), and nothing else: sorted, and each item is in it. */
static bool is_distinct_of(const struct check *check, uint32_t distinct, uint32_t items)
{
    const struct definition *const definition = defined_by(check, distinct);
    return definition && definition->kind == DEFINED_ASSIGN && !definition->unpacked &&
           ask_named(check, definition->value, "numpy.unique") &&
           syntax_child_count(check->tree, syntax_child(check->tree, definition->value, 1)) == 1 &&
           same_value(check, syntax_argument(check->tree, definition->value, 0, NULL), items);
}

/* ---- the distinct ones stay as they are ---- */

/* `node.tolist()`, `node.size`: what gives something new of an array. */
static bool only_reads(const struct syntax *tree, uint32_t attribute)
{
    static const char *const names[] = {"tolist", "searchsorted", "copy", "size", "ndim", "max", "min", "sum", "mean"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(syntax_tail(tree, attribute), str_of(names[i])))
            return true;
    return false;
}

static bool is_element_read(const struct check *check, uint32_t subscript)
{
    const struct syntax *const tree = check->tree;
    const uint32_t parent = tree->parent[subscript];
    const bool is_target = (tree->kind[parent] == SYN_ASSIGN || tree->kind[parent] == SYN_AUG_ASSIGN) &&
                           syntax_first(tree, parent) == subscript;
    return !is_target && ask_value(check, syntax_child(tree, subscript, 1))->kind == VALUE_INT;
}

/* A use that neither changes the array nor lets anything else have it. */
static bool leaves_as_is(const struct check *check, uint32_t use)
{
    const struct syntax *const tree = check->tree;
    const uint32_t parent = tree->parent[use];
    switch (tree->kind[parent]) {
    case SYN_COMPARE:
        return true;
    case SYN_ATTRIBUTE:
        return only_reads(tree, parent);
    case SYN_SUBSCRIPT:
        return syntax_first(tree, parent) == use && is_element_read(check, parent);
    case SYN_ARGUMENTS:
        return ask_named(check, tree->parent[parent], "len");
    default:
        return false;
    }
}

static bool stays_as_is(const struct check *check, const struct definition *distinct)
{
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = flow_uses(check->project, check->file, distinct, uses, FLOW_MOST_USES);
    if (count > FLOW_MOST_USES)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!leaves_as_is(check, uses[i]))
            return false;
    return true;
}

/* ---- items are single values ---- */

static bool is_single(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_FLOAT || value->kind == VALUE_BOOL ||
           value->kind == VALUE_STR;
}

static bool is_number(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_INTEGER) || syntax_is(tree, node, SYN_FLOAT);
}

/* `if items[i] == 0:` the truth of such a comparison there is of a single value alone: NumPy refuses that of a row. */
static bool is_tested(const struct check *check, uint32_t use)
{
    const struct syntax *const tree = check->tree;
    const uint32_t subscript = tree->parent[use], compare = tree->parent[subscript], statement = tree->parent[compare];
    return syntax_is(tree, subscript, SYN_SUBSCRIPT) && syntax_first(tree, subscript) == use &&
           !syntax_is(tree, syntax_child(tree, subscript, 1), SYN_SLICE) && syntax_is(tree, compare, SYN_COMPARE) &&
           syntax_child_count(tree, compare) == 2 && is_number(tree, syntax_child(tree, compare, 1)) &&
           (syntax_is(tree, statement, SYN_IF) || syntax_is(tree, statement, SYN_WHILE)) &&
           syntax_first(tree, statement) == compare;
}

static bool are_single(const struct check *check, uint32_t items)
{
    if (is_single(value_item(ask_value(check, items))))
        return true;
    uint32_t uses[FLOW_MOST_USES];
    const struct definition *const definition = defined_by(check, items);
    const uint32_t count = flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++)
        if (is_tested(check, uses[i]))
            return true;
    return false;
}

/* Where an error is caught, a value that is in none of them could be what the program goes by. */
static bool is_caught(const struct syntax *tree, uint32_t node)
{
    for (; node && !syntax_is(tree, node, SYN_FUNCTION); node = tree->parent[node])
        if (syntax_is(tree, node, SYN_TRY))
            return true;
    return false;
}

static bool is_proven(const struct check *check, const struct look_up *look_up)
{
    return stays_as_is(check, defined_by(check, look_up->distinct)) && are_single(check, look_up->items) &&
           !is_caught(check->tree, look_up->distinct);
}

/* ---- of all, of one ---- */

/* Which side of the comparison is not the other one. */
static uint32_t other_side(const struct syntax *tree, uint32_t compare, uint32_t side)
{
    const uint32_t left = syntax_first(tree, compare);
    return left == side ? syntax_child(tree, compare, 1) : left;
}

bool look_up_of_all(const struct check *check, uint32_t comprehension, struct look_up *look_up)
{
    const struct syntax *const tree = check->tree;
    if (tree->kind[comprehension] != SYN_LIST_COMP || syntax_child_count(tree, comprehension) != 2)
        return false;
    const uint32_t compare = comparison_of(check, syntax_first(tree, comprehension));
    const uint32_t each = syntax_child(tree, comprehension, 1), item = syntax_first(tree, each);
    if (compare == SYNTAX_NONE || !syntax_is(tree, item, SYN_NAME))
        return false;
    const bool is_left = syntax_same(tree, syntax_first(tree, compare), tree, item);
    *look_up = (struct look_up){
        .distinct = syntax_child(tree, compare, is_left ? 1 : 0), .items = syntax_child(tree, each, 1), .item = item};
    if (!syntax_same(tree, other_side(tree, compare, look_up->distinct), tree, item) ||
        !is_distinct_of(check, look_up->distinct, look_up->items))
        return false;
    look_up->is_proven = is_proven(check, look_up);
    return true;
}

/* One of the items by its number, on either side. */
static bool find_item(const struct syntax *tree, uint32_t compare, struct look_up *look_up)
{
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t item = syntax_child(tree, compare, side);
        if (!syntax_is(tree, item, SYN_SUBSCRIPT) || syntax_is(tree, syntax_child(tree, item, 1), SYN_SLICE) ||
            syntax_is(tree, syntax_child(tree, item, 1), SYN_TUPLE))
            continue;
        *look_up = (struct look_up){
            .distinct = other_side(tree, compare, item), .items = syntax_first(tree, item), .item = item};
        return true;
    }
    return false;
}

bool look_up_of_one(const struct check *check, uint32_t subscript, struct look_up *look_up)
{
    const uint32_t compare = comparison_of(check, subscript);
    if (compare == SYNTAX_NONE || !find_item(check->tree, compare, look_up) ||
        !is_distinct_of(check, look_up->distinct, look_up->items))
        return false;
    look_up->is_proven = is_proven(check, look_up);
    return true;
}

/* The outer subscript around a use of the distinct ones, where that is such a search. */
static uint32_t search_around(const struct check *check, uint32_t use)
{
    const struct syntax *const tree = check->tree;
    uint32_t at = tree->parent[use];
    for (int up = 0; up < 4; up++) /* comparison, arguments, call, subscript */
        at = at ? tree->parent[at] : 0;
    struct look_up look_up;
    return at && look_up_of_one(check, at, &look_up) && look_up.distinct == use ? at : SYNTAX_NONE;
}

uint32_t look_ups_beside(const struct check *check, const struct look_up *one, uint32_t subscripts[LOOK_UPS])
{
    uint32_t uses[FLOW_MOST_USES], found = 0;
    const uint32_t count =
        flow_uses(check->project, check->file, defined_by(check, one->distinct), uses, FLOW_MOST_USES);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES && found < LOOK_UPS; i++) {
        const uint32_t search = search_around(check, uses[i]);
        if (search != SYNTAX_NONE)
            subscripts[found++] = search;
    }
    return found;
}
