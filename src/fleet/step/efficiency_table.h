/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a line's rate, measured by size of a message and number of servers. */
#ifndef FLEET_EFFICIENCY_TABLE_H
#define FLEET_EFFICIENCY_TABLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "steptime/error.h"

/*
 * Rows of sizes, columns of numbers of servers, in rising order, all cells known: where a table has none, the nearest of
 * its row. Kept as logarithms, so that a look-up is between four of them.
 */
enum { EFFICIENCY_SIZES = 64, EFFICIENCY_SERVERS = 32 };
struct efficiency_table {
    int sizes, counts;
    double log_size[EFFICIENCY_SIZES], log_servers[EFFICIENCY_SERVERS];
    double share[EFFICIENCY_SIZES][EFFICIENCY_SERVERS];
};

/* False with *err, naming the file and the line. */
bool efficiency_table_read(const char *path, struct arena *arena, const struct efficiency_table **table,
                           struct steptime_error *err);

/*
 * Between the sizes and numbers of the table by straight lines in their logarithms; beyond the largest as at the largest.
 * Messages below the least continue the fall of the two least in the logarithm of the share.
 */
double efficiency_table_at(const struct efficiency_table *table, double message_bytes, double servers);

#endif
