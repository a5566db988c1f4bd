/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column's values as numbers: of texts that a trace has once their ids, of others themselves. What orders, finds and lays
 * out values works on arrays of them, and looks at each event in a plain loop.
 */
#ifndef SQL_NUMBERS_H
#define SQL_NUMBERS_H

#include "table.h"

#define NUMBER_NONE INT64_MIN /* stands for null */

/* Whether the column has numbers: all but ratios and texts that are made when they are read. */
bool numbers_can(const struct sql_column *column);

/* Of the items, NULL: of 0 .. count-1. False: the trace records NUMBER_NONE itself, which looks like a null. */
bool numbers_of(struct sql_part *part, const struct sql_column *column, const uint32_t *items, uint32_t count,
                int64_t *numbers);

/* The value again. */
struct cell numbers_cell(const struct sql_part *part, const struct sql_column *column, int64_t number);

/* The same with the order of the values: texts are told by their places among all texts. */
bool numbers_ordered(struct sql_part *part, const struct sql_column *column, const uint32_t *items, uint32_t count,
                     int64_t *numbers);

/* What numbers_ordered tells for events with the value; false: none has it. The value is a number or a text as the column's are. */
bool numbers_find(struct sql_part *part, const struct sql_column *column, const struct cell *value, int64_t *number);

#endif
