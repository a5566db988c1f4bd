/* SPDX-License-Identifier: Apache-2.0 */
#include "glyph.h"

#include <stdint.h>

#include "base/utf8.h"

struct range {
    uint32_t first, last;
};

/* Unicode: East Asian Width W and F, by block; the few gaps inside are unassigned. */
static const struct range wide[] = {
    {0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

/* Combining marks, joiners, variation selectors. */
static const struct range narrow[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

static bool within(const struct range *ranges, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count && ranges[i].first <= c; i++)
        if (c <= ranges[i].last)
            return true;
    return false;
}

static unsigned columns_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (within(narrow, sizeof narrow / sizeof *narrow, c))
        return 0;
    return within(wide, sizeof wide / sizeof *wide, c) ? 2 : 1;
}

/* Bytes of the first character and the columns it takes. A broken byte counts as a character of one column. */
static size_t first_character(str text, unsigned *columns)
{
    const size_t length = utf8_length(text.at, text.len);
    *columns = length ? columns_of(utf8_character(text.at, length)) : 1;
    return length ? length : 1;
}

unsigned glyph_width(str text)
{
    unsigned total = 0;
    while (text.len) {
        unsigned columns;
        text = str_from(text, first_character(text, &columns));
        total += columns;
    }
    return total;
}

str glyph_head(str text, unsigned columns)
{
    size_t end = 0;
    unsigned used = 0;
    while (end < text.len) {
        unsigned more;
        const size_t length = first_character(str_from(text, end), &more);
        if (used + more > columns)
            break;
        used += more;
        end += length;
    }
    return (str){text.at, end};
}

static str glyph_tail(str text, unsigned columns)
{
    unsigned left = glyph_width(text);
    while (left > columns) {
        unsigned less;
        text = str_from(text, first_character(text, &less));
        left -= less;
    }
    return text;
}

/* The names of kernels have slashes too, but blanks or brackets with them. */
static bool is_path(str text)
{
    bool slash = false;
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(" <(", text.at[i]))
            return false;
        slash = slash || text.at[i] == '/';
    }
    return slash;
}

/* Of a call in others ("backward > aten::mm") more of the end stays: it says what it is. */
static unsigned tail_of(str text, unsigned kept)
{
    return is_path(text) ? kept : str_has(text, S(" > ")) ? kept * 2 / 3 : kept / 3;
}

/* ---- a file and its line, wherever they stand in a text ---- */

/* ":12" or "(12)" at the beginning: its bytes; 0. */
static size_t line_number(str text)
{
    size_t end = 1;
    if (text.len < 2 || (text.at[0] != ':' && text.at[0] != '('))
        return 0;
    while (end < text.len && text.at[end] >= '0' && text.at[end] <= '9')
        end++;
    if (end == 1 || (text.at[0] == '(' && (end == text.len || text.at[end] != ')')))
        return 0;
    return end + (text.at[0] == '(');
}

/* "train.py:12", "module.py(1773)": the first, from the file's name without its folders on; empty where there is none. */
static str file_and_line(str text)
{
    size_t begin = 0;
    for (size_t i = 0; i + 3 < text.len; i++) {
        if (strchr(" /\\<(", text.at[i]))
            begin = i + 1;
        const size_t number = str_starts(str_from(text, i), S(".py")) ? line_number(str_from(text, i + 3)) : 0;
        if (number && i > begin)
            return (str){&text.at[begin], i + 3 + number - begin};
    }
    return (str){0};
}

/* What stands before the place goes first, then the end of what stands behind it, then the beginning of the file's name. */
static str shorten_around(struct arena *arena, str text, str place, unsigned columns, str ellipsis)
{
    const unsigned dots = glyph_width(ellipsis), width = glyph_width(place);
    const str lead = place.at == text.at ? S("") : ellipsis;
    const unsigned used = glyph_width(lead) + width;
    if (used > columns) {
        const str end = glyph_tail(place, columns - dots);
        return str_printf(arena, "%.*s%.*s", (int)ellipsis.len, ellipsis.at, (int)end.len, end.at);
    }
    const str behind = str_from(text, (size_t)(place.at - text.at) + place.len);
    const bool fits = glyph_width(behind) <= columns - used;
    const str more = fits ? behind : columns - used > dots ? glyph_head(behind, columns - used - dots) : S("");
    const str cut = more.len && !fits ? ellipsis : S("");
    return str_printf(arena, "%.*s%.*s%.*s%.*s", (int)lead.len, lead.at, (int)place.len, place.at, (int)more.len,
                      more.at, (int)cut.len, cut.at);
}

str glyph_shorten(struct arena *arena, str text, unsigned columns, str ellipsis)
{
    if (glyph_width(text) <= columns)
        return text;
    const str place = file_and_line(text);
    if (place.len && columns > glyph_width(ellipsis))
        return shorten_around(arena, text, place, columns, ellipsis);
    const unsigned dots = glyph_width(ellipsis);
    if (columns <= dots)
        return glyph_head(ellipsis, columns);
    const unsigned kept = columns - dots;
    const unsigned end = tail_of(text, kept);
    const str head = glyph_head(text, kept - end);
    const str tail = glyph_tail(text, end);
    return str_printf(arena, "%.*s%.*s%.*s", (int)head.len, head.at, (int)ellipsis.len, ellipsis.at, (int)tail.len,
                      tail.at);
}

/* Where the line ends that begins the text: at a newline, at the last blank that fits, else in the middle of a word. */
static size_t line_end(str text, unsigned columns)
{
    const char *newline = memchr(text.at, '\n', text.len);
    const str paragraph = {text.at, newline ? (size_t)(newline - text.at) : text.len};
    const size_t fits = glyph_head(paragraph, columns).len;
    if (fits == paragraph.len || paragraph.at[fits] == ' ')
        return fits;
    size_t end = fits;
    while (end && paragraph.at[end - 1] != ' ')
        end--;
    return end ? end : fits ? fits : paragraph.len;
}

bool glyph_wrap(str *rest, unsigned columns, str *line)
{
    if (!rest->at)
        return false;
    const size_t end = rest->len ? line_end(*rest, columns) : 0;
    *line = str_trim((str){rest->at, end});
    if (end == rest->len) {
        *rest = (str){0};
        return true;
    }
    const bool newline = rest->at[end] == '\n';
    *rest = str_from(*rest, end + newline);
    while (!newline && rest->len && rest->at[0] == ' ')
        *rest = str_from(*rest, 1);
    if (!rest->len)
        *rest = (str){0};
    return true;
}
