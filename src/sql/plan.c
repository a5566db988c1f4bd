/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#ifdef HAVE_SQLITE
#include <string.h>

#include "guard.h"

static char op_of(unsigned char op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
        return '>';
    case SQLITE_INDEX_CONSTRAINT_GE:
        return 'g';
    case SQLITE_INDEX_CONSTRAINT_LT:
        return '<';
    case SQLITE_INDEX_CONSTRAINT_LE:
        return 'l';
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return 'k';
    case SQLITE_INDEX_CONSTRAINT_GLOB:
        return 'b';
    default:
        return 0;
    }
}

/* What a pass costs, in rows. */
struct cost {
    double rows, looked_at;
    bool unique;
};

static bool is_usable(sqlite3_index_info *info, int i, const struct sql_table *table)
{
    const struct sqlite3_index_constraint *asked = &info->aConstraint[i];
    const char op = op_of(asked->op);
    if (!asked->usable || asked->iColumn < 0 || !op || table->columns[asked->iColumn].made)
        return false;
    if (op == 'k' || op == 'b') /* they mind no collation */
        return table->columns[asked->iColumn].type[0] == 'T' && numbers_can(&table->columns[asked->iColumn]);
    return table->columns[asked->iColumn].type[0] != 'T' || !sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY");
}

static void count_filter(const struct sql_vtab *vtab, const struct sql_column *column, char op, struct cost *cost)
{
    const double parts = vtab->of->part_count ? vtab->of->part_count : 1;
    if (op == '=' && column->role == ROLE_ITEM) {
        cost->rows /= cost->rows > parts ? cost->rows / parts : 1;
        cost->looked_at = cost->rows;
    } else if (op == '=' && numbers_can(column) && column->role == ROLE_PLAIN) {
        cost->rows /= cost->rows > 8 * parts ? cost->rows / (8 * parts) : 1;
        cost->looked_at = cost->rows;
    } else if (op == '=' && column->role == ROLE_RANK) {
        cost->rows /= parts;
        cost->looked_at /= parts;
    } else if (column->role == ROLE_START) {
        cost->rows /= 4;
        cost->looked_at /= 4;
    } else {
        cost->rows /= op == '=' ? 8 : 2;
    }
}

/* Orders are kept as long as the query, so there are not more than so many. False: there are. */
static bool promise(const struct sql_vtab *vtab, const sqlite3_index_info *info)
{
    struct sql_world *world = vtab->of;
    struct sql_order order = {.count = 0};
    for (int i = 0; i < info->nOrderBy; i++)
        order.columns[order.count++] = &vtab->table->columns[info->aOrderBy[i].iColumn];
    for (uint32_t i = 0; i < world->promised_count; i++)
        if (!memcmp(&world->promised[i], &order, sizeof order))
            return true;
    if (world->promised_count == SQL_MOST_ORDERS)
        return false;
    world->promised[world->promised_count++] = order;
    return true;
}

/* Whether rows can come in the order that is asked for. */
static bool orders(const struct sql_vtab *vtab, sqlite3_index_info *info)
{
    const int distinct = sqlite3_vtab_distinct(info);
    if (!info->nOrderBy || info->nOrderBy > SQL_MOST_COLUMNS || !vtab->table->kinds)
        return false;
    for (int i = 0; i < info->nOrderBy; i++) {
        const int at = info->aOrderBy[i].iColumn;
        if (at < 0 || (info->aOrderBy[i].desc && distinct != 1 && distinct != 2))
            return false;
        if (!numbers_can(&vtab->table->columns[at]))
            return false;
    }
    const bool by_rank = vtab->table->columns[info->aOrderBy[0].iColumn].role == ROLE_RANK && vtab->of->ranks_ascend;
    return (vtab->of->part_count == 1 || by_rank) && promise(vtab, info);
}

int plan_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct sql_vtab *vtab = (const struct sql_vtab *)base;
    struct cost cost = {(double)vtab->rows, (double)vtab->rows, false};
    sqlite3_str *plan = sqlite3_str_new(NULL);
    int arguments = 0;
    for (int i = 0; i < info->nConstraint && arguments < SQL_MOST_COLUMNS; i++) {
        if (!is_usable(info, i, vtab->table))
            continue;
        const int column = info->aConstraint[i].iColumn;
        const char op = op_of(info->aConstraint[i].op);
        info->aConstraintUsage[i].argvIndex = ++arguments;
        sqlite3_str_appendf(plan, "%c%d ", op, column);
        count_filter(vtab, &vtab->table->columns[column], op, &cost);
    }
    if (orders(vtab, info)) {
        info->orderByConsumed = 1;
        for (int i = 0; i < info->nOrderBy; i++)
            sqlite3_str_appendf(plan, "o%d ", info->aOrderBy[i].iColumn);
    }
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    info->estimatedRows = cost.rows < 1 ? 1 : (sqlite3_int64)cost.rows;
    info->estimatedCost = 1 + cost.looked_at * 0.2 + cost.rows;
    return info->idxStr || !(arguments || info->orderByConsumed) ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- and back ---- */

static struct cell cell_of(sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return cell_int(sqlite3_value_int64(value));
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_value_text(value);
        return text ? cell_text((str){text, (size_t)sqlite3_value_bytes(value)}) : cell_null();
    }
    default:
        return cell_null(); /* is for SQLite to compare */
    }
}

static bool fits_like(const char *pattern, const char *text)
{
    return !sqlite3_strlike(pattern, text, 0);
}

static bool fits_glob(const char *pattern, const char *text)
{
    return !sqlite3_strglob(pattern, text);
}

/* False: it is for SQLite to look at, and to refuse. */
static bool take_pattern(const struct sql_scan *scan, struct sql_filter *filter)
{
    const str text = filter->value.text;
    if (filter->value.kind != CELL_TEXT || text.len > SQL_LONGEST_PATTERN || memchr(text.at, 0, text.len))
        return false;
    filter->pattern = arena_alloc(scan->texts, sizeof *filter->pattern);
    filter->pattern->text = str_z(scan->texts, text);
    filter->pattern->fits = filter->op == 'k' ? fits_like : fits_glob;
    return true;
}

/* A text of the filter lives in its arena: SQLite frees its own behind the call. */
static void add_filter(struct sql_scan *scan, char op, int64_t column, sqlite3_value *value)
{
    struct cell cell = cell_of(value);
    if (cell.kind == CELL_NULL)
        return;
    if (cell.kind == CELL_TEXT)
        cell.text = str_copy(scan->texts, cell.text);
    struct sql_filter filter = {&scan->table->columns[column], op, cell, NULL};
    if ((op == 'k' || op == 'b') && !take_pattern(scan, &filter))
        return;
    scan->filters[scan->filter_count++] = filter;
}

/* Time that is all of the order is that of the list. */
static void add_order(struct sql_scan *scan, int64_t column)
{
    const struct sql_column *wanted = &scan->table->columns[column];
    if (wanted->role != ROLE_RANK)
        scan->order.columns[scan->order.count++] = wanted;
}

static bool wants_time(const struct sql_scan *scan)
{
    for (uint32_t i = 0; i < scan->filter_count; i++)
        if (scan->filters[i].column->role == ROLE_START)
            return true;
    return false;
}

void plan_apply(const char *plan, int count, sqlite3_value **values, struct sql_scan *scan)
{
    int argument = 0;
    scan->filter_count = scan->order.count = 0;
    str rest = str_of(plan ? plan : "");
    for (str step; str_cut(&rest, ' ', &step);) {
        int64_t column;
        if (!step.len || !str_int(str_from(step, 1), &column))
            continue;
        const char op = step.at[0];
        if (op == 'o')
            add_order(scan, column);
        else if (argument < count)
            add_filter(scan, op, column, values[argument++]);
    }
    scan->by_start = scan->order.count == 1 && scan->order.columns[0]->role == ROLE_START;
    if (scan->by_start)
        scan->order.count = 0;
    scan->in_time = wants_time(scan);
}
#endif
