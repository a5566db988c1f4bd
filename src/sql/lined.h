/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of columns in the order of a grouping. Rows that lie together in it lie far apart in the trace: SQLite takes them one
 * by one, and waits for memory at each. Once a column has been read often enough in one order, its values are laid out in
 * that order in one go, in which such waits overlap, and each later reading finds the next value beside the last one.
 */
#ifndef SQL_LINED_H
#define SQL_LINED_H

#include "numbers.h"

struct sql_lined {
    const struct sql_table *table;
    const uint32_t *items; /* in that order */
    uint32_t count;
    struct {
        const int64_t *values; /* NULL: read where they lie */
        uint32_t reads;
    } columns[SQL_MOST_COLUMNS];
};

/* Whether most of those items lie so far from the one before that laying out gains time. */
bool lined_is_worth_it(const uint32_t *items, uint32_t count);

/* Counts a reading of the column of that index, and lays it out once it was read often enough. */
void lined_count(struct sql_lined *lined, struct sql_part *part, uint32_t column);

/* The numbers of the column of that index, where they are laid out; else NULL. */
static inline const int64_t *lined_numbers(struct sql_lined *lined, struct sql_part *part, uint32_t column)
{
    if (!lined->columns[column].values)
        lined_count(lined, part, column);
    return lined->columns[column].values;
}

/* The column's value of items[at]. */
struct cell lined_cell(struct sql_lined *lined, struct sql_part *part, const struct sql_column *column, uint32_t at);

#endif
