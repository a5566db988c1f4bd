/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include "base/buf.h"
#include "base/utf8.h"

/* ---- widths ---- */

static uint32_t columns(str line)
{
    return (uint32_t)utf16_units(line.at, line.len);
}

static str line_at(const struct syntax *tree, uint32_t line)
{
    const str text = syntax_line(tree, line);
    return text.at ? text : S("");
}

/* Comments and texts stay long in files that are laid out by a program: what of a line tells its width is code. */
static bool is_code(str line)
{
    return line.len && !memchr(line.at, '#', line.len) && !memchr(line.at, '"', line.len) &&
           !memchr(line.at, '\'', line.len) && memchr(line.at, '(', line.len);
}

uint32_t layout_width(const struct syntax *tree)
{
    static const uint32_t widths[] = {LAYOUT_LEAST_WIDTH, 100, 120};
    enum { LOOKED_AT = 1000, WIDTHS = sizeof widths / sizeof *widths };
    uint32_t beyond[WIDTHS] = {0}, lines = 0;
    for (uint32_t line = 1; line <= tree->line_count && line <= LOOKED_AT; line++) {
        const str text = line_at(tree, line);
        for (uint32_t i = 0; i < WIDTHS && is_code(text); i++)
            beyond[i] += columns(text) > widths[i];
        lines += is_code(text);
    }
    for (uint32_t i = 0; i < WIDTHS; i++)
        if (beyond[i] * 50 <= lines)
            return widths[i];
    return widths[WIDTHS - 1];
}

uint32_t layout_line_width(const struct syntax *tree, uint32_t at)
{
    return columns(line_at(tree, syntax_place(tree, at).line));
}

/* ---- brackets ---- */

/* Behind the string that begins here; the text's end where it does not end. */
static size_t behind_string(str text, size_t at)
{
    const char quote = text.at[at];
    const bool triple = at + 2 < text.len && text.at[at + 1] == quote && text.at[at + 2] == quote;
    for (size_t i = at + (triple ? 3 : 1); i < text.len; i++) {
        if (text.at[i] == '\\')
            i++;
        else if (text.at[i] == quote && !triple)
            return i + 1;
        else if (text.at[i] == quote && i + 2 < text.len && text.at[i + 1] == quote && text.at[i + 2] == quote)
            return i + 3;
    }
    return text.len;
}

static bool opens(char c)
{
    return c == '(' || c == '[' || c == '{';
}

static bool closes(char c)
{
    return c == ')' || c == ']' || c == '}';
}

/* The bracket that the last character closes; text.len where it closes none. */
static size_t last_bracket(str text)
{
    enum { DEEP = 64 };
    size_t open[DEEP], depth = 0, last = text.len;
    for (size_t at = 0; at < text.len;) {
        if (text.at[at] == '"' || text.at[at] == '\'') {
            at = behind_string(text, at);
            continue;
        }
        if (opens(text.at[at])) {
            if (depth == DEEP)
                return text.len;
            open[depth++] = at;
        } else if (closes(text.at[at])) {
            if (!depth)
                return text.len;
            last = open[--depth];
        }
        at++;
    }
    return !depth && text.len && closes(text.at[text.len - 1]) ? last : text.len;
}

/* ---- breaking ---- */

str layout_one_a_line(struct arena *arena, str parts, str indent)
{
    struct buf buf = {0};
    size_t from = 0, depth = 0;
    for (size_t at = 0; at <= parts.len; at++) {
        while (at < parts.len && (parts.at[at] == '"' || parts.at[at] == '\''))
            at = behind_string(parts, at);
        if (at > parts.len)
            at = parts.len;
        const bool end = at == parts.len;
        if (!end && opens(parts.at[at]))
            depth++;
        if (!end && closes(parts.at[at]))
            depth--;
        if (!end && (depth || parts.at[at] != ','))
            continue;
        const str part = str_trim((str){parts.at + from, at - from});
        if (part.len)
            buf_printf(&buf, "%.*s%.*s,\n", (int)indent.len, indent.at, (int)part.len, part.at);
        from = at + 1;
    }
    const str text = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

static bool has_top_comma(str parts)
{
    size_t depth = 0;
    for (size_t at = 0; at < parts.len; at++) {
        while (at < parts.len && (parts.at[at] == '"' || parts.at[at] == '\''))
            at = behind_string(parts, at);
        if (at >= parts.len)
            break;
        depth += opens(parts.at[at]);
        depth -= closes(parts.at[at]);
        if (!depth && parts.at[at] == ',')
            return true;
    }
    return false;
}

/* Whether each bracket of the text closes in it. */
static bool is_balanced(str text)
{
    size_t depth = 0;
    for (size_t at = 0; at < text.len; at++) {
        while (at < text.len && (text.at[at] == '"' || text.at[at] == '\''))
            at = behind_string(text, at);
        if (at >= text.len)
            break;
        if (closes(text.at[at]) && !depth)
            return false;
        depth += opens(text.at[at]);
        depth -= closes(text.at[at]);
    }
    return !depth;
}

str layout_row_broken(struct arena *arena, str row, str indent)
{
    if (memchr(row.at, '#', row.len) || str_has(row, S("lambda ")) || !is_balanced(row) || !has_top_comma(row))
        return S("");
    return layout_one_a_line(arena, row, indent);
}

static bool fits(str text, str indent, uint32_t width)
{
    return columns(indent) + columns(text) <= width;
}

/* Behind the last ` = ` of `a, b = f(x), g(y)`, or `return `, whose value is a tuple without brackets; 0. */
static size_t bare_tuple(str text)
{
    const str returns = S("return ");
    size_t depth = 0, value = str_starts(text, returns) ? returns.len : 0;
    for (size_t at = 0; at + 2 < text.len; at++) {
        while (at + 2 < text.len && (text.at[at] == '"' || text.at[at] == '\''))
            at = behind_string(text, at);
        if (at + 2 >= text.len)
            break;
        depth += opens(text.at[at]);
        depth -= closes(text.at[at]);
        if (!depth && str_starts(str_from(text, at), S(" = ")))
            value = at + 3;
    }
    return value && has_top_comma(str_from(text, value)) ? value : 0;
}

/* Behind the target of `x[a, b] = 0`, where the value has no bracket; the text's end else. */
static size_t behind_target(str text)
{
    size_t at = text.len;
    while (at && !closes(text.at[at - 1]) && !opens(text.at[at - 1]) && text.at[at - 1] != '"' &&
           text.at[at - 1] != '\'')
        at--;
    return at && closes(text.at[at - 1]) && str_starts(str_from(text, at), S(" = ")) ? at : text.len;
}

str layout_broken(struct arena *arena, str text, str indent, str unit, uint32_t width)
{
    if (fits(text, indent, width) || memchr(text.at, '\n', text.len) || memchr(text.at, '#', text.len) ||
        str_has(text, S("lambda ")))
        return text;
    const size_t tuple = bare_tuple(text);
    if (tuple)
        text = str_printf(arena, "%.*s(%.*s)", (int)tuple, text.at, (int)(text.len - tuple), text.at + tuple);
    const size_t end = behind_target(text), open = last_bracket((str){text.at, end});
    if (open + 2 >= end)
        return text;
    const str head = {text.at, open + 1}, body = {text.at + open + 1, end - open - 2}, tail = str_from(text, end - 1);
    const str inner = str_printf(arena, "%.*s%.*s", (int)indent.len, indent.at, (int)unit.len, unit.at);
    if (!fits(head, indent, width))
        return text;
    if (fits(body, inner, width))
        return str_printf(arena, "%.*s\n%.*s%.*s\n%.*s%.*s", (int)head.len, head.at, (int)inner.len, inner.at,
                          (int)body.len, body.at, (int)indent.len, indent.at, (int)tail.len, tail.at);
    const str lines = has_top_comma(body) ? layout_one_a_line(arena, body, inner) : S("");
    if (!lines.len)
        return text;
    return str_printf(arena, "%.*s\n%.*s%.*s%.*s", (int)head.len, head.at, (int)lines.len, lines.at, (int)indent.len,
                      indent.at, (int)tail.len, tail.at);
}
