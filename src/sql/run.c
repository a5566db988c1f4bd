/* SPDX-License-Identifier: Apache-2.0 */
/* A query from its text to its rows. */
#include "sql.h"

#include "base/error.h"

#ifdef HAVE_SQLITE
#include "base/clock.h"
#include "guard.h"
#include "module.h"
#include "unknown.h"

enum { MOST_TEXT = 256 << 20 }; /* bytes of texts in an answer */

bool sql_is_built_in(void)
{
    return true;
}

struct running {
    const struct sql_asked *asked;
    sqlite3 *db;
    struct sql_world world;
    struct guard guard;
    struct arena *arena;
    struct sql_answer *answer;
    size_t text_bytes;
    struct steptime_error *err;
};

static bool fail_by_sqlite(const struct running *run)
{
    const int code = run->db ? sqlite3_errcode(run->db) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM ||
        code == SQLITE_OK) /* what fails and tells the database nothing, fails for memory alone */
        return fail(run->err, STEPTIME_MEMORY, "out of memory");
    if (run->guard.ended_for)
        return fail(run->err, STEPTIME_INPUT, "the query was ended: %s", run->guard.ended_for);
    if (run->db && sqlite3_errcode(run->db) == SQLITE_AUTH)
        return fail(run->err, STEPTIME_USAGE, "a query only reads: SELECT, WITH ... SELECT or VALUES (%s)",
                    sqlite3_errmsg(run->db));
    const str told = str_of(sqlite3_errmsg(run->db)), hint = unknown_hint(told, run->asked->query, run->arena);
    return fail(run->err, STEPTIME_USAGE, "SQL: %.*s%.*s", (int)told.len, told.at, (int)hint.len, hint.at);
}

/* ---- cells ---- */

static struct cell blob_cell(struct running *run, const unsigned char *bytes, int count)
{
    enum { SHOWN = 64 };
    str text = S("x'");
    for (int i = 0; i < count && i < SHOWN; i++)
        text = str_printf(run->arena, "%.*s%02x", (int)text.len, text.at, bytes[i]);
    return cell_text(str_printf(run->arena, "%.*s%s'", (int)text.len, text.at, count > SHOWN ? "..." : ""));
}

static struct cell cell_at(struct running *run, sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return cell_int(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return cell_real(sqlite3_column_double(statement, column));
    case SQLITE_TEXT: {
        const str text = {(const char *)sqlite3_column_text(statement, column),
                          (size_t)sqlite3_column_bytes(statement, column)};
        run->text_bytes += text.len;
        return cell_text(str_copy(run->arena, text));
    }
    case SQLITE_BLOB:
        return blob_cell(run, sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column));
    default:
        return cell_null();
    }
}

static void add_row(struct running *run, sqlite3_stmt *statement)
{
    struct sql_answer *answer = run->answer;
    struct cell *row = arena_array(run->arena, answer->columns, sizeof *row);
    for (uint32_t i = 0; i < answer->columns; i++)
        row[i] = cell_at(run, statement, (int)i);
    answer->rows = arena_one_more(run->arena, answer->rows, answer->count, sizeof *answer->rows);
    answer->rows[answer->count++] = row;
}

/* ---- running ---- */

static void name_columns(struct running *run, sqlite3_stmt *statement)
{
    struct sql_answer *answer = run->answer;
    answer->columns = (uint32_t)sqlite3_column_count(statement);
    answer->names = arena_array(run->arena, answer->columns, sizeof *answer->names);
    for (uint32_t i = 0; i < answer->columns; i++)
        answer->names[i] = str_copy(run->arena, str_of(sqlite3_column_name(statement, (int)i)));
}

static bool take_rows(struct running *run, sqlite3_stmt *statement)
{
    int code;
    name_columns(run, statement);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (run->answer->count >= run->asked->most_rows || run->text_bytes > MOST_TEXT) {
            run->answer->cut = true;
            return true;
        }
        add_row(run, statement);
        if (sqlite3_errcode(run->db) == SQLITE_NOMEM) /* a text that could not be had */
            return fail_by_sqlite(run);
    }
    return code == SQLITE_DONE || fail_by_sqlite(run);
}

/* Blanks and comments are left of a text that ended well. */
static bool ends_there(struct running *run, const char *rest)
{
    sqlite3_stmt *more = NULL;
    while (*rest) {
        if (sqlite3_prepare_v2(run->db, rest, -1, &more, &rest) != SQLITE_OK || more) {
            sqlite3_finalize(more);
            return fail(run->err, STEPTIME_USAGE, "a query is one statement; behind it stands more");
        }
    }
    return true;
}

static bool run_query(struct running *run)
{
    const char *rest, *query = str_z(run->arena, run->asked->query);
    sqlite3_stmt *statement = NULL;
    if (run->asked->query.len > SQL_LONGEST_QUERY)
        return fail(run->err, STEPTIME_USAGE, "the query is longer than %d bytes", SQL_LONGEST_QUERY);
    if (sqlite3_prepare_v2(run->db, query, -1, &statement, &rest) != SQLITE_OK)
        return fail_by_sqlite(run);
    const bool good = !statement ? fail(run->err, STEPTIME_USAGE, "the query is empty")
                                 : ends_there(run, rest) && take_rows(run, statement);
    sqlite3_finalize(statement);
    return good;
}

static bool open_database(struct running *run, int64_t most_seconds)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    return (sqlite3_open_v2(":memory:", &run->db, flags, NULL) == SQLITE_OK && module_add(run->db, &run->world) &&
            guard_set(run->db, &run->guard, most_seconds)) ||
           fail_by_sqlite(run);
}

bool sql_run(const struct sql_asked *asked, struct arena *arena, struct sql_answer *answer, struct steptime_error *err)
{
    struct running run = {.asked = asked, .arena = arena, .answer = answer, .err = err};
    *answer = (struct sql_answer){0};
    if (!sql_library_open(err))
        return false;
    const int64_t began_ns = clock_ns();
    world_open(&run.world, asked);
    const bool good = open_database(&run, asked->most_seconds) && run_query(&run);
    sqlite3_close(run.db);
    world_close(&run.world);
    answer->run_ns = clock_ns() - began_ns;
    return good;
}
#else
bool sql_is_built_in(void)
{
    return false;
}

bool sql_run(const struct sql_asked *asked, struct arena *arena, struct sql_answer *answer, struct steptime_error *err)
{
    *answer = (struct sql_answer){0};
    return fail(
        err, STEPTIME_USAGE,
        "this steptime was built without SQLite, which runs queries: install libsqlite3-dev and build it again");
}
#endif
