/* SPDX-License-Identifier: Apache-2.0 */
#include "population_rows.h"

#include "base/mem.h"

static uint32_t columns_of(const struct rows *rows)
{
    return rows->values + WEIGHTS;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->chunk_count; i++) {
        for (uint32_t column = 0; column < columns_of(rows); column++)
            mem_free(rows->chunks[i]->column[column]);
        mem_free(rows->chunks[i]);
    }
    mem_free(rows->chunks);
    *rows = (struct rows){.values = rows->values};
}

/* One with room for a row at least. */
static struct rows_chunk *open_chunk(struct rows *rows)
{
    if (rows->count == rows->chunk_count * ROWS_CHUNK) {
        rows->chunks = mem_grow(rows->chunks, &rows->room, rows->chunk_count + 1, sizeof *rows->chunks);
        rows->chunks[rows->chunk_count++] = mem_zeroed(sizeof(struct rows_chunk) + columns_of(rows) * sizeof(double *));
    }
    return rows->chunks[rows->chunk_count - 1];
}

/* The column with its room; what was the usual so far is written down. */
static double *open_column(const struct rows *rows, struct rows_chunk *chunk, uint32_t column)
{
    if (!chunk->column[column]) {
        chunk->column[column] = mem_alloc(ROWS_CHUNK * sizeof(double));
        for (uint32_t i = 0; i < ROWS_CHUNK; i++)
            chunk->column[column][i] = column < rows->values ? NAN : 1;
    }
    return chunk->column[column];
}

static bool is_usual(const struct rows *rows, uint32_t column, double figure)
{
    return column < rows->values ? isnan(figure) : figure == 1;
}

void rows_add(struct rows *rows, uint32_t group, const double weight[WEIGHTS], const double *values)
{
    struct rows_chunk *const chunk = open_chunk(rows);
    for (uint32_t column = 0; column < columns_of(rows); column++) {
        double figure = column < rows->values ? values[column] : weight[column - rows->values];
        figure = isfinite(figure) ? figure : NAN;
        if (chunk->column[column] || !is_usual(rows, column, figure))
            open_column(rows, chunk, column)[chunk->count] = figure;
    }
    chunk->group[chunk->count++] = group;
    rows->count++;
}

/* Adds rows first to first + count - 1 of a chunk, for which there is room. */
static void append_part(struct rows *rows, struct rows_chunk *into, const struct rows_chunk *from, uint32_t first,
                        uint32_t count, const uint32_t *group)
{
    for (uint32_t column = 0; column < columns_of(rows); column++)
        if (from->column[column])
            memcpy(open_column(rows, into, column) + into->count, from->column[column] + first, count * sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        into->group[into->count + i] = group[from->group[first + i]];
    into->count += count;
    rows->count += count;
}

void rows_append(struct rows *rows, const struct rows *from, const uint32_t *group)
{
    for (size_t i = 0; i < from->chunk_count; i++) {
        const struct rows_chunk *const chunk = from->chunks[i];
        for (uint32_t done = 0, part; done < chunk->count; done += part) {
            struct rows_chunk *const into = open_chunk(rows);
            const uint32_t room = ROWS_CHUNK - into->count, left = chunk->count - done;
            part = left < room ? left : room;
            append_part(rows, into, chunk, done, part, group);
        }
    }
}
