/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the figures of the page share: the frame of an SVG with its title and
 * description for those who cannot see it, and axes with round numbers.
 *
 * Lengths are in units of the drawing, plot_width across; the page scales it. A figure is drawn twice: for windows, and
 * narrower for telephones, where the letters of the first would be too small. The page shows one of them.
 */
#ifndef REPORT_HTML_PLOT_H
#define REPORT_HTML_PLOT_H

#include "html.h"
#include "measure.h"
#include "points.h"

enum {
    PLOT_WIDTH = 760,
    PLOT_NARROW = 372,
    PLOT_LETTER = 7, /* about the width of a letter in a label */
    PLOT_LEFT = 64,  /* room for the numbers of an upright axis */
    PLOT_RIGHT = 24,
    PLOT_TOP = 14,
    PLOT_FOOT = 44, /* room below for the numbers and the title of the axis */
};

/* Opens <figure>, which `title` heads. */
void plot_figure(struct html *html, const char *kind, str title);
/* Opens <svg>; `told` says in words what it shows. `alone`: of one drawing for all windows. */
void plot_open(struct html *html, double height, str title, str told, bool alone);
void plot_close(struct html *html); /* </svg>; the figure stays open for a legend */
void plot_end(struct html *html);   /* </figure> */

double plot_width(const struct html *html); /* of the drawing at work */

/*
 * Labels that have their place, so that others keep off. A label is tried at one place after the other; false: it would
 * cover another at each.
 */
enum { PLOT_LABELS = 32 };
struct plot_box {
    double left, right, top, bottom;
};
struct plot_labels {
    struct plot_box taken[PLOT_LABELS];
    uint32_t count;
};
struct plot_place {
    const char *anchor;
    double x, y; /* of the letters' foot */
};
bool plot_label_free(struct html *html, struct plot_labels *labels, const char *class, const struct plot_place *places,
                     uint32_t count, str text);

/* A linear scale from low to high, both at round numbers, or the logarithm where `log`. */
struct axis {
    double low, high, step; /* in units of the value; step: between ticks, of a linear one */
    double from, to;        /* where low and high lie in the drawing */
    struct measure measure; /* its decimals are those the ticks need */
    bool log;
};

/* For values between least and largest; about `ticks` ticks. */
struct axis axis_of(enum unit unit, bool whole, double least, double largest, int ticks);
double axis_at(const struct axis *axis, double value);

str axis_title(struct html *html, const struct axis *axis, str title); /* "total (ms)" */

/*
 * Horizontal lines and numbers at the left; upright lines and numbers below, between y and the foot.
 * An empty title stands for none: the figure's own then says the unit.
 */
void axis_put_left(struct html *html, const struct axis *axis, double x, double right, str title);
void axis_put_below(struct html *html, const struct axis *axis, double y, double foot, str title);

/* A label at a place: anchor is "start", "middle" or "end". */
void plot_label(struct html *html, const char *class, const char *anchor, double x, double y, str text);

/* <title>: what a browser shows when the pointer rests on the element just opened. */
void plot_tip(struct html *html, str text);

/* "compute: 12.3 ms (45.6%)", raw. */
str plot_entry(struct html *html, str label, enum unit unit, double number, bool whole);

/* The key under a figure, one entry a colour. */
void plot_key_open(struct html *html);
void plot_key_entry(struct html *html, uint32_t colour, str label, str more);
void plot_key_close(struct html *html);

/* Each a figure: html_bars.c, html_lines.c, html_lanes.c, html_roofline.c. */
void html_stack(struct html *html, const struct points *points, str title);
void html_bars(struct html *html, const struct points *points, str title, str axis);
struct series {
    struct points points;
    str title;
};
void html_lines_chart(struct html *html, const struct series *series, uint32_t count, str title, str x_title);
void html_cdf(struct html *html, struct points *points, str title, str axis);
void html_lanes(struct html *html, const struct table *table, uint32_t x, uint32_t y, str title);
void html_roofline(struct html *html, const struct table *table, uint32_t x, uint32_t y, str title);

#endif
