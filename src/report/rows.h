/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a table that people see. Of a table whose rows are parts of a whole, those below 0.1 % of it are one, which
 * holds their sum: "37 others below 0.1 %". Never one that a finding or a sentence of the report names, never one alone,
 * and none where all are so small.
 */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "document.h"

struct rows {
    const struct table *table;
    const uint32_t *at; /* which; NULL: the first `count` */
    uint32_t count;     /* shown one by one */
    uint32_t folded;    /* that are one, behind them; 0: there is none */
    uint32_t hidden;    /* shown in no way */
    struct cell *fold;  /* of the folded: "37 others below 0.1 %" in the first column of texts, sums, else null; NULL */
};

/* At most so many one by one; 0: all rows were asked for. Small ones are folded where no others are hidden. */
struct rows rows_seen(const struct table *table, uint32_t limit, struct arena *arena);

/* The first so many, none folded. */
struct rows rows_first(const struct table *table, uint32_t count);

uint32_t rows_lines(const struct rows *rows);                /* with that of the folded */
uint32_t rows_index(const struct rows *rows, uint32_t line); /* in the table, of a line below `count` */
struct cell rows_cell(const struct rows *rows, uint32_t line, uint32_t column); /* of any line */
bool rows_is_fold(const struct rows *rows, uint32_t line);

/* What is said below the table: "12 more rows; --rows 0 shows all"; "" where nothing is. */
str rows_note(const struct rows *rows, struct arena *arena);

#endif
