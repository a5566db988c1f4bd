/* SPDX-License-Identifier: Apache-2.0 */
/* Tables with some rows for each of many ranks, one rank behind the other. */
#ifndef CLI_PATH_ROWS_H
#define CLI_PATH_ROWS_H

#include "breakdown/path/critical_path.h"
#include "report/report.h"

struct path_rows {
    const struct critical_path *const *paths;
    uint32_t count;
    uint32_t *until; /* by path: where its rows end */
};

/* Of no rows yet: the caller fills `until`. */
struct path_rows path_rows_of(const struct critical_path *const *paths, uint32_t count, struct arena *arena);

/* Which path the row is of, and the how many-th of its rows from 0. */
uint32_t path_rows_at(const struct path_rows *rows, uint32_t row, uint32_t *within);

static inline uint32_t path_rows_all(const struct path_rows *rows)
{
    return rows->count ? rows->until[rows->count - 1] : 0;
}

/* The column "rank", which is no news where there is one rank. */
void path_rank_column(struct table *table, uint32_t ranks);

#endif
