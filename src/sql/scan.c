/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <string.h>

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

int64_t scan_number(const struct sql_scan *scan, const struct sql_column *column)
{
    struct sql_part *part = &scan->parts[scan->part];
    const int64_t *lined =
        scan->list.lined ? lined_numbers(scan->list.lined, part, (uint32_t)(column - scan->table->columns)) : NULL;
    if (lined)
        return lined[scan->at];
    int64_t number;
    numbers_of(part, column, &(uint32_t){scan_item(scan)}, 1, &number);
    return number;
}

static bool fits_text(const struct sql_scan *scan, const struct sql_filter *filter, int64_t number)
{
    enum { SHORT = 256 };
    char room[SHORT];
    const struct cell cell = numbers_cell(&scan->parts[scan->part], filter->column, number);
    if (cell.text.len >= SHORT || memchr(cell.text.at, 0, cell.text.len))
        return true; /* is for SQLite to compare */
    memcpy(room, cell.text.at, cell.text.len);
    room[cell.text.len] = 0;
    return filter->pattern->fits(filter->pattern->text, room);
}

static bool fits_pattern(const struct sql_scan *scan, const struct sql_filter *filter)
{
    struct sql_pattern *pattern = filter->pattern;
    const int64_t number = scan_number(scan, filter->column);
    if (number == NUMBER_NONE)
        return false;
    if (pattern->part != scan->part) {
        memset(pattern->known, 0, sizeof pattern->known);
        pattern->part = scan->part;
    }
    uint64_t *known = &pattern->known[(uint64_t)number % PATTERN_KNOWN];
    const uint64_t twice = (uint64_t)number * 2;
    if (*known != twice + 1 && *known != twice + 2)
        *known = twice + 1 + fits_text(scan, filter, number);
    return *known == twice + 2;
}

/* Values of other kinds are for SQLite to compare. */
static bool lets_through(const struct sql_scan *scan, const struct sql_filter *filter)
{
    if (filter->pattern)
        return fits_pattern(scan, filter);
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
    if (role == ROLE_START && scan->list.by_start) {
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

/* Of an index the places of a value that is asked for, the fewest of several. */
static bool take_index(struct sql_scan *scan, struct sql_list *list, struct sql_part *part)
{
    bool found = false;
    for (uint32_t i = 0; i < scan->filter_count; i++) {
        const struct sql_filter *filter = &scan->filters[i];
        const bool number = filter->column->type[0] == 'I';
        if (filter->op != '=' || filter->value.kind != (number ? CELL_INT : CELL_TEXT) ||
            !numbers_can(filter->column) || filter->column->role == ROLE_RANK)
            continue;
        const uint32_t column = (uint32_t)(filter->column - scan->table->columns);
        const struct sql_index *index = list_index(list, scan->table, part, column);
        int64_t wanted;
        uint32_t from = 0, to = 0;
        if (!index)
            continue;
        if (numbers_find(part, filter->column, &filter->value, &wanted))
            index_find(index, wanted, &from, &to);
        if (found && to - from >= scan->end - scan->at)
            continue;
        found = true;
        scan->list = (struct sql_list){.made = true, .items = index->items, .count = index->count};
        scan->at = from;
        scan->end = to;
    }
    return found;
}

/* In the order that is wanted; of a narrow range of time those alone. */
static void take_order(struct sql_scan *scan, struct sql_list *list, struct sql_part *part)
{
    const uint32_t count = scan->end - scan->at;
    if (count < scan->list.count / 2)
        scan->list = list_sorted(list, part, &scan->order, scan->at, scan->end, scan->texts);
    else
        scan->list = list_grouped(list, scan->table, part, &scan->order);
    scan->at = 0;
    scan->end = scan->list.count;
}

static void narrow_all(struct sql_scan *scan, struct sql_part *part)
{
    for (uint32_t i = 0; i < scan->filter_count; i++)
        narrow(scan, &scan->filters[i], part);
    scan->end = scan->end < scan->at ? scan->at : scan->end;
}

static void open_part(struct sql_scan *scan)
{
    struct sql_part *part = &scan->parts[scan->part];
    scan->at = scan->end = 0;
    if (!rank_fits(scan, part))
        return;
    if (asks_for_item(scan)) {
        narrow_all(scan, part);
        return;
    }
    struct sql_list *list = list_of(&scan->lists[scan->part], scan->table, part, scan->by_start || scan->in_time);
    if (!scan->by_start && !scan->order.count && take_index(scan, list, part))
        return;
    scan->list = *list;
    scan->end = list->count;
    narrow_all(scan, part);
    if (scan->order.count)
        take_order(scan, list, part);
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
