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
    char op; /* '=', '<', '>', and 'l', 'g' for <= and >= */
    struct cell value;
};

struct sql_scan {
    const struct sql_table *table;
    struct sql_part *parts;
    struct sql_list *lists; /* of this table, a part each */
    uint32_t part_count;

    struct sql_filter filters[SQL_MOST_COLUMNS];
    uint32_t filter_count;
    enum sql_role groups[SQL_MOST_COLUMNS]; /* the order that is wanted */
    uint32_t group_count;
    bool by_start;

    uint32_t part, at, end; /* of the list that is open */
    struct sql_list list;
    struct arena *texts; /* of the filters */
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

#endif
