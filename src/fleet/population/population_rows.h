/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a small population, in chunks of columns: values, weights, group. The last chunk is open: its columns are
 * doubles. One that is full is packed: a column of whole numbers takes one or two bytes a row, one of floats four, and
 * one that has nothing but the usual (no value; a weight of 1; the first group) none. Nothing is lost by that.
 */
#ifndef FLEET_POPULATION_ROWS_H
#define FLEET_POPULATION_ROWS_H

#include <math.h>

#include "population.h"

enum { ROWS_CHUNK = 8192 };

struct rows_column {
    const void *at; /* NULL: the usual */
    size_t width;   /* bytes of a figure */
};

struct rows {
    uint32_t values, count;
    struct rows_column **chunks; /* full ones: their columns */
    size_t chunk_count, room;
    double **open;      /* columns of the last; NULL: the usual so far */
    uint32_t open_room; /* rows that they have room for */
};

void rows_free(struct rows *rows);
void rows_add(struct rows *rows, uint32_t group, const double weight[WEIGHTS], const double *values);

/* Adds all rows of another; their groups are group[old]. */
void rows_append(struct rows *rows, const struct rows *from, const uint32_t *group);

/* Columns: the values, the weights, and the group. */
static inline uint32_t rows_columns(const struct rows *rows)
{
    return rows->values + WEIGHTS + 1;
}

static inline double rows_usual(const struct rows *rows, uint32_t column)
{
    return column < rows->values ? NAN : column < rows->values + WEIGHTS ? 1 : 0;
}

static inline double rows_packed(const struct rows_column *column, uint32_t at)
{
    switch (column->width) {
    case sizeof(uint8_t):
        return ((const uint8_t *)column->at)[at];
    case sizeof(uint16_t):
        return ((const uint16_t *)column->at)[at];
    case sizeof(float):
        return (double)((const float *)column->at)[at];
    default:
        return ((const double *)column->at)[at];
    }
}

static inline struct rows_column rows_column_of(const struct rows *rows, size_t chunk, uint32_t column)
{
    return chunk < rows->chunk_count ? rows->chunks[chunk][column]
                                     : (struct rows_column){rows->open[column], sizeof(double)};
}

static inline double rows_figure(const struct rows *rows, uint32_t row, uint32_t column)
{
    const struct rows_column of = rows_column_of(rows, row / ROWS_CHUNK, column);
    return of.at ? rows_packed(&of, row % ROWS_CHUNK) : rows_usual(rows, column);
}

/* A column of so many rows, ascending; rows NULL: from `first` on. */
void rows_take(const struct rows *rows, const uint32_t *row, uint32_t first, uint32_t count, uint32_t column,
               double *figures);

static inline uint32_t rows_group(const struct rows *rows, uint32_t row)
{
    return (uint32_t)rows_figure(rows, row, rows->values + WEIGHTS);
}

static inline void rows_weights(const struct rows *rows, uint32_t row, double weight[WEIGHTS])
{
    for (uint32_t by = 0; by < WEIGHTS; by++)
        weight[by] = rows_figure(rows, row, rows->values + by);
}

#endif
