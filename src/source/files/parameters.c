/* SPDX-License-Identifier: Apache-2.0 */
/* Which parameter of a function an argument goes to; those beyond SUMMARY_PARAMETERS are none. */
#include "files.h"

/* The parameter that a keyword names; the count of parameters where none has that name. */
static uint32_t parameter_named(const struct syntax *tree, uint32_t list, str name)
{
    uint32_t k = 0;
    for (uint32_t p = syntax_first(tree, list); p != NONE; p = syntax_next(tree, p)) {
        if (tree->kind[p] != SYN_PARAMETER || syntax_is(tree, syntax_first(tree, p), SYN_ABSENT))
            continue;
        if (k == SUMMARY_PARAMETERS)
            return NONE;
        if (!tree->op[p] && str_eq(syntax_text(tree, syntax_first(tree, p)), name))
            return k;
        k++;
    }
    return NONE;
}

/* The parameter that takes position i; NONE where *args takes it or there is none. */
static uint32_t parameter_at(const struct syntax *tree, uint32_t list, uint32_t i)
{
    uint32_t k = 0;
    for (uint32_t p = syntax_first(tree, list); p != NONE; p = syntax_next(tree, p)) {
        if (tree->kind[p] != SYN_PARAMETER || syntax_is(tree, syntax_first(tree, p), SYN_ABSENT))
            continue;
        if (tree->op[p] || k == SUMMARY_PARAMETERS)
            return NONE;
        if (k++ == i)
            return i;
    }
    return NONE;
}

uint32_t call_parameter_of(const struct files *files, uint32_t function, const struct syntax *tree, uint32_t argument,
                           uint32_t position, uint32_t self)
{
    const struct function *f = &files->functions[function];
    const struct syntax *there = files->at[f->file].shown.tree;
    const uint32_t list = scope_parameters(there, f->node);
    if (list == NONE)
        return NONE;
    if (tree->kind[argument] == SYN_KEYWORD)
        return parameter_named(there, list, syntax_text(tree, syntax_first(tree, argument)));
    return parameter_at(there, list, position + self);
}
