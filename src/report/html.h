/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pen of the page renderer. Whatever comes from outside passes html_text or
 * html_element, which escape; html_put takes markup of our own and numbers only.
 * Every element is closed and every attribute quoted, so figures are XML too.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "render.h"

enum {
    HTML_PALETTE = 10, /* colours of pieces, lines and spans: --c0 .. --c9 of page.css */
};

struct html {
    struct writer *out;
    const struct render_options *options;
    struct arena *arena; /* for the time of rendering */
    uint32_t figures;    /* drawn so far: their ids */
    bool narrow;         /* the drawing at work is the one for narrow windows */
};

void html_put(struct html *html, const char *markup, ...) __attribute__((format(printf, 2, 3)));

/* Escaped for text and for quoted attributes alike; control characters as \n, \x1b and the like. */
void html_text(struct html *html, str text);

/* The same, a line break where the text has one. */
void html_lines(struct html *html, str text);

/* `open` is a tag without its brackets, "h2 class=\"x\""; the text between is escaped. */
void html_element(struct html *html, const char *open, str text);

/* A word for an id or a class: what is no letter, digit, '-' or '_' is left out. */
void html_word(struct html *html, str text);

/* "12.35 ms", the word in a smaller voice. */
void html_measured(struct html *html, enum unit unit, struct cell cell);

/* ---- parts of the page, one a file ---- */

/* html_table.c. `all`: a table asked for by name, with all rows and columns. */
void html_table(struct html *html, const struct table *table, bool all);

/* As html_table, rows marked with the colour of their piece in a stacked bar above. */
void html_table_marked(struct html *html, const struct table *table);

/* html_figure.c: all figures of the section over the table; lines over one axis share a chart. */
void html_figures(struct html *html, const struct section *section, const struct table *table);

/* html_finding.c: findings that no comment suppresses, and what their rules say. */
uint32_t html_finding_count(const struct report *report);
void html_findings(struct html *html, const struct report *report);

/* html_first.c, of a page with a part of its own: its first screen, and the part. */
void html_first(struct html *html, const struct report *report);
bool html_is_first(const struct html *html, const struct section *section, bool words); /* else: its figures */
void html_parts(struct html *html);

/* html_packed.c, of such a page: what stands behind the first screen, as `body` puts it, with styles, scripts and data. */
typedef void html_put_fn(struct html *html, const struct report *report);
void html_packed(struct html *html, const struct report *report, html_put_fn *body);
void html_unpacking(struct html *html); /* the script that unpacks it */
void html_script_digests(struct html *html);

#endif
