/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rows reached, by their arithmetic a byte, under the roofs that the device's peaks set (Williams, Waterman and
 * Patterson, 2009). Both axes are logarithms. The columns behind y are the peak of arithmetic, the peak of memory and
 * the time; the first column is the name. A dot's area is its share of the time; a ring is bound by memory.
 */
#include <math.h>
#include <stdlib.h>

#include "glyph.h"
#include "html_plot.h"

enum { ROOF_HEIGHT = 300, ROOF_DOTS = 60, ROOF_NAMED = 6, ROOF_PEAKS = 4 };
static const double dot_least = 3, dot_most = 13;

struct dot {
    uint32_t row;
    double x, y, peak, memory, ns;
};

struct roofline {
    const struct table *table;
    uint32_t y_column;
    struct dot *dots;
    uint32_t count, all;
    double peaks[ROOF_PEAKS], memory, most_ns; /* 0: not known */
    uint32_t peak_count;
    struct axis across, up;
};

/* What is beyond is no figure of a device, and stands at the end. */
static const double least = 1e-30, largest = 1e30;

static double number_at(const struct table *table, uint32_t row, uint32_t column)
{
    double number;
    if (column >= table->column_count || !cell_number(table_at(table, row, column), &number) || !(number > 0))
        return 0;
    return fmin(fmax(number, least), largest);
}

static void note_peaks(struct roofline *roofline, const struct dot *dot)
{
    uint32_t i = 0;
    while (i < roofline->peak_count && fabs(roofline->peaks[i] - dot->peak) > 0.01 * dot->peak)
        i++;
    if (dot->peak > 0 && i == roofline->peak_count && i < ROOF_PEAKS)
        roofline->peaks[roofline->peak_count++] = dot->peak;
    roofline->memory = fmax(roofline->memory, dot->memory);
}

static void gather(struct html *html, struct roofline *roofline, uint32_t x)
{
    const struct table *table = roofline->table;
    const uint32_t y = roofline->y_column;
    roofline->dots = arena_array(html->arena, table->row_count ? table->row_count : 1, sizeof *roofline->dots);
    for (uint32_t row = 0; row < table->row_count; row++) {
        const struct dot dot = {row,
                                number_at(table, row, x),
                                number_at(table, row, y),
                                number_at(table, row, y + 1),
                                number_at(table, row, y + 2),
                                number_at(table, row, y + 3)};
        if (dot.x <= 0 || dot.y <= 0)
            continue;
        roofline->all++;
        if (roofline->count == ROOF_DOTS)
            continue;
        roofline->dots[roofline->count++] = dot;
        roofline->most_ns = fmax(roofline->most_ns, dot.ns);
        note_peaks(roofline, &dot);
    }
}

/* ---- axes ---- */

static struct axis decades(enum unit unit, double from, double to)
{
    struct axis axis = {.log = true, .low = pow(10, floor(log10(from))), .high = pow(10, ceil(log10(to)))};
    if (axis.high <= axis.low)
        axis.high = axis.low * 10;
    axis.measure = measure_for(unit, axis.high, false);
    return axis;
}

static void set_axes(const struct html *html, struct roofline *roofline)
{
    double left = INFINITY, right = 0, low = INFINITY, high = 0;
    for (uint32_t i = 0; i < roofline->count; i++) {
        const struct dot *dot = &roofline->dots[i];
        left = fmin(left, dot->x);
        right = fmax(right, dot->x);
        low = fmin(low, dot->y);
        high = fmax(high, dot->y);
    }
    for (uint32_t i = 0; i < roofline->peak_count; i++) {
        high = fmax(high, roofline->peaks[i]);
        if (roofline->memory > 0) /* the ridge is worth seeing */
            right = fmax(right, roofline->peaks[i] / roofline->memory);
    }
    roofline->across = decades(UNIT_NONE, left, right * 1.5);
    roofline->across.from = PLOT_LEFT + 20;
    roofline->across.to = plot_width(html) - PLOT_RIGHT;
    roofline->up = decades(roofline->table->columns[roofline->y_column].unit, low, high * 1.2);
    roofline->up.from = PLOT_TOP + ROOF_HEIGHT;
    roofline->up.to = PLOT_TOP + 12;
}

/* "10 TFLOP/s": a power of ten needs no decimals. */
static str decade_text(struct html *html, enum unit unit, double value)
{
    const struct measure measure = measure_for(unit, value, false);
    return str_printf(html->arena, "%g %.*s", value / measure.per, (int)measure.word.len, measure.word.at);
}

enum { MOST_DECADES = 12 };

/* From tick to tick. */
static double tick_factor(const struct axis *axis, int most)
{
    return pow(10, ceil(log10(axis->high / axis->low) / most));
}

static void put_axes(struct html *html, const struct roofline *roofline, str x_title)
{
    const struct axis *up = &roofline->up, *across = &roofline->across;
    const enum unit unit = roofline->table->columns[roofline->y_column].unit;
    for (double value = up->low; value <= up->high * 1.01; value *= tick_factor(up, MOST_DECADES)) {
        const double y = axis_at(up, value);
        html_put(html, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", across->from,
                 across->to, y, y);
        plot_label(html, "tick", "end", across->from - 6, y + 4, decade_text(html, unit, value));
    }
    for (double value = across->low; value <= across->high * 1.01;
         value *= tick_factor(across, html->narrow ? MOST_DECADES / 2 : MOST_DECADES)) {
        const double x = axis_at(across, value);
        html_put(html, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, up->to,
                 up->from + 4);
        plot_label(html, "tick", "middle", x, up->from + 17, str_printf(html->arena, "%g", value));
    }
    plot_label(html, "axis", "middle", (across->from + across->to) / 2, up->from + 36, x_title);
    plot_label(html, "axis", "start", 4, PLOT_TOP - 2, roofline->table->columns[roofline->y_column].title);
}

/* ---- roofs ---- */

/* Where its flat part lies, or ends where the memory's roof leaves the drawing. */
static double roof_top(const struct roofline *roofline, double peak)
{
    const double reached = roofline->memory > 0 ? roofline->memory * roofline->across.high : peak;
    return axis_at(&roofline->up, fmin(peak, reached));
}

static str peak_text(struct html *html, const struct roofline *roofline, double peak)
{
    return measure_whole_text(html->arena, roofline->table->columns[roofline->y_column].unit, peak, false);
}

static void put_roof(struct html *html, const struct roofline *roofline, double peak)
{
    const struct axis *across = &roofline->across, *up = &roofline->up;
    const double memory = roofline->memory;
    double from = across->low, at = memory > 0 ? memory * across->low : peak;
    if (at < up->low) {
        from = up->low / memory;
        at = up->low;
    }
    const double ridge = memory > 0 ? fmin(fmax(peak / memory, from), across->high) : from;
    html_put(html, "<path class=\"line roof\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\">", axis_at(across, from),
             axis_at(up, fmin(at, peak)), axis_at(across, ridge), roof_top(roofline, peak), across->to);
    plot_tip(html, peak_text(html, roofline, peak));
    html_put(html, "</path>");
}

static int highest_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Roofs that lie too close for a label each have one: "107.7 TFLOP/s to 153.9 TFLOP/s". */
static void put_roofs(struct html *html, struct roofline *roofline, struct plot_labels *labels)
{
    enum { APART = 15 };
    const double *peaks = roofline->peaks;
    qsort(roofline->peaks, roofline->peak_count, sizeof *roofline->peaks, highest_first);
    for (uint32_t i = 0, last; i < roofline->peak_count; i = last + 1) {
        last = i;
        put_roof(html, roofline, peaks[i]);
        while (last + 1 < roofline->peak_count &&
               roof_top(roofline, peaks[last + 1]) - roof_top(roofline, peaks[last]) < APART)
            put_roof(html, roofline, peaks[++last]);
        const str high = peak_text(html, roofline, peaks[i]), low = peak_text(html, roofline, peaks[last]);
        const struct plot_place places[] = {{"end", roofline->across.to, roof_top(roofline, peaks[i]) - 5},
                                            {"end", roofline->across.to, roof_top(roofline, peaks[last]) + 14}};
        plot_label_free(
            html, labels, "number", places, sizeof places / sizeof *places,
            last == i ? high : str_printf(html->arena, "%.*s to %.*s", (int)low.len, low.at, (int)high.len, high.at));
    }
}

/* ---- dots ---- */

static bool by_memory(const struct dot *dot)
{
    return dot->x * dot->memory < dot->peak;
}

static str dot_told(struct html *html, const struct roofline *roofline, const struct dot *dot)
{
    const enum unit unit = roofline->table->columns[roofline->y_column].unit;
    const struct cell name = table_at(roofline->table, dot->row, 0);
    const str rate = measure_whole_text(html->arena, unit, dot->y, false);
    const double roof = dot->peak > 0 ? fmin(dot->peak, dot->memory > 0 ? dot->x * dot->memory : dot->peak) : 0;
    const str share = roof > 0 ? str_printf(html->arena, ", %.0f %% of its roof", 100 * dot->y / roof) : S("");
    return str_printf(html->arena, "%.*s: %.*s at %.3g FLOP a byte%.*s", (int)name.text.len, name.text.at,
                      (int)rate.len, rate.at, dot->x, (int)share.len, share.at);
}

static double radius_of(const struct roofline *roofline, const struct dot *dot)
{
    const double part = roofline->most_ns > 0 ? dot->ns / roofline->most_ns : 1;
    return fmax(dot_least, dot_most * sqrt(part));
}

static void put_dot(struct html *html, const struct roofline *roofline, uint32_t i)
{
    const struct dot *dot = &roofline->dots[i];
    const double x = axis_at(&roofline->across, dot->x), y = axis_at(&roofline->up, dot->y);
    const double r = radius_of(roofline, dot);
    const bool roofed = dot->peak > 0 && dot->memory > 0;
    if (roofed)
        html_put(html, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", by_memory(dot) ? "ring" : "disc", x,
                 y, r);
    else
        html_put(html, "<rect class=\"unroofed\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", x - r * 0.85,
                 y - r * 0.85, r * 1.7, r * 1.7);
    plot_tip(html, dot_told(html, roofline, dot));
    html_put(html, roofed ? "</circle>" : "</rect>");
}

/* How far the dots go that lie there, one on the other. */
static double reach_of(const struct roofline *roofline, double x, double y)
{
    double reach = 0;
    for (uint32_t i = 0; i < roofline->count; i++) {
        const struct dot *dot = &roofline->dots[i];
        const double away = hypot(axis_at(&roofline->across, dot->x) - x, axis_at(&roofline->up, dot->y) - y);
        if (away <= dot_most)
            reach = fmax(reach, away + radius_of(roofline, dot));
    }
    return reach;
}

/* Those with most time come first; one that would cover another label at each place beside its dot goes without. */
static void put_names(struct html *html, const struct roofline *roofline, struct plot_labels *labels)
{
    uint32_t put = 0;
    for (uint32_t i = 0; i < roofline->count && put < ROOF_NAMED; i++) {
        const struct dot *dot = &roofline->dots[i];
        const double x = axis_at(&roofline->across, dot->x), y = axis_at(&roofline->up, dot->y);
        const double off = reach_of(roofline, x, y) + 3;
        const struct plot_place places[] = {{"start", x + off, y + 4},
                                            {"end", x - off, y + 4},
                                            {"middle", x, y + off + 10},
                                            {"middle", x, y - off - 2}};
        const str name = glyph_shorten(html->arena, table_at(roofline->table, dot->row, 0).text, html->narrow ? 18 : 24,
                                       S("\xE2\x80\xA6"));
        put += plot_label_free(html, labels, "label", places, sizeof places / sizeof *places, name);
    }
}

static void put_key(struct html *html, const struct roofline *roofline)
{
    bool memory = false, arithmetic = false, unroofed = false;
    for (uint32_t i = 0; i < roofline->count; i++) {
        const struct dot *dot = &roofline->dots[i];
        const bool roofed = dot->peak > 0 && dot->memory > 0;
        unroofed |= !roofed;
        memory |= roofed && by_memory(dot);
        arithmetic |= roofed && !by_memory(dot);
    }
    html_put(html, "<ul class=\"key\">%s%s%s<li>area: its time</li></ul>",
             memory ? "<li><i class=\"mark ring\"></i>bound by memory</li>" : "",
             arithmetic ? "<li><i class=\"mark disc\"></i>bound by arithmetic</li>" : "",
             unroofed ? "<li><i class=\"mark unroofed\"></i>no peak known for its types</li>" : "");
}

static void draw(struct html *html, struct roofline *roofline, str x_title, str title)
{
    struct plot_labels labels = {0};
    set_axes(html, roofline);
    plot_open(html, PLOT_TOP + ROOF_HEIGHT + PLOT_FOOT, title, dot_told(html, roofline, &roofline->dots[0]), false);
    put_axes(html, roofline, x_title);
    put_roofs(html, roofline, &labels);
    for (uint32_t i = roofline->count; i-- > 0;)
        put_dot(html, roofline, i);
    put_names(html, roofline, &labels);
    plot_close(html);
}

void html_roofline(struct html *html, const struct table *table, uint32_t x, uint32_t y, str title)
{
    struct roofline roofline = {.table = table, .y_column = y};
    gather(html, &roofline, x);
    if (!roofline.count)
        return;
    if (roofline.all > roofline.count)
        title = str_printf(html->arena, "%.*s (the first %u of %u)", (int)title.len, title.at, roofline.count,
                           roofline.all);
    plot_figure(html, "roofline", title);
    for (int narrow = 0; narrow < 2; narrow++) {
        html->narrow = narrow;
        draw(html, &roofline, table->columns[x].title, title);
    }
    put_key(html, &roofline);
    plot_end(html);
}
