/* SPDX-License-Identifier: Apache-2.0 */
/* Figures in characters: stacked bar, bars, and lines and distributions as a chart of columns. */
#include <math.h>

#include "glyph.h"
#include "measure.h"
#include "points.h"
#include "term.h"

static unsigned label_width(const struct points *points, unsigned most)
{
    unsigned width = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const unsigned own = glyph_width(points->labels[i]);
        width = own > width ? own : width;
    }
    return width < most ? width : most;
}

/* ---- stack: one bar, a piece a row ---- */

/* Rounding the running sum, not each piece, keeps the whole bar exact. */
static void put_stack_bar(struct term *term, const struct points *points)
{
    const unsigned columns = term_readable(term, TERM_INDENT);
    double sum = 0;
    unsigned at = 0;
    term_pad(term, TERM_INDENT);
    for (uint32_t i = 0; i < points->count; i++) {
        sum += points->numbers[i];
        const unsigned end = (unsigned)(sum / points->sum * columns + 0.5);
        term_repeat(term, term_mark_style(points->rows[i]), term_mark(term, points->rows[i]), end - at);
        at = end;
    }
    term_line(term);
}

/* A line of the legend: what the piece is, its number and its share. Of shares themselves the number says it all. */
static void put_stack_entry(struct term *term, const struct points *points, uint32_t i, unsigned width,
                            const struct measure *measure)
{
    const struct measure share = measure_for(UNIT_RATIO, 1, false);
    term_pad(term, TERM_INDENT);
    term_put(term, term_mark_style(points->rows[i]), term_mark(term, points->rows[i]));
    term_pad(term, 1);
    term_left(term, STYLE_PLAIN, points->labels[i], width);
    if (points->unit != UNIT_RATIO) {
        term_right(term, STYLE_BOLD, measure_text(term->arena, measure, points->numbers[i]), 10);
        term_pad(term, 1);
        term_left(term, STYLE_PLAIN, measure->word, 3);
    }
    term_right(term, STYLE_PLAIN, measure_text(term->arena, &share, points->numbers[i] / points->sum), 6);
    term_put(term, STYLE_PLAIN, S("%"));
    term_line(term);
}

static void put_stack(struct term *term, const struct points *points, bool legend)
{
    if (points->sum <= 0 || points->least < 0)
        return; /* pieces of nothing */
    const struct measure measure = measure_for(points->unit, points->largest, points->whole);
    const unsigned width = label_width(points, term_readable(term, TERM_INDENT + 24));
    put_stack_bar(term, points);
    for (uint32_t i = 0; i < points->count && legend; i++)
        if (points->numbers[i] > 0)
            put_stack_entry(term, points, i, width, &measure);
}

/* ---- bars: one a row ---- */

static void put_bars(struct term *term, const struct points *points)
{
    const uint32_t limit = term->options->rows;
    const uint32_t rows = limit && limit < points->count ? limit : points->count;
    const struct measure measure = measure_for(points->unit, points->largest, points->whole);
    const unsigned room = term_readable(term, TERM_INDENT + 16);
    const unsigned width = label_width(points, room / 2);
    for (uint32_t i = 0; i < rows; i++) {
        term_pad(term, TERM_INDENT);
        term_left(term, STYLE_PLAIN, points->labels[i], width);
        term_pad(term, 2);
        term_right(term, STYLE_BOLD, measure_text(term->arena, &measure, points->numbers[i]), 8);
        term_pad(term, 1);
        term_left(term, STYLE_PLAIN, measure.word, 4);
        term_bar(term, STYLE_BAR, points->largest > 0 ? points->numbers[i] / points->largest : 0, room - width);
        term_line(term);
    }
}

/* ---- charts: a column of characters a point ---- */

enum { CHART_ROWS = 8, AXIS = 12 }; /* lines up, and columns at most for the numbers beside them */

struct chart {
    double *heights;        /* 0 .. 1 */
    unsigned count, spread; /* every height is drawn that many columns wide */
    str top, bottom, left, right;
};

static str level(struct term *term, double filled)
{
    static const char *const eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double clamped = filled > 0 ? filled < 1 ? filled : 1 : 0;
    if (term->options->unicode)
        return str_of(eighths[(int)(clamped * 8 + 0.5)]);
    return clamped >= 0.5 ? S("#") : S(" ");
}

static void put_chart(struct term *term, const struct chart *chart)
{
    const unsigned top = glyph_width(chart->top), bottom = glyph_width(chart->bottom);
    const unsigned widest = top > bottom ? top : bottom;
    const unsigned axis = widest < AXIS ? widest : AXIS;
    for (int row = CHART_ROWS - 1; row >= 0; row--) {
        term_pad(term, TERM_INDENT);
        term_right(term, STYLE_DIM, row == CHART_ROWS - 1 ? chart->top : row ? S("") : chart->bottom, axis);
        term_put(term, STYLE_DIM, term->options->unicode ? S(" │") : S(" |"));
        for (unsigned i = 0; i < chart->count; i++)
            term_repeat(term, STYLE_BAR, level(term, chart->heights[i] * CHART_ROWS - row), chart->spread);
        term_line(term);
    }
    term_pad(term, TERM_INDENT + axis + 2);
    term_left(term, STYLE_DIM, chart->left, chart->count * chart->spread / 2);
    term_right(term, STYLE_DIM, chart->right, chart->count * chart->spread - chart->count * chart->spread / 2);
    term_line(term);
}

static unsigned chart_room(struct term *term)
{
    return term_readable(term, TERM_INDENT + AXIS + 2);
}

/* Several points that share a column show their largest: a slow step is what one looks for. */
static void put_line(struct term *term, const struct points *points)
{
    enum { WIDEST = 4 };
    const unsigned room = chart_room(term);
    struct chart chart = {.count = points->count < room ? points->count : room, .bottom = S("0")};
    const unsigned spread = room / chart.count;
    chart.spread = spread < WIDEST ? spread : WIDEST;
    chart.heights = arena_array(term->arena, chart.count, sizeof *chart.heights);
    for (uint32_t i = 0; i < points->count && points->largest > 0; i++) {
        double *height = &chart.heights[(uint64_t)i * chart.count / points->count];
        *height = fmax(*height, points->numbers[i] / points->largest);
    }
    chart.top = measure_whole_text(term->arena, points->unit, points->largest, points->whole);
    chart.left = points->labels[0];
    chart.right = points->labels[points->count - 1];
    put_chart(term, &chart);
}

/* The share of points (up) that are at most a value (across, from the smallest to the largest). */
static void put_cdf(struct term *term, struct points *points)
{
    const unsigned room = chart_room(term);
    struct chart chart = {.count = room < 60 ? room : 60, .spread = 1, .top = S("100%"), .bottom = S("0%")};
    points_sort(points);
    const double least = points->numbers[0], most = points->numbers[points->count - 1];
    chart.heights = arena_array(term->arena, chart.count, sizeof *chart.heights);
    for (unsigned i = 0, below = 0; i < chart.count; i++) {
        while (below < points->count && points->numbers[below] <= least + (most - least) * (i + 1) / chart.count)
            below++;
        chart.heights[i] = (double)below / points->count;
    }
    chart.heights[chart.count - 1] = 1; /* whatever rounding made of the last value */
    chart.left = measure_whole_text(term->arena, points->unit, least, points->whole);
    chart.right = measure_whole_text(term->arena, points->unit, most, points->whole);
    put_chart(term, &chart);
}

void term_figure(struct term *term, const struct figure *figure, const struct table *table, bool legend)
{
    const uint32_t x = table_find_column(table, figure->x), y = table_find_column(table, figure->y);
    if (x == COLUMN_NONE || y == COLUMN_NONE)
        return;
    struct points points = points_of(term->arena, table, x, y);
    if (!points.count)
        return;
    for (uint32_t i = 0; i < points.count; i++)
        points.labels[i] = term_text(term, points.labels[i]);
    if (figure->kind == FIGURE_STACK)
        put_stack(term, &points, legend);
    else if (figure->kind == FIGURE_BAR)
        put_bars(term, &points);
    else if (figure->kind == FIGURE_LINE)
        put_line(term, &points);
    else if (figure->kind == FIGURE_CDF)
        put_cdf(term, &points);
}
