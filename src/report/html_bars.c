/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of bars: one bar of pieces, and a bar a row. */
#include <math.h>

#include "glyph.h"
#include "html_plot.h"

/* "compute: 45.2%, idle: 30.1%, ...": what a bar of pieces shows, in words. */
static str pieces_told(struct html *html, const struct points *points)
{
    const struct measure share = measure_for(UNIT_RATIO, 1, false);
    str told = S("");
    for (uint32_t i = 0; i < points->count && i < 12; i++) {
        const str part = measure_text(html->arena, &share, points->numbers[i] / points->sum);
        if (points->numbers[i] > 0)
            told = str_printf(html->arena, "%.*s%s%.*s: %.*s%%", (int)told.len, told.at, told.len ? ", " : "",
                              (int)points->labels[i].len, points->labels[i].at, (int)part.len, part.at);
    }
    return told;
}

static str share_text(struct html *html, const struct points *points, uint32_t i)
{
    const struct measure share = measure_for(UNIT_RATIO, 1, false);
    const str part = measure_text(html->arena, &share, points->numbers[i] / points->sum);
    return str_printf(html->arena, "%.*s%%", (int)part.len, part.at);
}

enum { STACK_TOP = 6, STACK_HEIGHT = 40 };

static void put_piece(struct html *html, const struct points *points, uint32_t i, double from, double to)
{
    const str share = share_text(html, points, i), label = points->labels[i];
    const str entry = plot_entry(html, label, points->unit, points->numbers[i], points->whole);
    html_put(html,
             "<g class=\"piece\"><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" style=\"fill:var(--c%u)\">",
             from, STACK_TOP, fmax(to - from - 1, 0.5), STACK_HEIGHT, points->rows[i] % HTML_PALETTE);
    plot_tip(html, points->unit == UNIT_RATIO
                       ? entry
                       : str_printf(html->arena, "%.*s, %.*s", (int)entry.len, entry.at, (int)share.len, share.at));
    html_put(html, "</rect>");
    const unsigned room = (unsigned)(fmax(to - from - 10, 0) / PLOT_LETTER);
    if (room >= 4) {
        plot_label(html, "inside", "start", from + 6, STACK_TOP + 17,
                   glyph_shorten(html->arena, label, room, S("\xE2\x80\xA6")));
        plot_label(html, "inside", "start", from + 6, STACK_TOP + 33, share);
    }
    html_put(html, "</g>\n");
}

static void draw_stack(struct html *html, const struct points *points, str title)
{
    struct axis axis = axis_of(points->unit, points->whole, 0, points->sum, html->narrow ? 4 : 8);
    axis.high = points->sum;
    axis.from = 8;
    axis.to = plot_width(html) - PLOT_RIGHT;
    plot_open(html, STACK_TOP + STACK_HEIGHT + 24, title, pieces_told(html, points), false);
    double sum = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const double from = axis_at(&axis, sum);
        sum += points->numbers[i];
        if (points->numbers[i] > 0)
            put_piece(html, points, i, from, axis_at(&axis, sum));
    }
    struct axis ticks = axis;
    ticks.high = floor(axis.high / axis.step + 1e-9) * axis.step;
    ticks.to = axis_at(&axis, ticks.high);
    if (ticks.high > 0)
        axis_put_below(html, &ticks, STACK_TOP + STACK_HEIGHT, STACK_TOP + STACK_HEIGHT + 4, S(""));
    plot_close(html);
}

void html_stack(struct html *html, const struct points *points, str title)
{
    if (points->sum <= 0 || points->least < 0)
        return; /* pieces of nothing */
    const struct axis axis = axis_of(points->unit, points->whole, 0, points->sum, 8);
    title = axis_title(html, &axis, title);
    plot_figure(html, "stack", title);
    for (int narrow = 0; narrow < 2; narrow++) {
        html->narrow = narrow;
        draw_stack(html, points, title);
    }
    plot_key_open(html);
    for (uint32_t i = 0; i < points->count; i++)
        if (points->numbers[i] > 0)
            plot_key_entry(html, points->rows[i], points->labels[i], share_text(html, points, i));
    plot_key_close(html);
    plot_end(html);
}

/* ---- a bar a row ---- */

enum { BAR_ROW = 24, BAR_THICK = 15, BAR_LABEL_MOST = 250, BAR_NUMBER = 74, USUAL_BARS = 20, NARROW_ROW = 38 };

/* In a narrow drawing the label stands above its bar. */
static double row_height(const struct html *html)
{
    return html->narrow ? NARROW_ROW : BAR_ROW;
}

static uint32_t bars_shown(const struct html *html, const struct points *points)
{
    const uint32_t limit = html->options->rows ? html->options->rows : USUAL_BARS;
    return points->count < limit ? points->count : limit;
}

/* Room for the labels of the bars shown. */
static double label_room(const struct html *html, const struct points *points, uint32_t rows)
{
    unsigned widest = 0;
    if (html->narrow)
        return 8;
    for (uint32_t i = 0; i < rows; i++)
        if (glyph_width(points->labels[i]) > widest)
            widest = glyph_width(points->labels[i]);
    return fmin(20 + widest * PLOT_LETTER, BAR_LABEL_MOST);
}

static void put_bar(struct html *html, const struct points *points, uint32_t i, const struct axis *axis)
{
    const double zero = axis_at(axis, 0), end = axis_at(axis, points->numbers[i]);
    const double top = PLOT_TOP + i * row_height(html), y = html->narrow ? top + 15 : top;
    const unsigned room = (unsigned)(html->narrow ? plot_width(html) - 16 : BAR_LABEL_MOST - 10) / PLOT_LETTER;
    const str shown = glyph_shorten(html->arena, points->labels[i], room, S("\xE2\x80\xA6"));
    plot_label(html, "label", html->narrow ? "start" : "end", html->narrow ? 8 : axis->from - 8, top + 12, shown);
    html_put(html, "<rect class=\"bar\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" rx=\"2\">", fmin(zero, end),
             y, fmax(fabs(end - zero), 0.5), BAR_THICK);
    plot_tip(html, plot_entry(html, points->labels[i], points->unit, points->numbers[i], points->whole));
    html_put(html, "</rect>");
    plot_label(html, "number", "start", fmax(zero, end) + 5, y + 12,
               measure_whole_text(html->arena, points->unit, points->numbers[i], points->whole));
    html_put(html, "\n");
}

static void draw_bars(struct html *html, const struct points *points, str title, str axis_title)
{
    const uint32_t rows = bars_shown(html, points);
    struct axis axis = axis_of(points->unit, points->whole, points->least, points->largest, html->narrow ? 4 : 6);
    axis.from = label_room(html, points, rows);
    axis.to = plot_width(html) - BAR_NUMBER;
    const double foot = PLOT_TOP + rows * row_height(html);
    const str told = plot_entry(html, points->labels[0], points->unit, points->numbers[0], points->whole);
    plot_open(html, foot + PLOT_FOOT, title,
              str_printf(html->arena, "%u bars; the first is %.*s", rows, (int)told.len, told.at), false);
    axis_put_below(html, &axis, PLOT_TOP - 6, foot, axis_title);
    for (uint32_t i = 0; i < rows; i++)
        put_bar(html, points, i, &axis);
    plot_close(html);
}

void html_bars(struct html *html, const struct points *points, str title, str axis_title)
{
    plot_figure(html, "bars", title);
    for (int narrow = 0; narrow < 2; narrow++) {
        html->narrow = narrow;
        draw_bars(html, points, title, axis_title);
    }
    plot_end(html);
}
