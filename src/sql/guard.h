/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query reads, and nothing else, whoever wrote it: no statement but SELECT is allowed, no other database, no PRAGMA, no
 * function that loads code; nothing goes to a file, not even what is sorted. It ends where it takes too long or too much
 * memory.
 */
#ifndef SQL_GUARD_H
#define SQL_GUARD_H

#ifdef HAVE_SQLITE
#include "library.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    SQL_LONGEST_QUERY = 1 << 20,  /* bytes */
    SQL_LONGEST_VALUE = 64 << 20, /* bytes of a text that a query makes */
    SQL_LONGEST_PATTERN = 1000,   /* bytes of one of LIKE and GLOB */
    SQL_MOST_MEMORY = 1 << 30,    /* bytes of SQLite's own: what is sorted and grouped */
};

struct guard {
    int64_t ends_ns;       /* by the clock; INT64_MAX: never */
    int64_t memory;        /* that was in use before */
    const char *ended_for; /* NULL: it was not ended */
};

/* False: SQLite's own words say why. From then on the database does nothing but reading. */
bool guard_set(sqlite3 *db, struct guard *guard, int64_t most_seconds);

#endif
#endif
