/* SPDX-License-Identifier: Apache-2.0 */
#include "population_rows.h"

#include <float.h>

#include "base/mem.h"

enum { LEAST_ROOM = 64 };

static void free_open(struct rows *rows)
{
    for (uint32_t column = 0; rows->open && column < rows_columns(rows); column++)
        mem_free(rows->open[column]);
    mem_free(rows->open);
    rows->open = NULL;
    rows->open_room = 0;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->chunk_count; i++)
        mem_free(rows->chunks[i]);
    mem_free(rows->chunks);
    free_open(rows);
    *rows = (struct rows){.values = rows->values};
}

static uint32_t open_count(const struct rows *rows)
{
    return rows->count % ROWS_CHUNK;
}

/* ---- packing ---- */

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* The least width in which the figure comes out as it went in, to the sign of 0. */
static size_t width_of(double figure)
{
    if (figure >= 0 && figure <= UINT16_MAX && is_same((double)(uint16_t)figure, figure))
        return figure <= UINT8_MAX ? sizeof(uint8_t) : sizeof(uint16_t);
    if (isnan(figure) || (fabs(figure) <= (double)FLT_MAX && is_same((double)(float)figure, figure)))
        return sizeof(float);
    return sizeof(double);
}

static size_t width_of_column(const double *figures)
{
    size_t width = sizeof(uint8_t);
    for (uint32_t i = 0; figures && width < sizeof(double) && i < ROWS_CHUNK; i++) {
        const size_t needed = width_of(figures[i]);
        width = needed > width ? needed : width;
    }
    return figures ? width : 0;
}

static void pack_column(const double *figures, size_t width, void *to)
{
    for (uint32_t i = 0; width == sizeof(uint8_t) && i < ROWS_CHUNK; i++)
        ((uint8_t *)to)[i] = (uint8_t)figures[i];
    for (uint32_t i = 0; width == sizeof(uint16_t) && i < ROWS_CHUNK; i++)
        ((uint16_t *)to)[i] = (uint16_t)figures[i];
    for (uint32_t i = 0; width == sizeof(float) && i < ROWS_CHUNK; i++)
        ((float *)to)[i] = (float)figures[i];
    if (width == sizeof(double))
        memcpy(to, figures, ROWS_CHUNK * sizeof *figures);
}

/* The open chunk, which is full, as one block: its columns, and the figures behind them. */
static struct rows_column *packed(const struct rows *rows)
{
    size_t bytes = rows_columns(rows) * sizeof(struct rows_column);
    struct rows_column *columns = mem_alloc(bytes);
    for (uint32_t column = 0; column < rows_columns(rows); column++) {
        columns[column].width = width_of_column(rows->open[column]);
        bytes += ROWS_CHUNK * columns[column].width;
    }
    columns = mem_resize(columns, bytes);
    char *to = (char *)(columns + rows_columns(rows));
    for (uint32_t column = 0; column < rows_columns(rows); column++) {
        const size_t width = columns[column].width;
        columns[column].at = width ? to : NULL;
        if (width)
            pack_column(rows->open[column], width, to);
        to += ROWS_CHUNK * width;
    }
    return columns;
}

static void forget_open(struct rows *rows)
{
    for (uint32_t column = 0; column < rows_columns(rows); column++) {
        mem_free(rows->open[column]);
        rows->open[column] = NULL;
    }
}

/* Packs the open chunk once it is full. */
static void close_if_full(struct rows *rows)
{
    if (open_count(rows))
        return;
    rows->chunks = mem_grow(rows->chunks, &rows->room, rows->chunk_count + 1, sizeof *rows->chunks);
    rows->chunks[rows->chunk_count] = packed(rows);
    rows->chunk_count++;
    forget_open(rows);
}

/* ---- adding ---- */

/* Room for so many rows more in the open chunk, which has at most ROWS_CHUNK. */
static void make_room(struct rows *rows, uint32_t more)
{
    const uint32_t wanted = open_count(rows) + more;
    if (!rows->open)
        rows->open = mem_zeroed(rows_columns(rows) * sizeof *rows->open);
    if (wanted <= rows->open_room)
        return;
    uint32_t room = rows->open_room ? rows->open_room : LEAST_ROOM;
    while (room < wanted)
        room *= 2;
    rows->open_room = room;
    for (uint32_t column = 0; column < rows_columns(rows); column++)
        if (rows->open[column])
            rows->open[column] = mem_resize(rows->open[column], room * sizeof(double));
}

/* The column with its room; what was the usual so far is written down. */
static double *open_column(const struct rows *rows, uint32_t column)
{
    if (!rows->open[column]) {
        rows->open[column] = mem_alloc(rows->open_room * sizeof(double));
        for (uint32_t i = 0; i < open_count(rows); i++)
            rows->open[column][i] = rows_usual(rows, column);
    }
    return rows->open[column];
}

static void put(const struct rows *rows, uint32_t column, double figure)
{
    const double usual = rows_usual(rows, column);
    if (rows->open[column] || !(isnan(usual) ? isnan(figure) : is_same(figure, usual)))
        open_column(rows, column)[open_count(rows)] = figure;
}

void rows_add(struct rows *rows, uint32_t group, const double weight[WEIGHTS], const double *values)
{
    make_room(rows, 1);
    for (uint32_t column = 0; column < rows->values; column++)
        put(rows, column, isfinite(values[column]) ? values[column] : NAN);
    for (uint32_t by = 0; by < WEIGHTS; by++)
        put(rows, rows->values + by, isfinite(weight[by]) ? weight[by] : NAN);
    put(rows, rows->values + WEIGHTS, group);
    rows->count++;
    close_if_full(rows);
}

/* Figures first to first + count - 1 of a column. */
static void unpack(struct rows_column column, double usual, uint32_t first, uint32_t count, double *figures)
{
    if (column.at && column.width == sizeof *figures)
        memcpy(figures, (const double *)column.at + first, count * sizeof *figures);
    else
        for (uint32_t i = 0; i < count; i++)
            figures[i] = column.at ? rows_packed(&column, first + i) : usual;
}

/* Adds rows first to first + count - 1 of a chunk, for which there is room. */
static void append_part(struct rows *rows, const struct rows *from, size_t chunk, uint32_t first, uint32_t count,
                        const uint32_t *group)
{
    make_room(rows, count);
    for (uint32_t column = 0; column < rows->values + WEIGHTS; column++) {
        const struct rows_column source = rows_column_of(from, chunk, column);
        if (source.at || rows->open[column])
            unpack(source, rows_usual(rows, column), first, count, open_column(rows, column) + open_count(rows));
    }
    double *const ids = open_column(rows, rows->values + WEIGHTS) + open_count(rows);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = group[rows_group(from, (uint32_t)chunk * ROWS_CHUNK + first + i)];
    rows->count += count;
    close_if_full(rows);
}

void rows_append(struct rows *rows, const struct rows *from, const uint32_t *group)
{
    for (uint32_t done = 0, part; done < from->count; done += part) {
        const uint32_t first = done % ROWS_CHUNK, room = ROWS_CHUNK - open_count(rows);
        part = ROWS_CHUNK - first < from->count - done ? ROWS_CHUNK - first : from->count - done;
        part = part < room ? part : room;
        append_part(rows, from, done / ROWS_CHUNK, first, part, group);
    }
}

/* ---- taking ---- */

/* Of rows that lie in one chunk. */
static void take_of_chunk(const struct rows_column *column, double usual, const uint32_t *row, uint32_t count,
                          double *figures)
{
    if (!column->at)
        for (uint32_t i = 0; i < count; i++)
            figures[i] = usual;
    else if (column->width == sizeof *figures)
        for (uint32_t i = 0; i < count; i++)
            figures[i] = ((const double *)column->at)[row[i] % ROWS_CHUNK];
    else
        for (uint32_t i = 0; i < count; i++)
            figures[i] = rows_packed(column, row[i] % ROWS_CHUNK);
}

/* How many of the rows, the first at least, lie in the chunk of the first. */
static uint32_t same_chunk(const uint32_t *row, uint32_t first, uint32_t count)
{
    const uint32_t behind = ((row ? row[0] : first) / ROWS_CHUNK + 1) * ROWS_CHUNK;
    if (!row)
        return behind - first < count ? behind - first : count;
    uint32_t same = row[count - 1] < behind ? count : 1;
    while (same < count && row[same] < behind)
        same++;
    return same;
}

void rows_take(const struct rows *rows, const uint32_t *row, uint32_t first, uint32_t count, uint32_t column,
               double *figures)
{
    const double usual = rows_usual(rows, column);
    for (uint32_t done = 0, part; done < count; done += part) {
        const uint32_t *const from = row ? row + done : NULL;
        const uint32_t at = from ? *from : first + done;
        const struct rows_column of = rows_column_of(rows, at / ROWS_CHUNK, column);
        part = same_chunk(from, at, count - done);
        if (from)
            take_of_chunk(&of, usual, from, part, figures + done);
        else
            unpack(of, usual, at % ROWS_CHUNK, part, figures + done);
    }
}
