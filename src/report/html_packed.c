/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands behind the first screen of a page with a part of its own: styles, scripts, markup and data as one stream of
 * zlib, as text of base91. data/page/unpack.js puts them to work. Unpacked it begins with a line of JSON, which tells
 * in their order what the pieces are and how many bytes each has:
 *
 *     [["data",1234],["style",567],["body",8901],["script",234]]
 */
#include "html.h"
#include "io/pack.h"
#include "text/base91.h"

extern const char rest_css[], page_js[], unpack_js[], unpack_js_sha256[];
extern const size_t rest_css_bytes, page_js_bytes, unpack_js_bytes;

enum { TEXT_PIECE = 1024 * BASE91_WHOLE };

struct piece {
    const char *kind;
    str bytes;
};

static uint32_t piece_count(const struct page_part *part)
{
    uint32_t count = 4; /* data, style, body, script: the page's own */
    for (; part; part = part->next)
        count += part->packed_count;
    return count;
}

/* Scripts come last: they find everything else in its place. */
static uint32_t list(const struct page_part *part, str body, struct piece *pieces)
{
    uint32_t count = 0;
    pieces[count++] = (struct piece){"data", part->data};
    pieces[count++] = (struct piece){"style", {rest_css, rest_css_bytes}};
    for (int scripts = 0; scripts < 2; scripts++) {
        for (const struct page_part *at = part; at; at = at->next)
            for (uint32_t i = 0; i < at->packed_count; i++)
                if (!at->packed[i].sha256 == !scripts)
                    pieces[count++] = (struct piece){scripts ? "script" : "style", at->packed[i].text};
        if (!scripts) {
            pieces[count++] = (struct piece){"body", body};
            pieces[count++] = (struct piece){"script", {page_js, page_js_bytes}};
        }
    }
    return count;
}

static str head_of(struct arena *arena, const struct piece *pieces, uint32_t count)
{
    struct buf head = {0};
    for (uint32_t i = 0; i < count; i++)
        buf_printf(&head, "%s[\"%s\",%zu]", i ? "," : "[", pieces[i].kind, pieces[i].bytes.len);
    buf_add(&head, S("]\n"));
    const str text = str_copy(arena, buf_str(&head));
    buf_free(&head);
    return text;
}

/* Piece by piece: the text of all would be as large again. */
static void put_text(struct writer *out, str bytes)
{
    struct buf text = {0};
    for (size_t at = 0; at < bytes.len; at += TEXT_PIECE) {
        const size_t left = bytes.len - at;
        buf_clear(&text);
        base91_add(&text, (str){bytes.at + at, left < TEXT_PIECE ? left : TEXT_PIECE});
        writer_put(out, buf_str(&text));
    }
    buf_free(&text);
}

static void put_packed(struct html *html, str body)
{
    const struct page_part *part = html->options->part;
    const uint32_t room = piece_count(part);
    struct piece *pieces = arena_array(html->arena, room, sizeof *pieces);
    str *bytes = arena_array(html->arena, (size_t)room + 1, sizeof *bytes);
    const uint32_t count = list(part, body, pieces);
    bytes[0] = head_of(html->arena, pieces, count);
    for (uint32_t i = 0; i < count; i++)
        bytes[i + 1] = pieces[i].bytes;
    struct buf packed = {0};
    pack_deflate(bytes, count + 1, &packed);
    put_text(html->out, buf_str(&packed));
    buf_free(&packed);
}

void html_packed(struct html *html, const struct report *report, html_put_fn *body)
{
    struct html below = *html;
    below.out = writer_to_memory();
    body(&below, report);
    html->figures = below.figures;
    html_put(html,
             "<p class=\"aside\" id=\"unpacking\" data-trouble=\"What stands below could not be unpacked\">What stands "
             "below is packed, and needs JavaScript and a browser of 2023 or later. <code>steptime summary --format "
             "html</code> has tables and findings without.</p>\n<script type=\"text/plain\" id=\"packed\">");
    put_packed(html, writer_text(below.out));
    html_put(html, "</script>\n");
    writer_abandon(below.out);
}

void html_unpacking(struct html *html)
{
    html_put(html, "<script>");
    writer_put(html->out, (str){unpack_js, unpack_js_bytes});
    html_put(html, "</script>\n");
}

void html_script_digests(struct html *html)
{
    html_put(html, " 'sha256-%s'", unpack_js_sha256);
    for (const struct page_part *part = html->options->part; part; part = part->next)
        for (uint32_t i = 0; i < part->packed_count; i++)
            if (part->packed[i].sha256)
                html_put(html, " 'sha256-%s'", part->packed[i].sha256);
}
