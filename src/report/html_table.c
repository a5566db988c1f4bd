/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table on the page. As many rows as a screen has are shown at once, further
 * ones when a box is ticked, which needs no script; so do columns of detail.
 * Cells of numbers carry their value, by which the script sorts, except in a page that is packed.
 */
#include <math.h>

#include "html.h"
#include "scale.h"

enum { MOST_ROWS = 1000 }; /* of a table in the page, unless all were asked for: a page should open at once */

/* A column as the page shows it. */
struct shape {
    const struct column *column;
    uint32_t at;
    struct scale scale;
    bool bar, detail;
};

struct layout {
    const struct table *table;
    struct shape *shapes;
    uint32_t count;
    uint32_t kept;    /* rows in the page at all */
    struct rows seen; /* those shown at once */
    uint32_t marked;  /* the shape whose cells carry the colour of their row; COLUMN_NONE */
    bool details;     /* some columns are hidden at first */
};

static bool needs_all(const struct html *html, bool asked)
{
    return asked || !html->options->rows;
}

static struct layout layout_of(struct html *html, const struct table *table, bool all)
{
    const uint32_t rows = table->row_count, limit = html->options->rows;
    struct layout layout = {
        .table = table, .marked = COLUMN_NONE, .kept = needs_all(html, all) || rows < MOST_ROWS ? rows : MOST_ROWS};
    const uint32_t most = needs_all(html, all) || rows <= limit + limit / 4 ? rows : limit;
    layout.seen = needs_all(html, all) ? rows_first(table, most) : rows_seen(table, most, html->arena);
    const struct rows kept = rows_first(table, layout.kept);
    layout.shapes = arena_array(html->arena, table->column_count, sizeof *layout.shapes);
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!all && scale_is_empty(&kept, i))
            continue;
        struct shape *shape = &layout.shapes[layout.count++];
        *shape = (struct shape){.column = &table->columns[i], .at = i, .scale = scale_of(&kept, i)};
        shape->bar = shape->scale.number && (shape->column->flags & COLUMN_BAR) && shape->scale.largest > 0;
        shape->detail = !all && (shape->column->flags & COLUMN_DETAIL);
        layout.details = layout.details || shape->detail;
    }
    return layout;
}

/* ---- boxes that show more ---- */

static void put_box(struct html *html, const struct table *table, const char *what, str label)
{
    html_put(html, "<input type=\"checkbox\" class=\"more %s\" id=\"%s-", what, what);
    html_word(html, table->id);
    html_put(html, "\"/><label for=\"%s-", what);
    html_word(html, table->id);
    html_put(html, "\">");
    html_text(html, label);
    html_put(html, "</label>");
}

static str count_text(struct html *html, uint32_t count)
{
    return measure_whole_text(html->arena, UNIT_COUNT, count, true);
}

static void put_boxes(struct html *html, const struct layout *layout)
{
    const char *which = layout->table->stream.next ? "the first" : "all";
    if (layout->seen.count < layout->kept)
        put_box(html, layout->table, "rows",
                str_printf(html->arena, "%s %s rows", which, count_text(html, layout->kept).at));
    if (layout->details)
        put_box(html, layout->table, "columns", S("all columns"));
}

static void put_left_out(struct html *html, const struct layout *layout)
{
    if (layout->table->stream.next) {
        html_put(html, "<p class=\"aside\">The first rows: <code>--format csv --table ");
        html_text(html, layout->table->id);
        html_put(html, "</code> writes all there are.</p>");
        return;
    }
    if (layout->kept == layout->table->row_count)
        return;
    html_put(html, "<p class=\"aside\">%s more rows: <code>--format csv --table ",
             count_text(html, layout->table->row_count - layout->kept).at);
    html_text(html, layout->table->id);
    html_put(html, "</code> writes them all.</p>");
}

/* ---- head and rows ---- */

static const char *class_of(const struct shape *shape)
{
    if (shape->scale.number)
        return shape->detail ? shape->bar ? "n d b" : "n d" : shape->bar ? "n b" : "n";
    if (shape->column->flags & COLUMN_WIDE)
        return shape->detail ? "w d" : "w";
    return shape->detail ? "d" : "t";
}

static void put_head(struct html *html, const struct layout *layout)
{
    html_put(html, "<thead><tr>");
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct shape *shape = &layout->shapes[i];
        html_put(html, "<th scope=\"col\" class=\"%s\">", class_of(shape));
        const str title = shape->column->title.len ? shape->column->title : shape->column->id; /* a reader says it */
        html_text(html, scale_heading(html->arena, &shape->scale, title));
        html_put(html, "</th>");
    }
    html_put(html, "</tr></thead>\n");
}

static void put_mark(struct html *html, uint32_t row)
{
    html_put(html, "<i class=\"mark\" style=\"background:var(--c%u)\"></i>", row % HTML_PALETTE);
}

static void put_cell(struct html *html, const struct layout *layout, uint32_t row, uint32_t i)
{
    const struct shape *shape = &layout->shapes[i];
    const struct cell cell = table_at(layout->table, row, shape->at);
    double number;
    html_put(html, "<td class=\"%s\"", class_of(shape));
    if (cell_number(cell, &number)) {
        if (!html->options->part) /* a page that is to be small sorts by what it shows */
            html_put(html, " data-v=\"%.17g\"", number);
        if (shape->bar)
            html_put(html, " style=\"--w:%.1f%%\"", 100 * fabs(number) / shape->scale.largest);
    }
    html_put(html, ">");
    if (i == layout->marked)
        put_mark(html, row);
    html_text(html, scale_text(html->arena, &shape->scale, cell));
    html_put(html, "</td>");
}

static void put_row(struct html *html, const struct layout *layout, uint32_t row, bool seen)
{
    html_put(html, seen ? "<tr>" : "<tr class=\"more\">");
    for (uint32_t i = 0; i < layout->count; i++)
        put_cell(html, layout, row, i);
    html_put(html, "</tr>\n");
}

static void put_rows(struct html *html, const struct layout *layout)
{
    uint32_t line = 0;
    html_put(html, "<tbody>\n");
    for (uint32_t row = 0; row < layout->kept; row++) {
        const bool seen = line < layout->seen.count && rows_index(&layout->seen, line) == row;
        put_row(html, layout, row, seen);
        line += seen;
    }
    html_put(html, "</tbody>");
}

/* Where all rows are shown, or they are sorted or looked for, it is not. */
static void put_others(struct html *html, const struct layout *layout)
{
    if (!layout->seen.folded)
        return;
    html_put(html, "<tfoot><tr>");
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct shape *shape = &layout->shapes[i];
        html_put(html, "<td class=\"%s\">", class_of(shape));
        html_text(html, scale_line(html->arena, &shape->scale, &layout->seen, layout->seen.count, shape->at));
        html_put(html, "</td>");
    }
    html_put(html, "</tr></tfoot>");
}

static void put(struct html *html, const struct layout *layout)
{
    html_put(html, "<div class=\"table\">");
    put_boxes(html, layout);
    html_put(html, "<div class=\"scroll\" tabindex=\"0\"><table data-shown=\"%u\">", layout->seen.count);
    html_element(html, "caption", layout->table->title);
    put_head(html, layout);
    put_rows(html, layout);
    put_others(html, layout);
    html_put(html, "</table></div>");
    put_left_out(html, layout);
    html_put(html, "</div>\n");
}

static void put_empty(struct html *html, const struct table *table)
{
    html_put(html, "<p class=\"aside\">");
    html_text(html, table->title.len ? table->title : table->id);
    html_put(html, ": none</p>\n");
}

static uint32_t first_seen(const struct layout *layout)
{
    uint32_t first = 0;
    while (first + 1 < layout->count && layout->shapes[first].detail)
        first++;
    return first;
}

static void put_any(struct html *html, const struct layout *layout)
{
    if (layout->kept)
        put(html, layout);
    else
        put_empty(html, layout->table);
}

void html_table(struct html *html, const struct table *table, bool all)
{
    const struct layout layout = layout_of(html, table, all);
    put_any(html, &layout);
}

void html_table_marked(struct html *html, const struct table *table)
{
    struct layout layout = layout_of(html, table, false);
    layout.marked = first_seen(&layout);
    put_any(html, &layout);
}
