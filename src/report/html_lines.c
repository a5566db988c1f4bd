/* SPDX-License-Identifier: Apache-2.0 */
/* Charts: lines over one axis, and the distribution of a column. */
#include <math.h>
#include <string.h>

#include "base/stat.h"
#include "glyph.h"
#include "html_plot.h"

enum {
    CHART_HEIGHT = 260,
    MOST_POINTS = 1500, /* of a line; more than two a unit of the drawing are not seen */
    DOTTED = 64,        /* so few points are dots too */
    LABELS = 10,        /* below, where x is a text */
    WIDE_SPAN = 16,     /* x of a span this wide lies on a logarithm */
};

static void put_frame(struct html *html, struct axis *up, str title)
{
    up->from = PLOT_TOP + CHART_HEIGHT;
    up->to = PLOT_TOP + 12;
    axis_put_left(html, up, PLOT_LEFT, plot_width(html) - PLOT_RIGHT, title);
}

/* ---- across ---- */

static void span_of(const struct points *points, double *least, double *largest)
{
    for (uint32_t i = 0; i < points->count; i++) {
        *least = fmin(*least, points->positions[i]);
        *largest = fmax(*largest, points->positions[i]);
    }
}

/* Sizes that grow by factors lie on a logarithm; steps and times, which go on evenly, do not. */
static bool grows(struct html *html, const struct points *points, double least, double largest)
{
    if (points->x_unit == UNIT_NS || least <= 0 || largest / least < WIDE_SPAN)
        return false;
    double *values = arena_array(html->arena, points->count, sizeof *values);
    memcpy(values, points->positions, points->count * sizeof *values);
    return stat_median(values, points->count) < least + (largest - least) / 3;
}

/* Where the points lie: by their x where it is a number, else one beside the other. */
static struct axis across_of(struct html *html, const struct points *points)
{
    struct axis axis = {.low = 0, .high = points->count > 1 ? points->count - 1 : 1};
    if (points->placed && points->count > 1) {
        double least = INFINITY, largest = -INFINITY;
        span_of(points, &least, &largest);
        axis = axis_of(points->x_unit, points->x_whole, least, largest, html->narrow ? 4 : 8);
        axis.low = least;
        axis.high = largest > least ? largest : least + 1;
        axis.log = grows(html, points, least, largest);
    }
    axis.from = PLOT_LEFT + 8;
    axis.to = plot_width(html) - PLOT_RIGHT - 8;
    return axis;
}

static double across_at(const struct axis *axis, const struct points *points, uint32_t i)
{
    return axis_at(axis, points->placed && points->count > 1 ? points->positions[i] : i);
}

/* Labels of points, as many as find room; the first and the last among them. */
static void put_point_labels(struct html *html, const struct axis *axis, const struct points *points, str title)
{
    const double foot = PLOT_TOP + CHART_HEIGHT;
    const uint32_t most = html->narrow ? LABELS / 2 : LABELS;
    const uint32_t every = points->count > most ? (points->count + most - 1) / most : 1;
    const unsigned room = (unsigned)(plot_width(html) - PLOT_LEFT) / (points->count / every + 1) / PLOT_LETTER;
    double last = -INFINITY;
    for (uint32_t i = 0; i < points->count; i += every) {
        const double x = across_at(axis, points, i);
        const str label = glyph_shorten(html->arena, points->labels[i], room > 3 ? room : 3, S("\xE2\x80\xA6"));
        if (x - last < fmax(30, glyph_width(label) * PLOT_LETTER))
            continue;
        last = x;
        html_put(html, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, foot, foot + 4);
        plot_label(html, "tick", "middle", x, foot + 17, label);
    }
    plot_label(html, "axis", "middle", (axis->from + axis->to) / 2, foot + 36, title);
}

/* Round numbers from the first above the least on. */
static void put_number_labels(struct html *html, const struct axis *axis, str title)
{
    const double foot = PLOT_TOP + CHART_HEIGHT;
    struct axis ticks = *axis;
    ticks.low = ceil(axis->low / axis->step - 1e-9) * axis->step;
    ticks.high = floor(axis->high / axis->step + 1e-9) * axis->step;
    ticks.from = axis_at(axis, ticks.low);
    ticks.to = axis_at(axis, ticks.high);
    if (ticks.high > ticks.low)
        axis_put_below(html, &ticks, foot, foot + 4, title);
}

static void put_across(struct html *html, const struct axis *axis, const struct points *points, str title)
{
    if (!points->placed || points->count <= LABELS || axis->log)
        put_point_labels(html, axis, points, title);
    else
        put_number_labels(html, axis, title);
}

/* ---- lines ---- */

static uint32_t points_drawn(const struct html *html, const struct points *points)
{
    const uint32_t most = html->narrow ? MOST_POINTS / 2 : MOST_POINTS;
    return points->count < most ? points->count : most;
}

/* Of a long line the points that are drawn: of each group the largest, because a slow step is what one looks for. */
static uint32_t largest_in(const struct points *points, uint32_t begin, uint32_t end)
{
    uint32_t largest = begin;
    for (uint32_t i = begin + 1; i < end; i++)
        if (points->numbers[i] > points->numbers[largest])
            largest = i;
    return largest;
}

static void put_path(struct html *html, const struct points *points, const struct axis *across, const struct axis *up,
                     uint32_t colour)
{
    const uint32_t drawn = points_drawn(html, points);
    html_put(html, "<path class=\"line\" style=\"stroke:var(--c%u)\" d=\"", colour);
    for (uint32_t i = 0; i < drawn; i++) {
        const uint32_t at = largest_in(points, (uint32_t)((uint64_t)i * points->count / drawn),
                                       (uint32_t)((uint64_t)(i + 1) * points->count / drawn));
        html_put(html, "%c%.1f %.1f", i ? 'L' : 'M', across_at(across, points, at), axis_at(up, points->numbers[at]));
    }
    html_put(html, "\"/>\n");
}

static void put_dots(struct html *html, const struct series *series, const struct axis *across, const struct axis *up,
                     uint32_t colour)
{
    const struct points *points = &series->points;
    for (uint32_t i = 0; i < points->count && points->count <= DOTTED; i++) {
        html_put(html, "<circle class=\"dot\" style=\"fill:var(--c%u)\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\">", colour,
                 across_at(across, points, i), axis_at(up, points->numbers[i]));
        const str label = str_printf(html->arena, "%.*s at %.*s", (int)series->title.len, series->title.at,
                                     (int)points->labels[i].len, points->labels[i].at);
        plot_tip(html, plot_entry(html, label, points->unit, points->numbers[i], points->whole));
        html_put(html, "</circle>");
    }
    html_put(html, "\n");
}

static str lines_told(struct html *html, const struct series *series, uint32_t count)
{
    str told = S("");
    for (uint32_t i = 0; i < count; i++) {
        const struct points *points = &series[i].points;
        const str first = measure_whole_text(html->arena, points->unit, points->numbers[0], points->whole);
        const str last =
            measure_whole_text(html->arena, points->unit, points->numbers[points->count - 1], points->whole);
        told = str_printf(html->arena, "%.*s%s%.*s: %u points from %.*s to %.*s", (int)told.len, told.at,
                          told.len ? "; " : "", (int)series[i].title.len, series[i].title.at, points->count,
                          (int)first.len, first.at, (int)last.len, last.at);
    }
    return told;
}

static void draw_lines(struct html *html, const struct series *series, uint32_t count, str title, str x_title)
{
    double least = 0, largest = 0;
    bool whole = true;
    for (uint32_t i = 0; i < count; i++) {
        least = fmin(least, series[i].points.least);
        largest = fmax(largest, series[i].points.largest);
        whole = whole && series[i].points.whole;
    }
    const struct axis across = across_of(html, &series[0].points);
    struct axis up = axis_of(series[0].points.unit, whole, least, largest, 6);
    plot_open(html, PLOT_TOP + CHART_HEIGHT + PLOT_FOOT, title, lines_told(html, series, count), false);
    put_frame(html, &up, count == 1 ? series[0].title : S("value"));
    put_across(html, &across, &series[0].points, x_title);
    for (uint32_t i = 0; i < count; i++)
        put_path(html, &series[i].points, &across, &up, i % HTML_PALETTE);
    for (uint32_t i = 0; i < count; i++)
        put_dots(html, &series[i], &across, &up, i % HTML_PALETTE);
    plot_close(html);
}

void html_lines_chart(struct html *html, const struct series *series, uint32_t count, str title, str x_title)
{
    plot_figure(html, "lines", title);
    for (int narrow = 0; narrow < 2; narrow++) {
        html->narrow = narrow;
        draw_lines(html, series, count, title, x_title);
    }
    if (count > 1) {
        plot_key_open(html);
        for (uint32_t i = 0; i < count; i++)
            plot_key_entry(html, i, series[i].title, S(""));
        plot_key_close(html);
    }
    plot_end(html);
}

/* ---- distribution ---- */

static double quantile(const struct points *points, double part)
{
    return points->numbers[(uint32_t)(part * (points->count - 1) + 0.5)];
}

static void put_steps(struct html *html, const struct points *points, const struct axis *across, const struct axis *up)
{
    const uint32_t drawn = points_drawn(html, points);
    html_put(html, "<path class=\"line\" style=\"stroke:var(--c0)\" d=\"M%.1f %.1f",
             axis_at(across, points->numbers[0]), axis_at(up, 0));
    for (uint32_t i = 0; i < drawn; i++) {
        const uint32_t last = (uint32_t)((uint64_t)(i + 1) * points->count / drawn) - 1;
        html_put(html, "H%.1fV%.1f", axis_at(across, points->numbers[last]),
                 axis_at(up, (double)(last + 1) / points->count));
    }
    html_put(html, "\"/>\n");
}

static void put_quantile(struct html *html, struct plot_labels *labels, const struct points *points,
                         const struct axis *across, const struct axis *up, double part)
{
    const double value = quantile(points, part), x = axis_at(across, value), y = axis_at(up, part);
    const str name = part == 0.5 ? S("median") : S("p99");
    html_put(html, "<circle class=\"dot\" style=\"fill:var(--c1)\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"></circle>", x, y);
    const struct plot_place places[] = {{"start", x + 9, y + (part == 0.5 ? 4 : 16)},
                                        {"end", x - 9, y + (part == 0.5 ? 4 : 16)},
                                        {"start", x + 9, y + 20},
                                        {"end", x - 9, y + 20},
                                        {"middle", x, y - 10}};
    plot_label_free(html, labels, "number", places, sizeof places / sizeof *places,
                    plot_entry(html, name, points->unit, value, points->whole));
}

/* The share of points (up) that are at most a value (across, from the smallest to the largest). */
static void draw_cdf(struct html *html, const struct points *points, str title, str x_title)
{
    struct plot_labels labels = {0};
    struct axis across = axis_of(points->unit, points->whole, points->numbers[0], points->numbers[points->count - 1],
                                 html->narrow ? 4 : 7);
    across.from = PLOT_LEFT;
    across.to = plot_width(html) - PLOT_RIGHT;
    struct axis up = axis_of(UNIT_RATIO, false, 0, 1, 5);
    const str median = plot_entry(html, S("median"), points->unit, quantile(points, 0.5), points->whole);
    plot_open(html, PLOT_TOP + CHART_HEIGHT + PLOT_FOOT, title,
              str_printf(html->arena, "distribution of %u values; %.*s", points->count, (int)median.len, median.at),
              false);
    put_frame(html, &up, S("share of rows"));
    axis_put_below(html, &across, PLOT_TOP + CHART_HEIGHT, PLOT_TOP + CHART_HEIGHT + 4, x_title);
    put_steps(html, points, &across, &up);
    put_quantile(html, &labels, points, &across, &up, 0.5);
    if (points->count >= 100)
        put_quantile(html, &labels, points, &across, &up, 0.99);
    plot_close(html);
}

void html_cdf(struct html *html, struct points *points, str title, str x_title)
{
    points_sort(points);
    plot_figure(html, "lines", title);
    for (int narrow = 0; narrow < 2; narrow++) {
        html->narrow = narrow;
        draw_cdf(html, points, title, x_title);
    }
    plot_end(html);
}
