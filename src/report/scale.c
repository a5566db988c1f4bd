/* SPDX-License-Identifier: Apache-2.0 */
#include "scale.h"

#include <math.h>

static bool has_sizes(enum unit unit)
{
    return unit == UNIT_BYTES || unit == UNIT_FLOP;
}

/* Of means, too, decimals of nought say nothing. */
static bool is_plain(enum unit unit)
{
    return unit == UNIT_NONE || unit == UNIT_COUNT;
}

/* What the cells of one column add to a scale; whether they are all whole numbers. */
static bool add_cells(struct scale *scale, const struct rows *rows, uint32_t column)
{
    bool whole = true;
    for (uint32_t line = 0; line < rows_lines(rows); line++) {
        const struct cell cell = rows_cell(rows, line, column);
        double number;
        if (!cell_number(cell, &number))
            continue;
        scale->number = true;
        whole =
            whole && (cell.kind == CELL_INT || (is_plain(rows->table->columns[column].unit) && number == rint(number)));
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

struct scale scale_of(const struct rows *rows, uint32_t column)
{
    const struct table *table = rows->table;
    const enum unit unit = table->columns[column].flags & COLUMN_EXACT ? UNIT_NONE : table->columns[column].unit;
    struct scale scale = {.unit = unit, .number = unit != UNIT_NONE, .smallest = INFINITY};
    scale.words = table->columns[column].flags & COLUMN_WORDS;
    bool whole = add_cells(&scale, rows, column);
    uint32_t first = column, last = column;
    while (first && is_alike(table, first))
        first--;
    while (is_alike(table, last + 1))
        last++;
    for (uint32_t other = first; other <= last; other++)
        whole = add_cells(&scale, rows, other) && whole;
    scale.measure = measure_for(unit, scale.largest, whole);
    scale.own_units = has_sizes(unit) && scale.largest / scale.smallest > 1000;
    return scale;
}

static str with_blanks(struct arena *arena, str id)
{
    char *text = arena_array(arena, id.len + 1, 1);
    for (size_t i = 0; i < id.len; i++)
        text[i] = id.at[i] == '_' ? ' ' : id.at[i];
    return (str){text, id.len};
}

str scale_text(struct arena *arena, const struct scale *scale, struct cell cell)
{
    double number;
    if (cell.kind == CELL_TEXT)
        return scale->words ? with_blanks(arena, cell.text) : cell.text;
    if (!cell_number(cell, &number))
        return scale->number ? S("-") : S("");
    if (scale->own_units)
        return measure_whole_text(arena, scale->unit, number, cell.kind == CELL_INT);
    const str text = measure_text(arena, &scale->measure, number);
    return scale->unit == UNIT_RATIO ? str_printf(arena, "%.*s%%", (int)text.len, text.at) : text;
}

str scale_line(struct arena *arena, const struct scale *scale, const struct rows *rows, uint32_t line, uint32_t column)
{
    const struct cell cell = rows_cell(rows, line, column);
    return rows_is_fold(rows, line) && cell.kind == CELL_NULL ? S("") : scale_text(arena, scale, cell);
}

str scale_heading(struct arena *arena, const struct scale *scale, str title)
{
    const str word = scale->measure.word;
    if (!scale->number || !word.len || scale->own_units || scale->unit == UNIT_RATIO)
        return title;
    return str_printf(arena, "%.*s (%.*s)", (int)title.len, title.at, (int)word.len, word.at);
}

bool scale_is_empty(const struct rows *rows, uint32_t column)
{
    for (uint32_t line = 0; line < rows->count; line++) {
        const struct cell cell = cell_finite(rows_cell(rows, line, column));
        if (cell.kind != CELL_NULL && (cell.kind != CELL_TEXT || cell.text.len))
            return false;
    }
    return rows->count > 0 && !rows->table->all_columns;
}
