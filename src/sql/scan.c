/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

static int order_of(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static bool fits(const struct sql_filter *filter, int order)
{
    switch (filter->op) {
    case '=':
        return order == 0;
    case '<':
        return order < 0;
    case '>':
        return order > 0;
    case 'l':
        return order <= 0;
    default:
        return order >= 0;
    }
}

/* Values of other kinds are for SQLite to compare. */
static bool lets_through(const struct sql_scan *scan, const struct sql_filter *filter)
{
    const struct cell cell = scan_cell(scan, filter->column);
    if (cell.kind == CELL_NULL)
        return false;
    if (cell.kind == CELL_INT && filter->value.kind == CELL_INT)
        return fits(filter, order_of(cell.i, filter->value.i));
    if (cell.kind == CELL_TEXT && filter->value.kind == CELL_TEXT)
        return fits(filter, filter->op == '=' ? !str_eq(cell.text, filter->value.text)
                                              : str_cmp(cell.text, filter->value.text));
    return true;
}

static bool passes(const struct sql_scan *scan)
{
    for (uint32_t i = 0; i < scan->filter_count; i++)
        if (!lets_through(scan, &scan->filters[i]))
            return false;
    return true;
}

/* ---- opening a part ---- */

/* Narrows the places of the list by what is asked of its item or its start. */
static void narrow(struct sql_scan *scan, const struct sql_filter *filter, struct sql_part *part)
{
    const enum sql_role role = filter->column->role;
    if (filter->value.kind != CELL_INT)
        return;
    const int64_t value = filter->value.i;
    if (role == ROLE_ITEM && filter->op == '=') {
        const bool holds = value >= 0 && value < UINT32_MAX && list_holds(scan->table, part, (uint32_t)value);
        scan->list = (struct sql_list){.made = true};
        scan->at = holds ? (uint32_t)value : 0;
        scan->end = holds ? scan->at + 1 : 0;
    }
    if (role == ROLE_START && scan->by_start && scan->list.by_start) {
        const bool beyond = filter->op == '>' || filter->op == 'l';
        if (beyond && value == INT64_MAX)
            return;
        const uint32_t place = list_from(&scan->list, part->trace, value + beyond);
        if (filter->op == '>' || filter->op == 'g' || filter->op == '=')
            scan->at = place > scan->at ? place : scan->at;
        else
            scan->end = place < scan->end ? place : scan->end;
    }
}

static bool asks_for_item(const struct sql_scan *scan)
{
    for (uint32_t i = 0; i < scan->filter_count; i++)
        if (scan->filters[i].column->role == ROLE_ITEM && scan->filters[i].op == '=' &&
            scan->filters[i].value.kind == CELL_INT)
            return true;
    return false;
}

static bool rank_fits(const struct sql_scan *scan, const struct sql_part *part)
{
    for (uint32_t i = 0; i < scan->filter_count; i++) {
        const struct sql_filter *filter = &scan->filters[i];
        if (filter->column->role == ROLE_RANK && filter->value.kind == CELL_INT &&
            !fits(filter, order_of(part->rank, filter->value.i)))
            return false;
    }
    return true;
}

static void open_part(struct sql_scan *scan)
{
    struct sql_part *part = &scan->parts[scan->part];
    scan->at = scan->end = 0;
    if (!rank_fits(scan, part))
        return;
    if (!asks_for_item(scan)) {
        struct sql_list *list = list_of(&scan->lists[scan->part], scan->table, part, scan->by_start);
        scan->list = scan->group_count ? list_grouped(list, scan->table, part, scan->groups, scan->group_count) : *list;
        scan->end = scan->list.count;
    }
    for (uint32_t i = 0; i < scan->filter_count; i++)
        narrow(scan, &scan->filters[i], part);
}

/* From the open place to the next that passes, through the parts behind it. */
static void settle(struct sql_scan *scan)
{
    while (!scan->over) {
        for (; scan->at < scan->end; scan->at++)
            if (passes(scan))
                return;
        scan->over = ++scan->part >= scan->part_count;
        if (!scan->over)
            open_part(scan);
    }
}

void scan_begin(struct sql_scan *scan)
{
    scan->part = 0;
    scan->over = !scan->part_count;
    if (!scan->over)
        open_part(scan);
    settle(scan);
}

void scan_next(struct sql_scan *scan)
{
    scan->at++;
    settle(scan);
}
