/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <string.h>

/* --- where lines begin -------------------------------------------------------------------------------------------------- */

/* The end of line at or behind `from`: its last byte; len where there is none. */
static size_t line_end(str text, size_t from, bool has_cr)
{
    if (!has_cr) {
        const char *lf = memchr(text.at + from, '\n', text.len - from);
        return lf ? (size_t)(lf - text.at) : text.len;
    }
    for (size_t at = from; at < text.len; at++)
        if (text.at[at] == '\n' || (text.at[at] == '\r' && (at + 1 == text.len || text.at[at + 1] != '\n')))
            return at;
    return text.len;
}

static uint32_t fill(uint32_t *line_at, str text, bool has_cr)
{
    uint32_t count = 0;
    for (size_t at = 0; at <= text.len; count++) {
        if (line_at)
            line_at[count] = (uint32_t)at;
        at = text.len ? line_end(text, at, has_cr) + 1 : 1;
    }
    return count;
}

void lines_index(struct arena *arena, struct syntax *tree)
{
    const bool has_cr = tree->text.len && memchr(tree->text.at, '\r', tree->text.len);
    tree->line_count = fill(NULL, tree->text, has_cr);
    uint32_t *line_at = arena_array(arena, tree->line_count, sizeof *line_at);
    fill(line_at, tree->text, has_cr);
    tree->line_at = line_at;
}

/* --- the text for the parser -------------------------------------------------------------------------------------------- */

/* Where the first CR without LF stands; len where there is none. */
static size_t lone_cr(str text, size_t from)
{
    for (const char *at = text.at + from, *end = text.at + text.len; at < end; at++) {
        at = memchr(at, '\r', (size_t)(end - at));
        if (!at)
            break;
        if (at + 1 == end || at[1] != '\n')
            return (size_t)(at - text.at);
    }
    return text.len;
}

static bool mixes_blanks(str text)
{
    return text.len && memmem(text.at, text.len, " \t", 2);
}

/* The blanks that begin a line, as many bytes: form feeds, which set the column back, then tabs, then spaces. */
static size_t write_indent(char *at, size_t len)
{
    size_t blanks = 0, column = 0;
    for (; blanks < len && (at[blanks] == ' ' || at[blanks] == '\t' || at[blanks] == '\f'); blanks++)
        column = at[blanks] == ' ' ? column + 1 : at[blanks] == '\t' ? (column / 8 + 1) * 8 : 0;
    const size_t tabs = column / 8, spaces = column % 8;
    memset(at, '\f', blanks - tabs - spaces);
    memset(at + blanks - tabs - spaces, '\t', tabs);
    memset(at + blanks - spaces, ' ', spaces);
    return blanks;
}

static void write_indents(char *at, size_t len)
{
    for (size_t i = 0; i < len;) {
        i += write_indent(at + i, len - i);
        const char *lf = memchr(at + i, '\n', len - i);
        i = lf ? (size_t)(lf - at) + 1 : len;
    }
}

str lines_for_parser(struct arena *arena, str text)
{
    const bool mixed = mixes_blanks(text);
    size_t cr = text.len ? lone_cr(text, 0) : 0;
    if (cr == text.len && !mixed)
        return text;
    char *copy = arena_alloc(arena, text.len);
    memcpy(copy, text.at, text.len);
    for (; cr < text.len; cr = lone_cr(text, cr + 1))
        copy[cr] = '\n';
    if (mixed)
        write_indents(copy, text.len);
    return (str){copy, text.len};
}
