/* SPDX-License-Identifier: Apache-2.0 */
/* The pen of the terminal renderer: colours, characters and widths that the terminal has. */
#ifndef REPORT_TERM_H
#define REPORT_TERM_H

#include "base/buf.h"
#include "render.h"

enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_RED,
    STYLE_YELLOW,
    STYLE_CYAN,
    STYLE_BAR,   /* of a bar beside a number */
    STYLE_PIECE, /* the first colour of the pieces of a stack; the others follow */
};
enum { STYLE_PIECES = 10, STYLES = STYLE_PIECE + STYLE_PIECES };

enum {
    TERM_INDENT = 2,
    TERM_UNLIMITED = 1 << 20, /* width where nothing is to be shortened */
    TERM_READABLE = 100,      /* lines of text and bars are not longer than that */
};

struct term {
    struct writer *out;
    const struct render_options *options;
    struct arena *arena; /* for the time of rendering */
    struct buf line;     /* the line so far */
    unsigned width;
    bool folded; /* rows of some table were */
};

void term_put(struct term *term, enum style style, str text);
void term_pad(struct term *term, unsigned columns);
void term_line(struct term *term); /* ends the line; blanks at its end are left out */

/* The text in exactly so many columns, at the left or right of them; too long a text is shortened. */
void term_left(struct term *term, enum style style, str text, unsigned columns);
void term_right(struct term *term, enum style style, str text, unsigned columns);

/* Columns that text and bars of a line indented so far may take. */
unsigned term_readable(struct term *term, unsigned indent);

/* A paragraph wrapped to the width. The cursor stands at `indent` already; further lines begin there too. */
void term_paragraph(struct term *term, enum style style, str text, unsigned indent);

str term_ellipsis(struct term *term);
str term_text(struct term *term, str text); /* made fit for a terminal */

/* A horizontal bar that fills the fraction (clamped to 0 .. 1) of so many columns; the rest is blank. */
void term_bar(struct term *term, enum style style, double fraction, unsigned columns);
void term_repeat(struct term *term, enum style style, str mark, unsigned times);

void term_title(struct term *term, const struct table *table); /* a line, where the table has a title */

/* How the piece of a stacked bar that stands for a row is drawn: by a colour, or by a character of its own. */
str term_mark(struct term *term, uint32_t row);
enum style term_mark_style(uint32_t row);

/*
 * term_table.c. `all`: with the columns of detail, for a table asked for by name. `stacked`: the column whose numbers
 * a stacked bar above shows, so that its marks stand before the rows; COLUMN_NONE.
 */
void term_table(struct term *term, const struct table *table, bool all, uint32_t stacked);

/* term_figure.c. `legend`: say under a stacked bar what its pieces are; otherwise the table below does. */
void term_figure(struct term *term, const struct figure *figure, const struct table *table, bool legend);

/* term_finding.c: all findings that no comment suppresses. */
bool term_has_findings(const struct report *report);
void term_findings(struct term *term, const struct report *report);

#endif
