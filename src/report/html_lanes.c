/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of time on lanes (streams, threads, ranks): a row of the table each. x names the lane, y the column where a
 * span begins; the column after y says where it ends. The first other column of text says what it is, and its colour.
 */
#include <math.h>

#include "base/intern.h"
#include "glyph.h"
#include "html_plot.h"

enum { LANE_ROW = 30, LANE_THICK = 20, LANE_LABEL = 130, MOST_LANES = 40, MOST_SPANS = 4000 };

struct lanes {
    const struct table *table;
    uint32_t x, begin, end, name;      /* columns; name: COLUMN_NONE where the spans have none */
    struct intern *lane_names, *names; /* ids in order of appearance */
    struct axis axis;
};

static uint32_t name_column(const struct table *table, uint32_t x)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (i != x && table->row_count && table_at(table, 0, i).kind == CELL_TEXT)
            return i;
    return COLUMN_NONE;
}

static str text_at(struct html *html, const struct lanes *lanes, uint32_t row, uint32_t column)
{
    const struct cell cell = table_at(lanes->table, row, column);
    double number;
    if (cell.kind == CELL_TEXT)
        return cell.text.len ? cell.text : S("-");
    const enum unit unit = lanes->table->columns[column].unit;
    return cell_number(cell, &number) ? measure_whole_text(html->arena, unit, number, cell.kind == CELL_INT) : S("-");
}

static bool span_at(const struct lanes *lanes, uint32_t row, double *begin, double *end)
{
    return cell_number(table_at(lanes->table, row, lanes->begin), begin) &&
           cell_number(table_at(lanes->table, row, lanes->end), end) && *end >= *begin;
}

/* In order of appearance from 0: the table of texts keeps its 0 for the empty one, which no name is. */
static uint32_t place_of(struct intern *names, str name)
{
    return intern_id(names, name) - 1;
}

static uint32_t places(const struct intern *names)
{
    return intern_count(names) - 1;
}

/* The axis over all spans, and the lanes. False where nothing is to be drawn. */
static bool survey(struct html *html, struct lanes *lanes)
{
    double least = INFINITY, largest = -INFINITY, begin, end;
    for (uint32_t row = 0; row < lanes->table->row_count && row < MOST_SPANS; row++) {
        if (!span_at(lanes, row, &begin, &end))
            continue;
        least = fmin(least, begin);
        largest = fmax(largest, end);
        place_of(lanes->lane_names, text_at(html, lanes, row, lanes->x));
        if (lanes->name != COLUMN_NONE)
            place_of(lanes->names, text_at(html, lanes, row, lanes->name));
    }
    if (!(largest >= least))
        return false;
    lanes->axis = axis_of(lanes->table->columns[lanes->begin].unit, false, least, largest, 7);
    lanes->axis.from = LANE_LABEL;
    lanes->axis.to = PLOT_WIDTH - PLOT_RIGHT;
    return true;
}

static uint32_t colour_of(struct html *html, const struct lanes *lanes, uint32_t row)
{
    return lanes->name == COLUMN_NONE ? 0 : place_of(lanes->names, text_at(html, lanes, row, lanes->name));
}

static void put_span(struct html *html, const struct lanes *lanes, uint32_t row)
{
    double begin, end;
    const uint32_t lane = place_of(lanes->lane_names, text_at(html, lanes, row, lanes->x));
    if (!span_at(lanes, row, &begin, &end) || lane >= MOST_LANES)
        return;
    const double from = axis_at(&lanes->axis, begin), to = axis_at(&lanes->axis, end);
    html_put(html, "<rect class=\"span\" style=\"fill:var(--c%u)\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\">",
             colour_of(html, lanes, row) % HTML_PALETTE, from, PLOT_TOP + lane * LANE_ROW, fmax(to - from, 0.4),
             LANE_THICK);
    const str name =
        lanes->name == COLUMN_NONE ? text_at(html, lanes, row, lanes->x) : text_at(html, lanes, row, lanes->name);
    plot_tip(html, plot_entry(html, name, lanes->table->columns[lanes->begin].unit, end - begin, false));
    html_put(html, "</rect>\n");
}

static void put_key(struct html *html, const struct lanes *lanes)
{
    const uint32_t count = places(lanes->names);
    if (!count || count > HTML_PALETTE)
        return; /* colours that come twice tell nothing; the tips do */
    plot_key_open(html);
    for (uint32_t i = 0; i < count; i++)
        plot_key_entry(html, i, intern_text(lanes->names, i + 1), S(""));
    plot_key_close(html);
}

static void put(struct html *html, const struct lanes *lanes, str title)
{
    const uint32_t all = places(lanes->lane_names), count = all < MOST_LANES ? all : MOST_LANES;
    const double foot = PLOT_TOP + count * LANE_ROW;
    const bool cut = lanes->table->row_count > MOST_SPANS || all > MOST_LANES;
    const str drawn = str_printf(html->arena, "%u spans on %u lanes", lanes->table->row_count, all);
    if (cut)
        title = str_printf(html->arena, "%.*s (of %.*s at most %d and %d are drawn)", (int)title.len, title.at,
                           (int)drawn.len, drawn.at, MOST_SPANS, MOST_LANES);
    plot_figure(html, "lanes", title);
    plot_open(html, foot + PLOT_FOOT, title, drawn, true);
    axis_put_below(html, &lanes->axis, PLOT_TOP - 6, foot, lanes->table->columns[lanes->begin].title);
    for (uint32_t i = 0; i < count; i++)
        plot_label(html, "label", "end", LANE_LABEL - 10, PLOT_TOP + i * LANE_ROW + 14,
                   glyph_shorten(html->arena, intern_text(lanes->lane_names, i + 1), LANE_LABEL / PLOT_LETTER,
                                 S("\xE2\x80\xA6")));
    for (uint32_t row = 0; row < lanes->table->row_count && row < MOST_SPANS; row++)
        put_span(html, lanes, row);
    plot_close(html);
    put_key(html, lanes);
    plot_end(html);
}

void html_lanes(struct html *html, const struct table *table, uint32_t x, uint32_t y, str title)
{
    if (y + 1 >= table->column_count)
        return;
    struct lanes lanes = {.table = table, .x = x, .begin = y, .end = y + 1, .name = name_column(table, x)};
    lanes.lane_names = intern_new();
    lanes.names = intern_new();
    if (survey(html, &lanes))
        put(html, &lanes, title);
    intern_free(lanes.lane_names);
    intern_free(lanes.names);
}
