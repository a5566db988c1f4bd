/* SPDX-License-Identifier: Apache-2.0 */
/* Which figures a table has on the page, and what each is called. */
#include "html_plot.h"

/* The columns that a figure draws; false where the table has not both. */
struct drawn {
    const struct figure *figure;
    const struct table *table;
    uint32_t x, y;
};

static bool drawn_of(const struct figure *figure, const struct table *table, struct drawn *drawn)
{
    *drawn = (struct drawn){figure, table, table_find_column(table, figure->x), table_find_column(table, figure->y)};
    return str_eq(figure->table, table->id) && drawn->x != COLUMN_NONE && drawn->y != COLUMN_NONE;
}

static enum unit unit_of(const struct drawn *drawn)
{
    return drawn->table->columns[drawn->y].unit;
}

/* Lines over the same x in the same unit share a chart. */
static bool shares_chart(const struct drawn *a, const struct drawn *b)
{
    return a->figure->kind == FIGURE_LINE && b->figure->kind == FIGURE_LINE && a->x == b->x && unit_of(a) == unit_of(b);
}

static bool came_before(const struct section *section, uint32_t at, const struct drawn *drawn)
{
    struct drawn earlier;
    for (uint32_t i = 0; i < at; i++)
        if (drawn_of(&section->figures[i], drawn->table, &earlier) && shares_chart(&earlier, drawn))
            return true;
    return false;
}

static uint32_t series_of(struct html *html, const struct section *section, uint32_t from, const struct drawn *first,
                          struct series *series)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < section->figure_count; i++) {
        struct drawn other;
        if (!drawn_of(&section->figures[i], first->table, &other) || !shares_chart(first, &other))
            continue;
        series[count] =
            (struct series){points_of(html->arena, other.table, other.x, other.y), other.table->columns[other.y].title};
        count += series[count].points.count > 0;
    }
    return count;
}

static str column_title(const struct drawn *drawn, uint32_t column)
{
    return drawn->table->columns[column].title;
}

static void put_lines(struct html *html, const struct section *section, uint32_t at, const struct drawn *drawn,
                      str title)
{
    if (came_before(section, at, drawn))
        return;
    struct series *series = arena_array(html->arena, section->figure_count, sizeof *series);
    const uint32_t count = series_of(html, section, at, drawn, series);
    const str head = drawn->table->title.len ? drawn->table->title : section->title;
    if (count)
        html_lines_chart(html, series, count, count > 1 ? head : title, column_title(drawn, drawn->x));
}

/* "step time: part": the table's title, else the section's, and what is drawn. */
static str title_of(struct html *html, const struct section *section, const struct drawn *drawn)
{
    const str head = drawn->table->title.len ? drawn->table->title : section->title;
    const str what = column_title(drawn, drawn->y);
    if (drawn->figure->kind == FIGURE_LANES || !what.len)
        return head;
    return str_printf(html->arena, "%.*s%s%.*s", (int)head.len, head.at, head.len ? ": " : "", (int)what.len, what.at);
}

static void put_figure(struct html *html, const struct section *section, uint32_t at, const struct drawn *drawn)
{
    const str title = title_of(html, section, drawn), what = column_title(drawn, drawn->y);
    struct points points = points_of(html->arena, drawn->table, drawn->x, drawn->y);
    if (!points.count)
        return;
    switch (drawn->figure->kind) {
    case FIGURE_STACK:
        html_stack(html, &points, title);
        break;
    case FIGURE_BAR:
        html_bars(html, &points, title, what);
        break;
    case FIGURE_LINE:
        put_lines(html, section, at, drawn, title);
        break;
    case FIGURE_CDF:
        html_cdf(html, &points, title, what);
        break;
    case FIGURE_LANES:
        html_lanes(html, drawn->table, drawn->x, drawn->y, title);
        break;
    case FIGURE_ROOFLINE:
        html_roofline(html, drawn->table, drawn->x, drawn->y, title);
        break;
    }
}

void html_figures(struct html *html, const struct section *section, const struct table *table)
{
    struct drawn drawn;
    for (uint32_t i = 0; i < section->figure_count; i++)
        if (drawn_of(&section->figures[i], table, &drawn))
            put_figure(html, section, i, &drawn);
}
