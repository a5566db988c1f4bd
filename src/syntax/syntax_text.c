/* SPDX-License-Identifier: Apache-2.0 */
/* From the tree back to the text: places, lines, comments, parentheses. */
#include "syntax.h"

#include "base/search.h"

/* --- expressions that read the same -------------------------------------------------------------------------------------- */

/* What stands for itself, rather than for its children. */
static bool is_opaque(enum syntax_kind kind)
{
    return kind == SYN_STRING || kind == SYN_OTHER || kind == SYN_ERROR;
}

/* The next byte of an operator between two operands; blanks, parentheses, comments and line ends are none. */
static int operator_byte(const struct syntax *tree, uint32_t *at, uint32_t end)
{
    for (; *at < end; ++*at) {
        const char c = tree->text.at[*at];
        if (c == '#')
            while (*at + 1 < end && tree->text.at[*at + 1] != '\n' && tree->text.at[*at + 1] != '\r')
                ++*at;
        else if (!strchr(" \t\f\r\n\\()", c) || !c)
            return (unsigned char)tree->text.at[(*at)++];
    }
    return -1;
}

static bool same_between(const struct syntax *a, uint32_t x, const struct syntax *b, uint32_t y)
{
    uint32_t i = a->end[x], j = b->end[y];
    const uint32_t i_end = a->begin[syntax_next(a, x)], j_end = b->begin[syntax_next(b, y)];
    int c;
    do {
        c = operator_byte(a, &i, i_end);
        if (c != operator_byte(b, &j, j_end))
            return false;
    } while (c >= 0);
    return true;
}

/* Of a < b < c only the first operator is in the tree. */
static bool same_operators(const struct syntax *a, uint32_t x, const struct syntax *b, uint32_t y)
{
    x = syntax_first(a, x);
    y = syntax_first(b, y);
    for (; syntax_next(a, x) != SYNTAX_NONE && syntax_next(b, y) != SYNTAX_NONE;
         x = syntax_next(a, x), y = syntax_next(b, y))
        if (!same_between(a, x, b, y))
            return false;
    return syntax_next(a, x) == syntax_next(b, y) ||
           (syntax_next(a, x) != SYNTAX_NONE) == (syntax_next(b, y) != SYNTAX_NONE);
}

static bool same_node(const struct syntax *a, uint32_t x, const struct syntax *b, uint32_t y)
{
    if (a->kind[x] != b->kind[y] || a->op[x] != b->op[y] || a->size[x] != b->size[y])
        return false;
    if (a->kind[x] == SYN_COMPARE)
        return same_operators(a, x, b, y);
    return (a->size[x] > 1 && !is_opaque(a->kind[x])) || a->kind[x] == SYN_ABSENT ||
           str_eq(syntax_text(a, x), syntax_text(b, y));
}

bool syntax_same(const struct syntax *a, uint32_t x, const struct syntax *b, uint32_t y)
{
    if (a->size[x] != b->size[y])
        return false;
    for (uint32_t i = 0; i < a->size[x]; i++)
        if (!same_node(a, x + i, b, y + i))
            return false;
    return true;
}

/* --- places ---------------------------------------------------------------------------------------------------------------- */

/* The line, from 0, that holds the byte. */
static uint32_t line_of(const struct syntax *tree, uint32_t byte)
{
    uint32_t from = 0, to = tree->line_count;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (tree->line_at[middle] <= byte)
            from = middle;
        else
            to = middle;
    }
    return from;
}

struct place_in_text syntax_place(const struct syntax *tree, uint32_t byte)
{
    const uint32_t line = line_of(tree, byte);
    return (struct place_in_text){line + 1, byte - tree->line_at[line] + 1};
}

str syntax_line(const struct syntax *tree, uint32_t line)
{
    if (!line || line > tree->line_count)
        return S("");
    const uint32_t begin = tree->line_at[line - 1];
    uint32_t end = line < tree->line_count ? tree->line_at[line] : (uint32_t)tree->text.len;
    if (end > begin && tree->text.at[end - 1] == '\n')
        end--;
    if (end > begin && tree->text.at[end - 1] == '\r')
        end--;
    return (str){tree->text.at + begin, end - begin};
}

/* The first pair of parentheses noted for this node or a later one. */
static uint32_t parens_from(const struct syntax *tree, uint32_t node)
{
    return (uint32_t)search_from(tree->parens, tree->parens_count, sizeof *tree->parens,
                                 offsetof(struct syntax_parens, node), node);
}

/* A pair is noted for the first node in it, which is also the first operand of what it encloses: (a) + b, (a + b). */
void syntax_outer(const struct syntax *tree, uint32_t node, uint32_t *begin, uint32_t *end)
{
    *begin = tree->begin[node];
    *end = tree->end[node];
    const uint32_t pair = parens_from(tree, node);
    if (pair == tree->parens_count || tree->parens[pair].node != node)
        return;
    *begin = tree->parens[pair].begin;
    *end = tree->parens[pair].end;
}

str syntax_indent(const struct syntax *tree, uint32_t statement)
{
    const str line = syntax_line(tree, line_of(tree, tree->begin[statement]) + 1);
    size_t blanks = 0;
    while (blanks < line.len && strchr(" \t\f", line.at[blanks]) && line.at[blanks])
        blanks++;
    return (str){line.at, blanks};
}

/* The first comment that begins at this byte or behind it. */
static uint32_t comment_from(const struct syntax *tree, uint32_t byte)
{
    return (uint32_t)search_from(tree->comments, tree->comment_count, sizeof *tree->comments,
                                 offsetof(struct span_of_text, begin), byte);
}

str syntax_comment(const struct syntax *tree, uint32_t line)
{
    const str text = syntax_line(tree, line);
    if (!text.len)
        return S("");
    const uint32_t begin = (uint32_t)(text.at - tree->text.at);
    const uint32_t comment = comment_from(tree, begin);
    if (comment == tree->comment_count || tree->comments[comment].begin >= begin + text.len)
        return S("");
    return str_from(text, tree->comments[comment].begin - begin);
}
