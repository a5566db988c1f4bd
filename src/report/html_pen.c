/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include "html.h"
#include "base/format.h"
#include "measure.h"

void html_put(struct html *html, const char *markup, ...)
{
    char room[512];
    va_list args;
    va_start(args, markup);
    const int len = format_text_v(room, sizeof room, markup, args);
    va_end(args);
    if (len > 0)
        writer_put(html->out, (str){room, (size_t)len < sizeof room ? (size_t)len : sizeof room - 1});
}

/* What stands for a character that would be markup; "" for any other. */
static str entity(char c)
{
    switch (c) {
    case '&':
        return S("&amp;");
    case '<':
        return S("&lt;");
    case '>':
        return S("&gt;");
    case '"':
        return S("&quot;");
    case '\'':
        return S("&#39;");
    default:
        return S("");
    }
}

/* U+FFFE and U+FFFF are well-formed UTF-8 that no XML may hold. */
static bool is_no_character(str rest)
{
    return rest.len >= 3 && rest.at[0] == '\xEF' && rest.at[1] == '\xBF' && (unsigned char)rest.at[2] >= 0xBE;
}

void html_text(struct html *html, str text)
{
    const str shown = str_printable(html->arena, text);
    size_t from = 0;
    for (size_t i = 0; i < shown.len; i++) {
        const bool none = is_no_character(str_from(shown, i));
        const str instead = none ? S("\xEF\xBF\xBD") : entity(shown.at[i]);
        if (!instead.len)
            continue;
        writer_put(html->out, (str){shown.at + from, i - from});
        writer_put(html->out, instead);
        i += none ? 2 : 0;
        from = i + 1;
    }
    writer_put(html->out, str_from(shown, from));
}

void html_lines(struct html *html, str text)
{
    bool follows = false;
    for (str line; str_cut(&text, '\n', &line); follows = true) {
        if (follows)
            html_put(html, "<br/>");
        html_text(html, line);
    }
}

void html_element(struct html *html, const char *open, str text)
{
    html_put(html, "<%s>", open);
    html_text(html, text);
    html_put(html, "</%.*s>", (int)strcspn(open, " "), open);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

void html_word(struct html *html, str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (is_plain(text.at[i]))
            writer_put(html->out, (str){&text.at[i], 1});
}

void html_measured(struct html *html, enum unit unit, struct cell cell)
{
    double number;
    if (!cell_number(cell, &number)) {
        html_text(html, S("\xE2\x80\x93"));
        return;
    }
    const struct measure measure = measure_for(unit, number, cell.kind == CELL_INT);
    html_text(html, measure_text(html->arena, &measure, number));
    if (measure.word.len)
        html_element(html, "small", measure.word);
}
