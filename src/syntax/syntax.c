/* SPDX-License-Identifier: Apache-2.0 */
/* Moving about in a tree. */
#include "syntax.h"

static const char *const kind_names[SYNTAX_KINDS] = {
    [SYN_ABSENT] = "absent",
    [SYN_ERROR] = "error",
    [SYN_MODULE] = "module",
    [SYN_BLOCK] = "block",
    [SYN_FUNCTION] = "function",
    [SYN_CLASS] = "class",
    [SYN_DECORATED] = "decorated",
    [SYN_IF] = "if",
    [SYN_FOR] = "for",
    [SYN_WHILE] = "while",
    [SYN_WITH] = "with",
    [SYN_TRY] = "try",
    [SYN_EXCEPT] = "except",
    [SYN_ELSE] = "else",
    [SYN_FINALLY] = "finally",
    [SYN_MATCH] = "match",
    [SYN_CASE] = "case",
    [SYN_RETURN] = "return",
    [SYN_RAISE] = "raise",
    [SYN_DELETE] = "delete",
    [SYN_ASSERT] = "assert",
    [SYN_ASSIGN] = "assign",
    [SYN_AUG_ASSIGN] = "aug_assign",
    [SYN_ANN_ASSIGN] = "ann_assign",
    [SYN_IMPORT] = "import",
    [SYN_FROM_IMPORT] = "from_import",
    [SYN_GLOBAL] = "global",
    [SYN_NONLOCAL] = "nonlocal",
    [SYN_EXPR] = "expr",
    [SYN_PASS] = "pass",
    [SYN_BREAK] = "break",
    [SYN_CONTINUE] = "continue",
    [SYN_OTHER] = "other",
    [SYN_PARAMETERS] = "parameters",
    [SYN_PARAMETER] = "parameter",
    [SYN_WITH_ITEM] = "with_item",
    [SYN_ALIAS] = "alias",
    [SYN_NAME] = "name",
    [SYN_ATTRIBUTE] = "attribute",
    [SYN_CALL] = "call",
    [SYN_ARGUMENTS] = "arguments",
    [SYN_KEYWORD] = "keyword",
    [SYN_SUBSCRIPT] = "subscript",
    [SYN_SLICE] = "slice",
    [SYN_BINARY] = "binary",
    [SYN_UNARY] = "unary",
    [SYN_NOT] = "not",
    [SYN_BOOL] = "bool",
    [SYN_COMPARE] = "compare",
    [SYN_CONDITIONAL] = "conditional",
    [SYN_LAMBDA] = "lambda",
    [SYN_NAMED] = "named",
    [SYN_LIST] = "list",
    [SYN_TUPLE] = "tuple",
    [SYN_SET] = "set",
    [SYN_DICT] = "dict",
    [SYN_PAIR] = "pair",
    [SYN_LIST_COMP] = "list_comp",
    [SYN_SET_COMP] = "set_comp",
    [SYN_DICT_COMP] = "dict_comp",
    [SYN_GENERATOR] = "generator",
    [SYN_COMP_FOR] = "comp_for",
    [SYN_COMP_IF] = "comp_if",
    [SYN_STRING] = "string",
    [SYN_INTERPOLATION] = "interpolation",
    [SYN_INTEGER] = "integer",
    [SYN_FLOAT] = "float",
    [SYN_TRUE] = "true",
    [SYN_FALSE] = "false",
    [SYN_NONE] = "none",
    [SYN_ELLIPSIS] = "ellipsis",
    [SYN_STARRED] = "starred",
    [SYN_DOUBLE_STARRED] = "double_starred",
    [SYN_AWAIT] = "await",
    [SYN_YIELD] = "yield",
};

const char *syntax_kind_name(enum syntax_kind kind)
{
    return kind < SYNTAX_KINDS ? kind_names[kind] : "?";
}

uint32_t syntax_child(const struct syntax *tree, uint32_t node, uint32_t i)
{
    uint32_t child = syntax_first(tree, node);
    while (child != SYNTAX_NONE && i--)
        child = syntax_next(tree, child);
    return child;
}

uint32_t syntax_child_count(const struct syntax *tree, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t child = syntax_first(tree, node); child != SYNTAX_NONE; child = syntax_next(tree, child))
        count++;
    return count;
}

/* Along the children and up from the end of the subtree at once: a block is long or deep, seldom both. */
uint32_t syntax_last_child(const struct syntax *tree, uint32_t node)
{
    const uint32_t last = syntax_last(tree, node);
    if (last == node + 1)
        return SYNTAX_NONE;
    for (uint32_t along = node + 1, up = last - 1;; along = syntax_last(tree, along), up = tree->parent[up]) {
        if (syntax_last(tree, along) == last)
            return along;
        if (tree->parent[up] == node)
            return up;
    }
}

bool syntax_is_statement(enum syntax_kind kind)
{
    switch (kind) {
    case SYN_EXCEPT:
    case SYN_ELSE:
    case SYN_FINALLY:
    case SYN_CASE:
        return false;
    default:
        return kind >= SYN_FUNCTION && kind <= SYN_OTHER;
    }
}

bool syntax_inside(const struct syntax *tree, uint32_t node, uint32_t ancestor)
{
    return node >= ancestor && node < syntax_last(tree, ancestor);
}

/* --- calls -------------------------------------------------------------------------------------------------------------- */

str syntax_tail(const struct syntax *tree, uint32_t node)
{
    if (syntax_is(tree, node, SYN_ATTRIBUTE))
        node = syntax_child(tree, node, 1);
    return syntax_is(tree, node, SYN_NAME) ? syntax_text(tree, node) : S("");
}

bool syntax_calls(const struct syntax *tree, uint32_t node, str method)
{
    return syntax_is(tree, node, SYN_CALL) && str_eq(syntax_tail(tree, syntax_first(tree, node)), method);
}

static uint32_t arguments_of(const struct syntax *tree, uint32_t call)
{
    return syntax_is(tree, call, SYN_CALL) ? syntax_child(tree, call, 1) : SYNTAX_NONE;
}

static bool hides(enum syntax_kind kind)
{
    return kind == SYN_STARRED || kind == SYN_DOUBLE_STARRED || kind == SYN_ERROR;
}

static bool is_named(const struct syntax *tree, uint32_t argument, const char *name)
{
    return name && tree->kind[argument] == SYN_KEYWORD &&
           str_eq(syntax_text(tree, syntax_first(tree, argument)), str_of(name));
}

uint32_t syntax_argument(const struct syntax *tree, uint32_t call, uint32_t i, const char *name)
{
    const uint32_t arguments = arguments_of(tree, call);
    if (arguments == SYNTAX_NONE)
        return SYNTAX_NONE;
    uint32_t position = 0;
    bool hidden = false;
    for (uint32_t at = syntax_first(tree, arguments); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (is_named(tree, at, name))
            return syntax_child(tree, at, 1);
        hidden |= hides(tree->kind[at]);
        if (tree->kind[at] != SYN_KEYWORD && !hidden && position++ == i)
            return at;
    }
    return SYNTAX_NONE;
}

bool syntax_arguments_hidden(const struct syntax *tree, uint32_t call)
{
    const uint32_t arguments = arguments_of(tree, call);
    if (arguments == SYNTAX_NONE)
        return false;
    for (uint32_t at = syntax_first(tree, arguments); at != SYNTAX_NONE; at = syntax_next(tree, at))
        if (hides(tree->kind[at]))
            return true;
    return false;
}
