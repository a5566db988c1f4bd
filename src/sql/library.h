/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite, opened when the first query asks for it. Linked to the program it would cost every start of it more than what
 * `steptime help` does in all (1.4 million instructions and 0.7 MB). It is called through the table of routines that SQLite
 * hands to its extensions (sqlite3ext.h), which has all of them.
 */
#ifndef SQL_LIBRARY_H
#define SQL_LIBRARY_H

#include "base/error.h"

#ifdef HAVE_SQLITE
#include <sqlite3ext.h>
#include <stdbool.h>

SQLITE_EXTENSION_INIT3

/* Before any other call of SQLite. False: it is not here, or older than what is asked. */
bool sql_library_open(struct steptime_error *err);

#endif
#endif
