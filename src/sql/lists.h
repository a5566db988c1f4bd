/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items of each table in each trace, found when a query first asks for them. A list is in the order of the file until
 * somebody wants it by time.
 */
#ifndef SQL_LISTS_H
#define SQL_LISTS_H

#include "lined.h"
#include "order.h"

struct sql_grouping;

/* Columns by which items are sorted, the first the coarsest. */
struct sql_order {
    const struct sql_column *columns[SQL_MOST_COLUMNS];
    uint32_t count;
};

/* An index is made once a column was asked for often enough: one pass over all items takes less. */
struct sql_indexed {
    uint32_t asked;
    bool is_there;
    struct sql_index index;
};

struct sql_list {
    bool made, by_start;
    const uint32_t *items; /* NULL: 0 .. count-1 */
    uint32_t count;
    struct sql_grouping *groupings; /* that were asked for so far */
    struct sql_lined *lined;        /* of a grouping: its values; else NULL */
    struct sql_indexed *indexes;    /* by column; NULL: none was asked for */
};

static inline uint32_t list_at(const struct sql_list *list, uint32_t i)
{
    return list->items ? list->items[i] : i;
}

bool list_holds(const struct sql_table *table, const struct sql_part *part, uint32_t item);

/* `by_start`: of a table of events alone. */
struct sql_list *list_of(struct sql_list *list, const struct sql_table *table, struct sql_part *part, bool by_start);

/* The first place of a list by time whose event starts at the time or later. */
uint32_t list_from(const struct sql_list *list, const struct trace *trace, int64_t start_ns);

/*
 * The same items in that order. They are sorted once for each order, of which a query has few: a correlated subquery asks for
 * the same one at every row around it.
 */
struct sql_list list_grouped(struct sql_list *list, const struct sql_table *table, struct sql_part *part,
                             const struct sql_order *order);

/* Those of some places alone, which nobody keeps. */
struct sql_list list_sorted(const struct sql_list *list, struct sql_part *part, const struct sql_order *order,
                            uint32_t from, uint32_t to, struct arena *arena);

/* The items by the column; NULL: a pass is less work yet, or there is no room for it. */
const struct sql_index *list_index(struct sql_list *list, const struct sql_table *table, struct sql_part *part,
                                   uint32_t column);

#endif
