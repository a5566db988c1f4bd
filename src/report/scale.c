/* SPDX-License-Identifier: Apache-2.0 */
#include "scale.h"

#include <math.h>

static bool has_sizes(enum unit unit)
{
    return unit == UNIT_BYTES || unit == UNIT_FLOP;
}

/* What the cells of one column add to a scale; whether they are all whole numbers. */
static bool add_cells(struct scale *scale, const struct table *table, uint32_t column, uint32_t rows)
{
    bool whole = true;
    for (uint32_t row = 0; row < rows; row++) {
        const struct cell cell = table_at(table, row, column);
        double number;
        if (!cell_number(cell, &number))
            continue;
        scale->number = true;
        whole = whole && cell.kind == CELL_INT;
        scale->largest = fmax(scale->largest, fabs(number));
        if (number != 0)
            scale->smallest = fmin(scale->smallest, fabs(number));
    }
    return whole;
}

static bool is_alike(const struct table *table, uint32_t column)
{
    return column < table->column_count && table->columns[column].flags & COLUMN_ALIKE;
}

struct scale scale_of(const struct table *table, uint32_t column, uint32_t rows)
{
    const enum unit unit = table->columns[column].unit;
    struct scale scale = {.unit = unit, .number = unit != UNIT_NONE, .smallest = INFINITY};
    bool whole = add_cells(&scale, table, column, rows);
    uint32_t first = column, last = column;
    while (first && is_alike(table, first))
        first--;
    while (is_alike(table, last + 1))
        last++;
    for (uint32_t other = first; other <= last; other++)
        whole = add_cells(&scale, table, other, rows) && whole;
    scale.measure = measure_for(unit, scale.largest, whole);
    scale.own_units = has_sizes(unit) && scale.largest / scale.smallest > 1000;
    return scale;
}

str scale_text(struct arena *arena, const struct scale *scale, struct cell cell)
{
    double number;
    if (cell.kind == CELL_TEXT)
        return cell.text;
    if (!cell_number(cell, &number))
        return S("-");
    if (scale->own_units)
        return measure_whole_text(arena, scale->unit, number, cell.kind == CELL_INT);
    const str text = measure_text(arena, &scale->measure, number);
    return scale->unit == UNIT_RATIO ? str_printf(arena, "%.*s%%", (int)text.len, text.at) : text;
}

str scale_heading(struct arena *arena, const struct scale *scale, str title)
{
    const str word = scale->measure.word;
    if (!scale->number || !word.len || scale->own_units || scale->unit == UNIT_RATIO)
        return title;
    return str_printf(arena, "%.*s (%.*s)", (int)title.len, title.at, (int)word.len, word.at);
}

bool scale_is_empty(const struct table *table, uint32_t column, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++) {
        const struct cell cell = cell_finite(table_at(table, row, column));
        if (cell.kind != CELL_NULL && (cell.kind != CELL_TEXT || cell.text.len))
            return false;
    }
    return rows > 0 && !table->all_columns;
}

uint32_t scale_rows(const struct table *table, uint32_t limit)
{
    const uint32_t large = table->has_small ? table->small_from : table->row_count;
    if (!limit)
        return table->row_count;
    return limit < large ? limit : large;
}

str scale_rest(struct arena *arena, const struct table *table, uint32_t rows)
{
    const bool all_small = table->has_small && rows >= table->small_from;
    return all_small ? str_printf(arena, " (%.*s)", (int)table->small.len, table->small.at) : str_copy(arena, S(""));
}
