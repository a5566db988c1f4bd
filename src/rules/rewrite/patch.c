/* SPDX-License-Identifier: Apache-2.0 */
#include "patch.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/format.h"

void patch_refuse(struct patch *patch)
{
    patch->refused = true;
}

void patch_replace(struct patch *patch, uint32_t begin, uint32_t end, str text)
{
    if (patch->count == PATCH_PARTS)
        patch_refuse(patch);
    else
        patch->parts[patch->count++] = (struct edit){begin, end, text, 0};
}

static void patch_insert(struct patch *patch, uint32_t at, str text)
{
    patch_replace(patch, at, at, text);
}

void patch_node(struct patch *patch, uint32_t node, str text)
{
    uint32_t begin, end;
    syntax_outer(patch->check->tree, node, &begin, &end);
    patch_replace(patch, begin, end, text);
}

/* ---- lines ---- */

static const struct syntax *tree_of(const struct patch *patch)
{
    return patch->check->tree;
}

static void add(struct patch *patch, bool possible, const struct edit *edit)
{
    if (!possible || patch->count == PATCH_PARTS)
        patch_refuse(patch);
    else
        patch->parts[patch->count++] = *edit;
}

void patch_lines(struct patch *patch, uint32_t at, str lines)
{
    patch_insert(patch, at, str_copy(patch->check->arena, lines));
}

void patch_line_before(struct patch *patch, uint32_t statement, str text)
{
    struct edit edit;
    const bool possible = edit_lines_before(patch->check->arena, tree_of(patch), statement, text, &edit);
    add(patch, possible, &edit);
}

void patch_line_after(struct patch *patch, uint32_t statement, str text)
{
    struct edit edit;
    const bool possible = edit_lines_after(patch->check->arena, tree_of(patch), statement, text, &edit);
    add(patch, possible, &edit);
}

void patch_delete(struct patch *patch, uint32_t statement)
{
    struct edit edit;
    edit_delete(tree_of(patch), statement, &edit);
    add(patch, true, &edit);
}

/* ---- arguments ---- */

void patch_argument(struct patch *patch, uint32_t call, str text)
{
    const struct syntax *tree = tree_of(patch);
    const uint32_t arguments = syntax_child(tree, call, 1);
    if (!syntax_is(tree, arguments, SYN_ARGUMENTS)) { /* f(x for x in y): the generator has no parentheses of its own */
        patch_refuse(patch);
        return;
    }
    const uint32_t last = syntax_last_child(tree, arguments);
    if (last == SYNTAX_NONE) {
        patch_insert(patch, tree->end[call] - 1, text);
        return;
    }
    uint32_t begin, end;
    syntax_outer(tree, last, &begin, &end);
    if (tree->kind[last] == SYN_GENERATOR && end >= tree->end[call]) {
        patch_refuse(patch);
        return;
    }
    patch_insert(patch, end, patch_printf(patch, ", %.*s", (int)text.len, text.at));
}

/* ---- texts and names ---- */

str patch_printf(const struct patch *patch, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int len = format_text_v(NULL, 0, format, list);
    va_end(list);
    char *at = arena_alloc(patch->check->arena, (size_t)len + 1);
    format_text_v(at, (size_t)len + 1, format, again);
    va_end(again);
    return (str){at, (size_t)len};
}

str patch_text(const struct patch *patch, uint32_t node)
{
    uint32_t begin, end;
    syntax_outer(tree_of(patch), node, &begin, &end);
    return (str){tree_of(patch)->text.at + begin, end - begin};
}

str patch_primary(const struct patch *patch, uint32_t node)
{
    const str text = patch_text(patch, node);
    switch (tree_of(patch)->kind[node]) {
    case SYN_NAME:
    case SYN_ATTRIBUTE:
    case SYN_CALL:
    case SYN_SUBSCRIPT:
    case SYN_LIST:
    case SYN_LIST_COMP:
    case SYN_STRING:
        return text;
    default:
        return text.at[0] == '(' && text.len > syntax_text(tree_of(patch), node).len
                   ? text
                   : patch_printf(patch, "(%.*s)", (int)text.len, text.at);
    }
}

static bool has_name(const struct syntax *tree, str name)
{
    return syntax_name_from(tree, name, 0, tree->count) != SYNTAX_NONE;
}

/* Part of a longer word counts too: a name more than need be is free again in the next pass. */
static bool is_pending(const struct patch *patch, str name)
{
    uint32_t count = 0;
    const struct edit *list = patch->edits ? edits_list(patch->edits, &count) : NULL;
    for (uint32_t i = 0; i < count; i++)
        if (str_has(list[i].text, name))
            return true;
    return false;
}

str patch_fresh_name(const struct patch *patch, str wanted)
{
    str name = str_copy(patch->check->arena, wanted);
    for (int i = 2; (has_name(tree_of(patch), name) || is_pending(patch, name)) && i < 100; i++)
        name = patch_printf(patch, "%.*s_%d", (int)wanted.len, wanted.at, i);
    return name;
}

uint32_t patch_statement(const struct patch *patch, uint32_t node)
{
    const struct syntax *tree = tree_of(patch);
    while (node && tree->kind[tree->parent[node]] != SYN_BLOCK && tree->kind[tree->parent[node]] != SYN_MODULE)
        node = tree->parent[node];
    return node;
}

str patch_indent_unit(const struct patch *patch)
{
    const struct syntax *tree = tree_of(patch);
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_BLOCK || !syntax_child_count(tree, node))
            continue;
        const str inner = syntax_indent(tree, syntax_first(tree, node));
        const str outer = syntax_indent(tree, patch_statement(patch, tree->parent[node]));
        if (inner.len > outer.len && str_starts(inner, outer))
            return str_from(inner, outer.len);
    }
    return S("    ");
}

/* ---- modules ---- */

/* `import numpy as np` binds np, `import torch.optim` binds torch. */
static str bound_by(const struct syntax *tree, uint32_t alias, str module)
{
    const uint32_t dotted = syntax_first(tree, alias), as = syntax_child(tree, alias, 1);
    if (dotted == SYNTAX_NONE) /* `import` and nothing that can be read */
        return S("");
    const str name = syntax_text(tree, dotted);
    if (syntax_is(tree, as, SYN_NAME))
        return str_eq(name, module) ? syntax_text(tree, as) : S("");
    const bool below = str_starts(name, module) && name.len > module.len && name.at[module.len] == '.';
    return str_eq(name, module) || below ? module : S("");
}

static str bound_on_top(const struct syntax *tree, str module)
{
    for (uint32_t at = syntax_first(tree, 0); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (tree->kind[at] != SYN_IMPORT)
            continue;
        for (uint32_t alias = syntax_first(tree, at); alias != SYNTAX_NONE; alias = syntax_next(tree, alias)) {
            const str name = bound_by(tree, alias, module);
            if (name.len)
                return name;
        }
    }
    return S("");
}

static bool is_import(const struct syntax *tree, uint32_t statement)
{
    const uint32_t what = syntax_first(tree, statement);
    if (what == SYNTAX_NONE || (tree->kind[statement] == SYN_IMPORT && syntax_first(tree, what) == SYNTAX_NONE))
        return false;
    if (tree->kind[statement] == SYN_FROM_IMPORT)
        return !str_eq(syntax_text(tree, syntax_first(tree, statement)), S("__future__"));
    return tree->kind[statement] == SYN_IMPORT;
}

/* Modules of Python come first, NumPy before torch, as people sort them. */
static uint32_t place_for_import(const struct syntax *tree, bool before_torch)
{
    uint32_t first = SYNTAX_NONE;
    for (uint32_t at = syntax_first(tree, 0); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (!is_import(tree, at))
            continue;
        first = first == SYNTAX_NONE ? at : first;
        const uint32_t what =
            tree->kind[at] == SYN_IMPORT ? syntax_first(tree, syntax_first(tree, at)) : syntax_first(tree, at);
        if (!before_torch || str_starts(syntax_text(tree, what), S("torch")))
            return at;
    }
    return first;
}

str patch_module(struct patch *patch, const char *module)
{
    const struct syntax *tree = tree_of(patch);
    const str bound = bound_on_top(tree, str_of(module));
    if (bound.len)
        return bound;
    const bool numpy = strcmp(module, "numpy") == 0;
    const str name = numpy ? S("np") : str_of(module);
    const uint32_t place = place_for_import(tree, numpy);
    if (strcmp(module, "torch") == 0 || place == SYNTAX_NONE || has_name(tree, name)) {
        patch_refuse(patch);
        return name;
    }
    patch_line_before(patch, place,
                      numpy ? S("import numpy as np") : patch_printf(patch, "import %.*s", (int)name.len, name.at));
    return name;
}

bool patch_hand_over(struct patch *patch, struct edits *edits)
{
    return !patch->refused && patch->count && edits_take(edits, patch->parts, patch->count) != EDITS_REFUSED;
}
