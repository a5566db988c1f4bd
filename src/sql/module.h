/* SPDX-License-Identifier: Apache-2.0 */
/* The tables as virtual tables of SQLite. */
#ifndef SQL_MODULE_H
#define SQL_MODULE_H

#ifdef HAVE_SQLITE
#include "library.h"

#include "scan.h"

enum { SQL_MOST_ORDERS = 64 };

/* What all tables of a query work on. */
struct sql_world {
    struct sql_part *parts;
    uint32_t part_count;
    bool ranks_ascend; /* strictly */
    struct arena arena, scratch;
    struct sql_list *lists; /* a row of parts for each table */
    struct sql_order promised[SQL_MOST_ORDERS];
    uint32_t promised_count;
};

struct sql_vtab {
    sqlite3_vtab base;
    struct sql_world *of;
    const struct sql_table *table;
    struct sql_list *lists;
    uint64_t rows; /* at most */
};

void world_open(struct sql_world *world, const struct sql_asked *asked);
void world_close(struct sql_world *world);

/* Puts all tables into the database. False: SQLite's own words say why. */
bool module_add(sqlite3 *db, struct sql_world *world);

#endif
#endif
