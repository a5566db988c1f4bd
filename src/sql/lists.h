/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items of each table in each trace, found when a query first asks for them. A list is in the order of the file until
 * somebody wants it by time.
 */
#ifndef SQL_LISTS_H
#define SQL_LISTS_H

#include "lined.h"

struct sql_grouping;

struct sql_list {
    bool made, by_start;
    const uint32_t *items; /* NULL: 0 .. count-1 */
    uint32_t count;
    struct sql_grouping *groupings; /* that were asked for so far */
    struct sql_lined *lined;        /* of a grouping: its values; else NULL */
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
 * The same items so that equal codes of all those roles lie together, and ascend; the first role is the coarsest. They are sorted
 * once for each order of roles, of which there are few: a correlated subquery asks for the same one at every row around it.
 */
struct sql_list list_grouped(struct sql_list *list, const struct sql_table *table, struct sql_part *part,
                             const enum sql_role *roles, uint32_t count);

/* Whether grouping by the role gives the order of its values. Numbers of steps that do not ascend, do not. */
bool list_can_group(const struct sql_part *part, enum sql_role role);

#endif
