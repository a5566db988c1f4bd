/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#ifdef HAVE_SQLITE
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
    if (!asked->usable || asked->iColumn < 0 || !op_of(asked->op) || table->columns[asked->iColumn].made)
        return false;
    return table->columns[asked->iColumn].type[0] != 'T' || !sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY");
}

static void count_filter(const struct sql_vtab *vtab, const struct sql_column *column, char op, struct cost *cost)
{
    const double parts = vtab->of->part_count ? vtab->of->part_count : 1;
    if (op == '=' && column->role == ROLE_ITEM) {
        cost->rows /= cost->rows > parts ? cost->rows / parts : 1;
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

/* Whether rows can come in the order that is asked for. */
static bool orders(const struct sql_vtab *vtab, sqlite3_index_info *info)
{
    const int distinct = sqlite3_vtab_distinct(info);
    bool start = info->nOrderBy == 1 && vtab->of->part_count == 1;
    if (!info->nOrderBy || info->nOrderBy > SQL_MOST_COLUMNS)
        return false;
    for (int i = 0; i < info->nOrderBy; i++) {
        const int at = info->aOrderBy[i].iColumn;
        if (at < 0 || (info->aOrderBy[i].desc && distinct != 1 && distinct != 2))
            return false;
        const enum sql_role role = vtab->table->columns[at].role;
        if (role != ROLE_START)
            start = false;
        else if (start)
            continue;
        if (role == ROLE_RANK && i == 0 && vtab->of->ranks_ascend)
            continue;
        if (vtab->of->part_count > 1 && vtab->table->columns[info->aOrderBy[0].iColumn].role != ROLE_RANK)
            return false;
        for (uint32_t part = 0; part < vtab->of->part_count; part++)
            if (!vtab->table->kinds || !list_can_group(&vtab->of->parts[part], role))
                return false;
    }
    return true;
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

/* A text of the filter lives in its arena: SQLite frees its own behind the call. */
static void add_filter(struct sql_scan *scan, char op, int64_t column, sqlite3_value *value)
{
    struct cell cell = cell_of(value);
    if (cell.kind == CELL_NULL)
        return;
    if (cell.kind == CELL_TEXT)
        cell.text = str_copy(scan->texts, cell.text);
    scan->filters[scan->filter_count++] = (struct sql_filter){&scan->table->columns[column], op, cell};
}

static void add_order(struct sql_scan *scan, int64_t column)
{
    const enum sql_role role = scan->table->columns[column].role;
    if (role == ROLE_START)
        scan->by_start = true;
    else if (role_is_coded(role))
        scan->groups[scan->group_count++] = role;
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
    scan->filter_count = scan->group_count = 0;
    scan->by_start = false;
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
    /* Once grouped, places no longer go with time. */
    scan->by_start = scan->by_start || (!scan->group_count && wants_time(scan));
}
#endif
