/* SPDX-License-Identifier: Apache-2.0 */
/* Items in the order of columns, and those of one value. Sorts take time that grows with the items alone. */
#ifndef SQL_ORDER_H
#define SQL_ORDER_H

#include "table.h"

/* Writes the items (NULL: 0 .. count-1) to `sorted`, ascending by the columns, the first the coarsest; nulls come first. */
void order_items(struct sql_part *part, const struct sql_column *const *columns, uint32_t column_count,
                 const uint32_t *items, uint32_t count, uint32_t *sorted);

/* The items by the values of one column. */
struct sql_index {
    const uint32_t *items;
    const int64_t *numbers; /* of the items, as numbers_ordered tells them; ascending */
    uint32_t count;
    const uint32_t *begins; /* by number from the least known on, where they lie close; else NULL */
    int64_t least;          /* that is known */
    uint64_t width;
};

/* False: there is no room for it, or its nulls cannot be told from numbers. */
bool index_make(struct sql_part *part, const struct sql_column *column, const uint32_t *items, uint32_t count,
                struct sql_index *index);

/* The places [*from, *to) of index->items that have the number. */
void index_find(const struct sql_index *index, int64_t number, uint32_t *from, uint32_t *to);

#endif
