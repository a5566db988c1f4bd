/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --explain of any report: what its columns mean, and the numbers in them. Columns carry their definitions, so a
 * report can be asked itself.
 */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "report.h"

/*
 * Puts into `into` the definitions of the columns of `whole` that the word means, and their numbers, a row each. The
 * word is "list" (all definitions, no numbers), "table.column", a column, or a column without its unit ("busy" for
 * "busy_ns"), or FILE:LINE, which shows the findings there with their proof, or says that none is there. Where no column
 * goes by it, it may be a table, or a section with all of its tables: these are shown whole. False where nothing goes
 * by it. `into` may be asked for several words, one after the other.
 */
bool report_explain(const struct report *whole, str word, struct report *into);

/* "train.py:12" taken apart; false: the word is no place. */
bool explain_place(str word, str *file, int64_t *line);
/* Whether a file of that path is meant: its end is enough. */
bool explain_is_file(str path, str file);

/* Whether the word is a line of a file that is not among those that were read. */
bool explain_misses(const struct report *whole, str word);

/* Whether a word means a column of a table. */
bool explain_means(str table, str column, str word);

/* Adds the numbers of a column to a table of: number, of (what the row is called), value, unit. */
void explain_values(const struct table *from, uint32_t column, str number, struct table *to);

#endif
