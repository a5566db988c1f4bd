/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers for people: 12345678 ns as "12.35" of "ms". One measure serves a whole
 * column, chosen by its largest value, so that numbers under one another compare
 * by eye.
 */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "report.h"

struct measure {
    double per; /* units of the value in one of the measure */
    str word;   /* "ms", "GiB", "%"; "" for plain numbers */
    int decimals;
    bool grouped; /* 1,234,567 */
};

/* For numbers up to `largest` in magnitude, with about four significant digits there. `whole`: they are all integers. */
struct measure measure_for(enum unit unit, double largest, bool whole);

/* The number without its word. What is not 0 never reads as 0: "<0.01". */
str measure_text(struct arena *arena, const struct measure *measure, double value);

/* A single value with its word: "12.35 ms". */
str measure_whole_text(struct arena *arena, enum unit unit, double value, bool whole);

#endif
