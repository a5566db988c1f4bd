/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#ifdef HAVE_SQLITE
#include "base/clock.h"
#include "base/str.h"

static int allow(void *context, int action, const char *first, const char *second, const char *database,
                 const char *trigger)
{
    static const char harmful[] = "load_extension fts3_tokenizer";
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return second && str_is_among(harmful, str_of(second)) ? SQLITE_DENY : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

enum { STEPS_BETWEEN = 20000 }; /* of SQLite's machine: about a millisecond */

static int look(void *context)
{
    struct guard *guard = context;
    if (clock_ns() > guard->ends_ns)
        guard->ended_for = "it takes longer than --most-seconds";
    else if (sqlite3_memory_used() - guard->memory > SQL_MOST_MEMORY)
        guard->ended_for = "what it sorts or groups takes more than 1 GiB";
    return guard->ended_for != NULL;
}

static void set_limits(sqlite3 *db)
{
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_LONGEST_QUERY);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, SQL_LONGEST_VALUE);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 100);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, SQL_LONGEST_PATTERN);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
}

bool guard_set(sqlite3 *db, struct guard *guard, int64_t most_seconds)
{
    const int64_t now = clock_ns(), second = INT64_C(1000000000);
    *guard = (struct guard){most_seconds > 0 ? now + most_seconds * second : INT64_MAX, sqlite3_memory_used(), NULL};
    set_limits(db);
    if (sqlite3_exec(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = ON", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL) != SQLITE_OK ||
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK)
        return false;
    sqlite3_progress_handler(db, STEPS_BETWEEN, look, guard);
    return sqlite3_set_authorizer(db, allow, NULL) == SQLITE_OK;
}
#endif
