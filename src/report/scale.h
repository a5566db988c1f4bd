/* SPDX-License-Identifier: Apache-2.0 */
/* How the cells of a column read: one measure for all, so that they compare by eye, or one each where sizes differ widely. */
#ifndef REPORT_SCALE_H
#define REPORT_SCALE_H

#include "document.h"
#include "measure.h"

struct scale {
    enum unit unit;
    bool number;    /* holds numbers, which stand at the right */
    bool own_units; /* every cell has its own: sizes from bytes to megabytes say nothing in one */
    struct measure measure;
    double largest;  /* magnitude */
    double smallest; /* of those that are not 0 */
};

/* Of the first `rows` rows. */
struct scale scale_of(const struct table *table, uint32_t column, uint32_t rows);

/* The cell: a text as recorded, a number measured ("12.3", "4.5%"), "-" where there is none. */
str scale_text(struct arena *arena, const struct scale *scale, struct cell cell);

/* The title with the measure's word: "total (ms)". */
str scale_heading(struct arena *arena, const struct scale *scale, str title);

/* A column with nothing in it only takes room, where its table does not ask for all. */
bool scale_is_empty(const struct table *table, uint32_t column, uint32_t rows);

/* How many rows people see at first, of at most so many (0: all were asked for). */
uint32_t scale_rows(const struct table *table, uint32_t limit);

/* " (each below 0.1 % of the step)": what the rows behind these are; "". In the arena. */
str scale_rest(struct arena *arena, const struct table *table, uint32_t rows);

#endif
