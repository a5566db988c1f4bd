/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each number of `steptime breakdown` means: one row a column of a table.
 * The tables are drawn from these rows, --explain prints them, and a test holds
 * doc/numbers/breakdown.md to them, so the three cannot drift apart.
 */
#ifndef BREAKDOWN_DEFINITIONS_H
#define BREAKDOWN_DEFINITIONS_H

#include "breakdown/parts/ledger.h"
#include "report/report.h"

struct definition {
    const char *table, *column; /* its id is "table.column" */
    const char *title;
    enum unit unit;
    unsigned flags;        /* enum column_flag */
    int account, accounts; /* the accounts it is made of, from `account` on; 0 accounts: made of other numbers */
    const char *formula;
};

/* All of them, table by table in the order of the columns; in the arena. */
const struct definition *definitions_all(struct arena *arena, uint32_t *count);

str definition_id(const struct definition *definition, struct arena *arena); /* "ranks.busy_ns" */

/* Whether the number is computed from the one with this id, which has accounts: a share from its two sums. */
bool definition_made_of(const struct definition *definition, str id);

/*
 * Whether a word of --explain means this number: its id, its column, or its
 * column without the unit ("ranks.busy_ns", "busy_ns", "busy").
 */
bool definition_matches(const struct definition *definition, str word);

/* Adds a table with the columns defined for it. Of the parts of `steps` a terminal has only those in shown[PARTS] (NULL: all). */
struct table *definitions_table(struct report *report, struct section *section, const char *id, const char *title,
                                const bool *shown);

#endif
