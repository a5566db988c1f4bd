/* SPDX-License-Identifier: Apache-2.0 */
#include "points.h"

#include <math.h>
#include <stdlib.h>

#include "measure.h"
#include "base/order.h"

static str label_of(struct arena *arena, const struct column *column, struct cell cell)
{
    double number;
    if (cell.kind == CELL_TEXT)
        return cell.text;
    return cell_number(cell, &number) ? measure_whole_text(arena, column->unit, number, cell.kind == CELL_INT) : S("-");
}

static void add_point(struct points *points, uint32_t row, str label, double number)
{
    points->rows[points->count] = row;
    points->labels[points->count] = label;
    points->numbers[points->count++] = number;
    points->sum += number;
    points->least = fmin(points->least, number);
    points->largest = fmax(points->largest, number);
}

struct points points_of(struct arena *arena, const struct table *table, uint32_t x, uint32_t y)
{
    struct points points = {
        .unit = table->columns[y].unit,
        .x_unit = table->columns[x].unit,
        .placed = true,
        .whole = true,
        .x_whole = true,
    };
    points.labels = arena_array(arena, table->row_count, sizeof *points.labels);
    points.positions = arena_array(arena, table->row_count, sizeof *points.positions);
    points.numbers = arena_array(arena, table->row_count, sizeof *points.numbers);
    points.rows = arena_array(arena, table->row_count, sizeof *points.rows);
    for (uint32_t row = 0; row < table->row_count; row++) {
        const struct cell at = table_at(table, row, x), cell = table_at(table, row, y);
        double number;
        if (!cell_number(cell, &number))
            continue;
        points.whole = points.whole && cell.kind == CELL_INT;
        points.x_whole = points.x_whole && at.kind == CELL_INT;
        points.placed = cell_number(at, &points.positions[points.count]) && points.placed;
        add_point(&points, row, label_of(arena, &table->columns[x], at), number);
    }
    return points;
}

void points_sort(struct points *points)
{
    qsort(points->numbers, points->count, sizeof *points->numbers, ascending_reals);
}
