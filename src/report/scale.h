/* SPDX-License-Identifier: Apache-2.0 */
/* How the cells of a column read: one measure for all, so that they compare by eye, or one each where sizes differ widely. */
#ifndef REPORT_SCALE_H
#define REPORT_SCALE_H

#include "document.h"
#include "measure.h"
#include "rows.h"

struct scale {
    enum unit unit;
    bool number;    /* holds numbers, which stand at the right */
    bool words;     /* ids as people read them */
    bool own_units; /* every cell has its own: sizes from bytes to megabytes say nothing in one */
    struct measure measure;
    double largest;  /* magnitude */
    double smallest; /* of those that are not 0 */
};

struct scale scale_of(const struct rows *rows, uint32_t column);

/* The cell of a line; of the folded ones a sum, or nothing. */
str scale_line(struct arena *arena, const struct scale *scale, const struct rows *rows, uint32_t line, uint32_t column);

/* The cell: a text as recorded, a number measured ("12.3", "4.5%"); where there is none "-" among numbers, nothing among texts. */
str scale_text(struct arena *arena, const struct scale *scale, struct cell cell);

/* The title with the measure's word: "total (ms)". */
str scale_heading(struct arena *arena, const struct scale *scale, str title);

/* A column with nothing in it only takes room, where its table does not ask for all. */
bool scale_is_empty(const struct rows *rows, uint32_t column);

#endif
