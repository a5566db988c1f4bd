/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of whole statements: lines before and behind them, taking them away. */
#include "edit.h"

#include "base/buf.h"

/* --- lines ------------------------------------------------------------------------------------------------------------- */

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

str edit_line_end(const struct syntax *tree)
{
    if (tree->line_count < 2)
        return S("\n");
    const uint32_t next = tree->line_at[1];
    if (tree->text.at[next - 1] == '\r')
        return S("\r");
    return next > 1 && tree->text.at[next - 2] == '\r' ? S("\r\n") : S("\n");
}

static uint32_t line_begin(const struct syntax *tree, uint32_t at)
{
    return tree->line_at[syntax_place(tree, at).line - 1];
}

/* Where the next line begins; the end of the text behind the last one. */
static uint32_t next_line(const struct syntax *tree, uint32_t at)
{
    const uint32_t line = syntax_place(tree, at).line;
    return line < tree->line_count ? tree->line_at[line] : (uint32_t)tree->text.len;
}

static bool begins_line(const struct syntax *tree, uint32_t statement)
{
    uint32_t at = line_begin(tree, tree->begin[statement]);
    while (at < tree->begin[statement] && is_blank(tree->text.at[at]))
        at++;
    return at == tree->begin[statement];
}

/* Nothing but a comment stands behind it on its line. */
static bool closes_line(const struct syntax *tree, uint32_t statement)
{
    uint32_t at = tree->end[statement];
    while (at < tree->text.len && is_blank(tree->text.at[at]))
        at++;
    return at == tree->text.len || ends_line(tree->text.at[at]) || tree->text.at[at] == '#';
}

/* The lines, each with the indent; empty ones without. Ends in '\n'. */
static str indented(struct arena *arena, str indent, str lines)
{
    struct buf buf = {0};
    str line;
    while (str_cut(&lines, '\n', &line)) {
        if (line.len)
            buf_add(&buf, indent);
        buf_add(&buf, line);
        buf_char(&buf, '\n');
    }
    const str copy = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return copy;
}

/* An insertion of lines at the end of a text whose last line has no end gives it one and has none itself. */
static struct edit lines_at(struct arena *arena, const struct syntax *tree, uint32_t at, str lines)
{
    if (at < tree->text.len || !at || ends_line(tree->text.at[at - 1]))
        return (struct edit){at, at, lines, 0};
    const str text = str_printf(arena, "\n%.*s", (int)lines.len - 1, lines.at);
    return (struct edit){at, at, text, 0};
}

bool edit_lines_before(struct arena *arena, const struct syntax *tree, uint32_t statement, str lines, struct edit *edit)
{
    if (!begins_line(tree, statement))
        return false;
    const uint32_t at = line_begin(tree, tree->begin[statement]);
    *edit = (struct edit){at, at, indented(arena, syntax_indent(tree, statement), lines), 0};
    return true;
}

bool edit_lines_after(struct arena *arena, const struct syntax *tree, uint32_t statement, str lines, struct edit *edit)
{
    if (!begins_line(tree, statement) || !closes_line(tree, statement))
        return false;
    const str text = indented(arena, syntax_indent(tree, statement), lines);
    *edit = lines_at(arena, tree, next_line(tree, tree->end[statement]), text);
    return true;
}

/* --- taking away --------------------------------------------------------------------------------------------------------- */

static bool is_alone(const struct syntax *tree, uint32_t statement)
{
    const uint32_t block = tree->parent[statement];
    return tree->kind[block] == SYN_BLOCK && tree->size[block] == tree->size[statement] + 1;
}

void edit_delete(const struct syntax *tree, uint32_t statement, struct edit *edit)
{
    *edit = (struct edit){tree->begin[statement], tree->end[statement], S("pass"), 0};
    if (is_alone(tree, statement) || !begins_line(tree, statement) || !closes_line(tree, statement))
        return;
    const uint32_t begin = line_begin(tree, tree->begin[statement]);
    *edit = (struct edit){begin, next_line(tree, tree->end[statement]), S(""), statement};
}
