/* SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

#ifdef HAVE_SQLITE
#include "base/mem.h"
#include "plan.h"

struct cursor {
    sqlite3_vtab_cursor base;
    struct sql_scan scan;
    struct arena texts; /* of its filters */
};

/* ---- the world ---- */

static uint32_t table_count(void)
{
    uint32_t count = 0;
    while (sql_tables[count])
        count++;
    return count;
}

void world_open(struct sql_world *world, const struct sql_asked *asked)
{
    *world = (struct sql_world){.part_count = asked->count, .ranks_ascend = true};
    world->parts = arena_array(&world->arena, asked->count, sizeof *world->parts);
    world->lists = arena_array(&world->arena, (size_t)asked->count * table_count(), sizeof *world->lists);
    for (uint32_t i = 0; i < asked->count; i++) {
        world->parts[i] = (struct sql_part){.trace = asked->traces[i].trace,
                                            .rank = asked->traces[i].rank,
                                            .arena = &world->arena,
                                            .scratch = &world->scratch};
        world->ranks_ascend &= !i || world->parts[i - 1].rank < world->parts[i].rank;
    }
}

void world_close(struct sql_world *world)
{
    arena_free(&world->arena);
    arena_free(&world->scratch);
}

/* ---- a table ---- */

static uint64_t most_rows(const struct sql_table *table, const struct sql_world *world)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < world->part_count; i++) {
        if (!table->kinds)
            rows += table->count(&world->parts[i]);
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            rows += table->kinds >> kind & 1 ? world->parts[i].trace->kinds[kind] : 0;
    }
    return rows;
}

static int declare(sqlite3 *db, const struct sql_table *table)
{
    sqlite3_str *text = sqlite3_str_new(db);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (uint32_t i = 0; table->columns[i].name; i++)
        sqlite3_str_appendf(text, "%s\"%w\" %s", i ? ", " : "", table->columns[i].name, table->columns[i].type);
    sqlite3_str_appendall(text, ")");
    char *words = sqlite3_str_finish(text);
    const int code = words ? sqlite3_declare_vtab(db, words) : SQLITE_NOMEM;
    sqlite3_free(words);
    return code;
}

static int connect(sqlite3 *db, void *context, int count, const char *const *words, sqlite3_vtab **out, char **error)
{
    struct sql_world *world = context;
    uint32_t at = 0;
    while (sql_tables[at] && strcmp(sql_tables[at]->name, words[0]))
        at++;
    const int code = sql_tables[at] ? declare(db, sql_tables[at]) : SQLITE_ERROR;
    if (code != SQLITE_OK)
        return code;
    struct sql_vtab *vtab = mem_zeroed(sizeof *vtab);
    vtab->of = world;
    vtab->table = sql_tables[at];
    vtab->lists = world->lists + (size_t)at * world->part_count;
    vtab->rows = most_rows(vtab->table, world);
    *out = &vtab->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
    mem_free(base);
    return SQLITE_OK;
}

/* ---- a pass ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    const struct sql_vtab *vtab = (const struct sql_vtab *)base;
    struct cursor *cursor = mem_zeroed(sizeof *cursor);
    cursor->scan = (struct sql_scan){.table = vtab->table,
                                     .parts = vtab->of->parts,
                                     .lists = vtab->lists,
                                     .part_count = vtab->of->part_count,
                                     .texts = &cursor->texts};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    arena_free(&cursor->texts);
    mem_free(cursor);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int count, sqlite3_value **values)
{
    struct cursor *cursor = (struct cursor *)base;
    arena_free(&cursor->texts);
    plan_apply(plan, count, values, &cursor->scan);
    scan_begin(&cursor->scan);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    scan_next(&((struct cursor *)base)->scan);
    return SQLITE_OK;
}

static int is_over(sqlite3_vtab_cursor *base)
{
    return ((struct cursor *)base)->scan.over;
}

/* Texts of the traces live longer than the query. */
static void put_text(sqlite3_context *context, const struct sql_column *column, str text)
{
    const char *at = text.at ? text.at : "";
    sqlite3_result_text64(context, at, text.len, column->made ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

/* A number that is laid out in the order of the rows needs no more than a look. */
static bool put_lined(const struct sql_scan *scan, sqlite3_context *context, int at)
{
    struct sql_lined *lined = scan->list.lined;
    const int64_t *numbers = lined ? lined->columns[at].values : NULL;
    if (!numbers || scan->table->columns[at].type[0] != 'I' || numbers[scan->at] == NUMBER_NONE)
        return false;
    sqlite3_result_int64(context, numbers[scan->at]);
    return true;
}

static int get_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
    const struct sql_scan *scan = &((struct cursor *)base)->scan;
    if (put_lined(scan, context, at))
        return SQLITE_OK;
    const struct sql_column *column = &scan->table->columns[at];
    const struct cell cell = scan_cell(scan, column);
    if (cell.kind == CELL_INT)
        sqlite3_result_int64(context, cell.i);
    else if (cell.kind == CELL_REAL)
        sqlite3_result_double(context, cell.real);
    else if (cell.kind == CELL_TEXT)
        put_text(context, column, cell.text);
    if (column->made)
        arena_free(scan->parts[scan->part].scratch);
    return SQLITE_OK;
}

static int get_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const struct sql_scan *scan = &((struct cursor *)base)->scan;
    *id = (sqlite3_int64)scan->part << 32 | scan_item(scan);
    return SQLITE_OK;
}

/* No xCreate: the tables are there without being made, under the names of their modules. */
static const sqlite3_module module = {
    .iVersion = 1,
    .xConnect = connect,
    .xBestIndex = plan_best,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = is_over,
    .xColumn = get_column,
    .xRowid = get_rowid,
};

/* Its columns are declared when it is first named, which is no reading: so that is done here. */
static bool name_once(sqlite3 *db, const struct sql_table *table)
{
    char *query = sqlite3_mprintf("SELECT 1 FROM \"%w\"", table->name);
    sqlite3_stmt *statement = NULL;
    const bool good = query && sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK;
    sqlite3_finalize(statement);
    sqlite3_free(query);
    return good;
}

bool module_add(sqlite3 *db, struct sql_world *world)
{
    for (const struct sql_table *const *at = sql_tables; *at; at++)
        if (sqlite3_create_module_v2(db, (*at)->name, &module, world, NULL) != SQLITE_OK || !name_once(db, *at))
            return false;
    return true;
}
#endif
