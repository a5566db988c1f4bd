/* SPDX-License-Identifier: Apache-2.0 */
#include "glyph.h"
#include "term.h"

/* The sixteen colours that a terminal's own theme defines, so that they fit dark and light grounds. */
static const char *const codes[STYLES] = {
    [STYLE_PLAIN] = "",       [STYLE_BOLD] = "1",       [STYLE_DIM] = "2",        [STYLE_RED] = "31",
    [STYLE_YELLOW] = "33",    [STYLE_CYAN] = "36",      [STYLE_BAR] = "34",       [STYLE_PIECE + 0] = "34",
    [STYLE_PIECE + 1] = "33", [STYLE_PIECE + 2] = "35", [STYLE_PIECE + 3] = "32", [STYLE_PIECE + 4] = "31",
    [STYLE_PIECE + 5] = "36", [STYLE_PIECE + 6] = "94", [STYLE_PIECE + 7] = "93", [STYLE_PIECE + 8] = "95",
    [STYLE_PIECE + 9] = "90",
};

void term_put(struct term *term, enum style style, str text)
{
    if (!text.len)
        return;
    const bool coloured = term->options->colour && style != STYLE_PLAIN;
    if (coloured)
        buf_printf(&term->line, "\033[%sm", codes[style]);
    buf_add(&term->line, text);
    if (coloured)
        buf_add(&term->line, S("\033[0m"));
}

void term_repeat(struct term *term, enum style style, str mark, unsigned times)
{
    if (!times)
        return;
    char *line = arena_alloc(term->arena, mark.len * times);
    for (unsigned i = 0; i < times; i++)
        memcpy(line + i * mark.len, mark.at, mark.len);
    term_put(term, style, (str){line, mark.len * times});
}

void term_pad(struct term *term, unsigned columns)
{
    term_repeat(term, STYLE_PLAIN, S(" "), columns);
}

void term_line(struct term *term)
{
    while (term->line.len && term->line.at[term->line.len - 1] == ' ')
        term->line.len--;
    buf_char(&term->line, '\n');
    writer_put(term->out, buf_str(&term->line));
    buf_clear(&term->line);
}

void term_title(struct term *term, const struct table *table)
{
    if (!table->title.len)
        return;
    term_pad(term, TERM_INDENT);
    term_put(term, STYLE_BOLD, term_text(term, table->title));
    term_line(term);
}

str term_ellipsis(struct term *term)
{
    return term->options->unicode ? S("…") : S("...");
}

str term_text(struct term *term, str text)
{
    return str_printable(term->arena, text);
}

static str fitted(struct term *term, str text, unsigned columns, unsigned *left)
{
    const str shown = glyph_shorten(term->arena, text, columns, term_ellipsis(term));
    const unsigned used = glyph_width(shown);
    *left = used < columns ? columns - used : 0;
    return shown;
}

void term_left(struct term *term, enum style style, str text, unsigned columns)
{
    unsigned left;
    const str shown = fitted(term, text, columns, &left);
    term_put(term, style, shown);
    term_pad(term, left);
}

void term_right(struct term *term, enum style style, str text, unsigned columns)
{
    unsigned left;
    const str shown = fitted(term, text, columns, &left);
    term_pad(term, left);
    term_put(term, style, shown);
}

unsigned term_readable(struct term *term, unsigned indent)
{
    const unsigned width = term->width < TERM_READABLE ? term->width : TERM_READABLE;
    return width > indent + 20 ? width - indent : 20;
}

void term_paragraph(struct term *term, enum style style, str text, unsigned indent)
{
    const unsigned columns = term_readable(term, indent);
    bool first = true;
    for (str paragraph; str_cut(&text, '\n', &paragraph);) {
        paragraph = term_text(term, paragraph); /* before wrapping: what is escaped takes more room */
        for (str line; glyph_wrap(&paragraph, columns, &line); first = false) {
            if (!first)
                term_pad(term, indent);
            term_put(term, style, line);
            term_line(term);
        }
    }
}

void term_bar(struct term *term, enum style style, double fraction, unsigned columns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double clamped = fraction > 0 ? fraction < 1 ? fraction : 1 : 0;
    const bool fine = term->options->unicode;
    unsigned filled = (unsigned)(clamped * columns * (fine ? 8 : 1) + 0.5);
    if (!filled && clamped > 0)
        filled = 1; /* what is there is seen */
    const unsigned whole = fine ? filled / 8 : filled;
    const str rest = fine ? str_of(eighths[filled % 8]) : S("");
    term_repeat(term, style, fine ? S("█") : S("#"), whole);
    term_put(term, style, rest);
    term_pad(term, columns - whole - (rest.len > 0));
}

static const char *const block_marks[] = {"█", "▓", "▒", "░", "▞", "▚", "▤", "▥", "▦", "▧"};
static const char plain_marks[] = "#=+-:.ox%~*@&$^|<>/?";

str term_mark(struct term *term, uint32_t row)
{
    if (!term->options->unicode)
        return (str){plain_marks + row % (sizeof plain_marks - 1), 1};
    const uint32_t round = row / STYLE_PIECES; /* colours repeat in another block */
    const uint32_t mark = term->options->colour ? round : row;
    return str_of(block_marks[mark % (sizeof block_marks / sizeof *block_marks)]);
}

enum style term_mark_style(uint32_t row)
{
    return (enum style)(STYLE_PIECE + row % STYLE_PIECES);
}
