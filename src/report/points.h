/* SPDX-License-Identifier: Apache-2.0 */
/* What a figure draws: a label and a number a row of its table. Rows without a number are left out. */
#ifndef REPORT_POINTS_H
#define REPORT_POINTS_H

#include "document.h"

struct points {
    str *labels;       /* as recorded: the renderer makes them fit for where they go */
    double *positions; /* the numbers of x; meaningless unless `placed` */
    double *numbers;
    uint32_t *rows;
    uint32_t count;
    bool placed;                /* every x is a number */
    double sum, least, largest; /* of the numbers; least: 0 or below, largest: 0 or above */
    enum unit unit, x_unit;
    bool whole, x_whole; /* all of them are integers */
};

struct points points_of(struct arena *arena, const struct table *table, uint32_t x, uint32_t y);

/* Sorts the numbers alone, ascending: labels and rows no longer belong to them. */
void points_sort(struct points *points);

#endif
