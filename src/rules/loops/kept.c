/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"

#include "source/known/known_words.h"

bool kept_is_number(const struct value *value)
{
    return value_is_number(value) || value->kind == VALUE_STR || value_has(value, VALUE_SCALAR_NUMPY);
}

/* Functions that return no part of what they are given, or nothing that could be changed. */
static bool only_reads(const struct check *check, uint32_t call)
{
    const struct site site = check_site(check, call);
    if (known_word(WORDS_READ_ONLY, name_of(check->project, site)))
        return true;
    return !known_word(WORDS_SHARE_ARRAY, ask_tail(check, call)) && name_under(check->project, site, "numpy.");
}

/* np.where(...)[0][0]: one number of NumPy, which nobody can change. */
static bool is_place(const struct check *check, uint32_t node)
{
    for (int i = 0; i < 2; i++) {
        if (!syntax_is(check->tree, node, SYN_SUBSCRIPT) ||
            !syntax_is(check->tree, syntax_child(check->tree, node, 1), SYN_INTEGER))
            return false;
        node = syntax_first(check->tree, node);
    }
    return ask_named(check, node, "numpy.where");
}

/* A list whose items cannot be changed can be copied by its items; of another one nothing is known. */
static enum kept_use copied(const struct check *check, uint32_t node)
{
    const struct value *value = ask_value(check, node);
    if (value->kind == VALUE_ARRAY)
        return KEPT_COPY_ARRAY;
    if (value->kind != VALUE_LIST)
        return KEPT_REFUSE;
    const bool places = syntax_is(check->tree, node, SYN_LIST_COMP) && is_place(check, syntax_first(check->tree, node));
    return places || kept_is_number(value_item(value)) ? KEPT_COPY_LIST : KEPT_COPY_DEEP;
}

enum kept_use kept_use(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    const struct value *value = ask_value(check, node);
    const uint32_t parent = tree->parent[node];
    if (kept_is_number(value))
        return KEPT_READ;
    switch (tree->kind[parent]) {
    case SYN_SUBSCRIPT:
        if (syntax_first(tree, parent) != node)
            return KEPT_READ;
        return kept_is_number(ask_value(check, parent)) || syntax_is(tree, tree->parent[parent], SYN_SUBSCRIPT)
                   ? KEPT_READ
                   : KEPT_REFUSE;
    case SYN_BINARY:
    case SYN_COMPARE:
    case SYN_UNARY:
        return value->kind == VALUE_ARRAY || (value->kind == VALUE_LIST && kept_is_number(value_item(value)))
                   ? KEPT_READ
                   : KEPT_REFUSE;
    case SYN_FOR:
    case SYN_COMP_FOR:
        return kept_is_number(value_item(value)) ? KEPT_READ : KEPT_REFUSE;
    case SYN_ATTRIBUTE:
        return syntax_is(tree, tree->parent[parent], SYN_CALL) &&
                       known_word(WORDS_READ_ARRAY, syntax_tail(tree, parent))
                   ? KEPT_READ
                   : KEPT_REFUSE;
    case SYN_ARGUMENTS: {
        const uint32_t call = tree->parent[parent];
        if (only_reads(check, call))
            return KEPT_READ;
        return str_eq(syntax_tail(tree, syntax_first(tree, call)), S("append")) ? copied(check, node) : KEPT_REFUSE;
    }
    default:
        return KEPT_REFUSE;
    }
}
