/* SPDX-License-Identifier: Apache-2.0 */
/* How SQLite and a table agree on a pass: what the table will filter and in which order it will give its rows. */
#ifndef SQL_PLAN_H
#define SQL_PLAN_H

#ifdef HAVE_SQLITE
#include "library.h"

#include "module.h"

/* sqlite3_module.xBestIndex. The plan is a text: "=2" for a filter on column 2, "o3" for a row order by column 3. */
int plan_best(sqlite3_vtab *base, sqlite3_index_info *info);

/* Sets the filters and the order of a scan by that text. */
void plan_apply(const char *plan, int count, sqlite3_value **values, struct sql_scan *scan);

#endif
#endif
