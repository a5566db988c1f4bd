/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a small population, in chunks of columns: values, then weights. A
 * column of which a chunk has nothing but the usual (no value; a weight of 1)
 * takes no room in it.
 */
#ifndef FLEET_POPULATION_ROWS_H
#define FLEET_POPULATION_ROWS_H

#include <math.h>

#include "population.h"

enum { ROWS_CHUNK = 2048 };

struct rows_chunk {
    uint32_t count;
    uint32_t group[ROWS_CHUNK];
    double *column[]; /* values + WEIGHTS; NULL: the usual */
};

struct rows {
    struct rows_chunk **chunks; /* all but the last are full */
    size_t chunk_count, room;
    uint32_t values, count;
};

void rows_free(struct rows *rows);
void rows_add(struct rows *rows, uint32_t group, const double weight[WEIGHTS], const double *values);

/* Adds all rows of another; their groups are group[old]. */
void rows_append(struct rows *rows, const struct rows *from, const uint32_t *group);

/* Column values + i is weight i. */
static inline double rows_figure(const struct rows *rows, uint32_t row, uint32_t column)
{
    const double *const figures = rows->chunks[row / ROWS_CHUNK]->column[column];
    return figures ? figures[row % ROWS_CHUNK] : column < rows->values ? NAN : 1;
}

static inline uint32_t rows_group(const struct rows *rows, uint32_t row)
{
    return rows->chunks[row / ROWS_CHUNK]->group[row % ROWS_CHUNK];
}

static inline void rows_weights(const struct rows *rows, uint32_t row, double weight[WEIGHTS])
{
    for (uint32_t by = 0; by < WEIGHTS; by++)
        weight[by] = rows_figure(rows, row, rows->values + by);
}

#endif
