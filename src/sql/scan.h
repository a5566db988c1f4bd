/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over a table: the traces in their order, of each the items that may fit. A filter is there to leave out what
 * cannot fit; SQLite looks at what remains itself, so a filter may let through too much, and never too little.
 */
#ifndef SQL_SCAN_H
#define SQL_SCAN_H

#include "lists.h"

struct sql_filter {
    const struct sql_column *column;
    char op; /* '=', '<', '>', 'l', 'g' for <= and >=, 'k', 'b' for LIKE and GLOB */
    struct cell value;
    struct sql_pattern *pattern; /* of LIKE and GLOB */
};

enum { PATTERN_KNOWN = 1024 };

/* A pattern, and for some texts, by their numbers, whether they fit: most events have one of few names. */
struct sql_pattern {
    const char *text;
    bool (*fits)(const char *pattern, const char *text);
    uint32_t part;                 /* whose texts are known */
    uint64_t known[PATTERN_KNOWN]; /* twice the number, and 1 or 2 more; 0: none */
};

struct sql_scan {
    const struct sql_table *table;
    struct sql_part *parts;
    struct sql_list *lists; /* of this table, a part each */
    uint32_t part_count;

    struct sql_filter filters[SQL_MOST_COLUMNS];
    uint32_t filter_count;
    struct sql_order order; /* that is wanted */
    bool by_start;          /* so is the order of time */
    bool in_time;           /* times are asked for */

    uint32_t part, at, end; /* of the list that is open */
    struct sql_list list;
    struct arena *texts; /* of the filters, and orders that nobody keeps */
    bool over;
};

void scan_begin(struct sql_scan *scan);
void scan_next(struct sql_scan *scan);

static inline uint32_t scan_item(const struct sql_scan *scan)
{
    return list_at(&scan->list, scan->at);
}

/* The column's value of the item where the scan stands. */
static inline struct cell scan_cell(const struct sql_scan *scan, const struct sql_column *column)
{
    struct sql_part *part = &scan->parts[scan->part];
    return scan->list.lined ? lined_cell(scan->list.lined, part, column, scan->at)
                            : column->get(part, column, scan_item(scan));
}

/* The same as a number, of columns that have them. */
int64_t scan_number(const struct sql_scan *scan, const struct sql_column *column);

#endif
