/* SPDX-License-Identifier: Apache-2.0 */
#include "patch.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/format.h"
#include "layout.h"

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

void patch_insert(struct patch *patch, uint32_t at, str text)
{
    patch_replace(patch, at, at, text);
}

void patch_node(struct patch *patch, uint32_t node, str text)
{
    uint32_t begin, end;
    syntax_outer(patch->check->tree, node, &begin, &end);
    patch_replace(patch, begin, end, text);
    patch_grown(patch, node);
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

/* The indent of the first line. */
static str indent_of(str lines)
{
    size_t len = 0;
    while (len < lines.len && (lines.at[len] == ' ' || lines.at[len] == '\t'))
        len++;
    return (str){lines.at, len};
}

/* The head and the lines, or the lines alone where the same head stands there already. */
static bool edit_below(const struct patch *patch, uint32_t statement, str head, str lines, struct edit *edit)
{
    struct arena *arena = patch->check->arena;
    const struct syntax *tree = tree_of(patch);
    const str all = patch_printf(patch, "%.*s%.*s", (int)head.len, head.at, (int)lines.len, lines.at);
    struct edit first, rest;
    if (!edit_lines_before(arena, tree, statement, all, edit))
        return false;
    if (!head.len || !patch->edits || edits_makes(patch->edits, edit) ||
        !edit_lines_before(arena, tree, statement, (str){head.at, head.len - 1}, &first) ||
        !edit_lines_before(arena, tree, statement, lines, &rest))
        return true;
    if (edits_ends_below(patch->edits, edit->begin, first.text, indent_of(rest.text)))
        *edit = rest;
    return true;
}

void patch_lines_below(struct patch *patch, uint32_t statement, str head, str lines)
{
    struct edit edit;
    const bool possible = edit_below(patch, statement, head, lines, &edit);
    add(patch, possible, &edit);
}

bool patch_has_below(const struct patch *patch, uint32_t statement, str head, str lines)
{
    struct edit edit;
    return patch->edits && edit_below(patch, statement, head, lines, &edit) && edits_makes(patch->edits, &edit);
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

/* The outermost function around a node: names that it binds are its own. 0, the module, where there is none. */
static uint32_t room_of(const struct syntax *tree, uint32_t node)
{
    uint32_t room = 0;
    for (uint32_t at = node; at; at = tree->parent[at])
        room = tree->kind[at] == SYN_FUNCTION ? at : room;
    return room;
}

static bool has_name(const struct syntax *tree, uint32_t room, str name)
{
    return syntax_name_from(tree, name, room, room + tree->size[room]) != SYNTAX_NONE;
}

/* Part of a longer word counts too: a name more than need be is free again in the next pass. */
static bool is_pending(const struct patch *patch, uint32_t room, str name)
{
    const struct syntax *tree = tree_of(patch);
    uint32_t count = 0;
    const struct edit *list = patch->edits ? edits_list(patch->edits, &count) : NULL;
    for (uint32_t i = 0; i < count; i++)
        if ((!room || (list[i].end >= tree->begin[room] && list[i].begin <= tree->end[room])) &&
            str_has(list[i].text, name))
            return true;
    return false;
}

static str fresh_in(const struct patch *patch, uint32_t room, str wanted)
{
    str name = str_copy(patch->check->arena, wanted);
    for (int i = 2; (has_name(tree_of(patch), room, name) || is_pending(patch, room, name)) && i < 100; i++)
        name = patch_printf(patch, "%.*s_%d", (int)wanted.len, wanted.at, i);
    return name;
}

str patch_fresh_name(const struct patch *patch, str wanted)
{
    return fresh_in(patch, 0, wanted);
}

str patch_fresh_local(const struct patch *patch, uint32_t node, str wanted)
{
    return fresh_in(patch, room_of(tree_of(patch), node), wanted);
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

str patch_fitted(const struct patch *patch, uint32_t statement, str line)
{
    const uint32_t width = layout_width(tree_of(patch)),
                   indent = (uint32_t)syntax_indent(tree_of(patch), statement).len;
    return layout_broken(patch->check->arena, line, S(""), patch_indent_unit(patch),
                         width > indent ? width - indent : 1);
}

/* ---- lines that grew ---- */

static bool is_within(const struct edit *part, uint32_t begin, uint32_t end)
{
    return begin <= part->begin && part->end <= end;
}

/* The next part of the statement from this byte on; NULL. */
static const struct edit *next_part(const struct patch *patch, uint32_t from, uint32_t end, const struct edit *after)
{
    const struct edit *best = NULL;
    for (uint32_t i = 0; i < patch->count; i++) {
        const struct edit *part = &patch->parts[i];
        const bool later = !after || part->begin > after->begin || (part->begin == after->begin && part > after);
        if (later && is_within(part, from, end) && (!best || part->begin < best->begin))
            best = part;
    }
    return best;
}

static str text_after(const struct patch *patch, uint32_t begin, uint32_t end)
{
    const str whole = tree_of(patch)->text;
    struct buf buf = {0};
    uint32_t from = begin;
    for (const struct edit *part = next_part(patch, begin, end, NULL); part; part = next_part(patch, from, end, part)) {
        buf_add(&buf, (str){whole.at + from, part->begin - from});
        buf_add(&buf, part->text);
        from = part->end;
    }
    buf_add(&buf, (str){whole.at + from, end - from});
    const str text = str_copy(patch->check->arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

/* Alone on one line, without a comment: what may be laid out anew. */
static bool stands_alone(const struct syntax *tree, uint32_t statement)
{
    const struct place_in_text begin = syntax_place(tree, tree->begin[statement]);
    return begin.line == syntax_place(tree, tree->end[statement]).line &&
           str_eq(str_trim(syntax_line(tree, begin.line)), syntax_text(tree, statement));
}

static void drop_parts(struct patch *patch, uint32_t begin, uint32_t end)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < patch->count; i++)
        if (!is_within(&patch->parts[i], begin, end))
            patch->parts[kept++] = patch->parts[i];
    patch->count = kept;
}

void patch_grown(struct patch *patch, uint32_t node)
{
    if (patch->grown_count < PATCH_GROWN)
        patch->grown[patch->grown_count++] = node;
}

static bool was_kept(const struct syntax *tree, uint32_t at, uint32_t grown_to)
{
    const uint32_t width = layout_width(tree);
    return grown_to > width && layout_line_width(tree, at) <= width;
}

/*
 *     f(
 *         a, b         where this row became too wide: a part a line
 *     )
 */
static void break_row(struct patch *patch, uint32_t node)
{
    const struct syntax *tree = tree_of(patch);
    const uint32_t line = syntax_place(tree, tree->begin[node]).line;
    if (line < 2 || line >= tree->line_count || line != syntax_place(tree, tree->end[node]).line)
        return;
    const str row = str_trim(syntax_line(tree, line)), above = str_trim(syntax_line(tree, line - 1)),
              below = str_trim(syntax_line(tree, line + 1));
    if (!row.len || !above.len || !below.len || !memchr("([{", above.at[above.len - 1], 3) ||
        !memchr(")]}", below.at[0], 3))
        return;
    const uint32_t begin = (uint32_t)(row.at - tree->text.at), end = begin + (uint32_t)row.len;
    const str indent = {tree->text.at + tree->line_at[line - 1], begin - tree->line_at[line - 1]};
    const str text = text_after(patch, begin, end);
    if (memchr(text.at, '\n', text.len) || !was_kept(tree, begin, (uint32_t)(indent.len + text.len)))
        return;
    const str lines = layout_row_broken(patch->check->arena, text, indent);
    if (!lines.len)
        return;
    drop_parts(patch, begin, end);
    patch_replace(patch, begin, end, (str){lines.at + indent.len, lines.len - indent.len - 1});
}

/* A line that keeps to the width of the file does so still. */
static void break_line(struct patch *patch, uint32_t node)
{
    const struct syntax *tree = tree_of(patch);
    const uint32_t statement = patch_statement(patch, node);
    const uint32_t begin = tree->begin[statement], end = tree->end[statement];
    if (!stands_alone(tree, statement)) {
        break_row(patch, node);
        return;
    }
    const str text = text_after(patch, begin, end);
    if (syntax_indent(tree, statement).len + text.len <= LAYOUT_LEAST_WIDTH)
        return;
    const uint32_t width = layout_width(tree);
    if (layout_line_width(tree, begin) > width)
        return;
    const str broken =
        layout_broken(patch->check->arena, text, syntax_indent(tree, statement), patch_indent_unit(patch), width);
    if (str_eq(text, broken))
        return;
    drop_parts(patch, begin, end);
    patch_replace(patch, begin, end, broken);
}

bool patch_hand_over(struct patch *patch, struct edits *edits)
{
    for (uint32_t i = 0; i < patch->grown_count && !patch->refused; i++)
        break_line(patch, patch->grown[i]);
    return !patch->refused && patch->count && edits_take(edits, patch->parts, patch->count) != EDITS_REFUSED;
}
