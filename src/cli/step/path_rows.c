/* SPDX-License-Identifier: Apache-2.0 */
#include "path_rows.h"

#include "base/search.h"

struct path_rows path_rows_of(const struct critical_path *const *paths, uint32_t count, struct arena *arena)
{
    return (struct path_rows){paths, count, arena_array(arena, count, sizeof(uint32_t))};
}

/* The first whose rows end behind it. */
uint32_t path_rows_at(const struct path_rows *rows, uint32_t row, uint32_t *within)
{
    const uint32_t at = (uint32_t)search_from(rows->until, rows->count - 1, sizeof *rows->until, 0, row + 1);
    *within = row - (at ? rows->until[at - 1] : 0);
    return at;
}

void path_rank_column(struct table *table, uint32_t ranks)
{
    table_column(table, (struct column_spec){"rank", "rank", UNIT_NONE, ranks > 1 ? COLUMN_PLAIN : COLUMN_DETAIL,
                                             "as recorded, else from the file's name, else by order"});
}
