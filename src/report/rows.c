/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <math.h>

#include "base/sum.h"

#define LEAST 0.001 /* of the whole */

struct rows rows_first(const struct table *table, uint32_t count)
{
    return (struct rows){.table = table, .count = count, .hidden = table->row_count - count};
}

/* ---- which rows are small ---- */

static double column_sum(const struct table *table, uint32_t column)
{
    double sum = 0, number;
    for (uint32_t row = 0; row < table->row_count; row++)
        if (cell_number(table_at(table, row, column), &number))
            sum += number;
    return sum;
}

/* What the column's numbers are parts of. */
static double whole_of(const struct table *table, uint32_t column)
{
    if (table->has_whole)
        return table->whole;
    return table->columns[column].unit == UNIT_RATIO ? 1 : column_sum(table, column);
}

/* The least number of each column of parts that is not small; below 0: no such column. False: there is none, or no whole. */
static bool bounds_of(const struct table *table, double *bounds)
{
    bool any = false;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const bool part = table->columns[i].flags & COLUMN_PART;
        bounds[i] = part ? LEAST * whole_of(table, i) : -1;
        any = any || bounds[i] > 0;
    }
    return any;
}

/* Small by every part that it has a number of. */
static bool is_small(const struct table *table, uint32_t row, const double *bounds)
{
    bool known = false;
    double number;
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (bounds[i] <= 0 || !cell_number(table_at(table, row, i), &number))
            continue;
        if (fabs(number) >= bounds[i])
            return false;
        known = true;
    }
    return known;
}

/* ---- which are leaned on ---- */

static bool is_of_word(char c)
{
    return (c >= '0' && c <= '9') || (char_lower(c) >= 'a' && char_lower(c) <= 'z') || c == '_';
}

/* Whether the text has the name as a word of its own. */
static bool names(str text, str name)
{
    enum { LEAST_NAME = 2 };
    if (name.len < LEAST_NAME)
        return false;
    for (size_t i = 0; i + name.len <= text.len; i++) {
        if (text.at[i] != name.at[0] || memcmp(&text.at[i], name.at, name.len) != 0)
            continue;
        const size_t end = i + name.len;
        if ((!i || !is_of_word(text.at[i - 1])) && (end == text.len || !is_of_word(text.at[end])))
            return true;
    }
    return false;
}

static bool section_names(const struct section *section, str name)
{
    for (uint32_t i = 0; i < section->text_count; i++)
        if (names(section->texts[i], name))
            return true;
    for (uint32_t i = 0; i < section->value_count; i++)
        if (section->values[i].cell.kind == CELL_TEXT && names(section->values[i].cell.text, name))
            return true;
    return false;
}

static bool finding_names(const struct finding *finding, str name, struct arena *arena)
{
    if (names(finding->message, name))
        return true;
    if (!finding->file.len || !finding->line)
        return false;
    return names(name,
                 str_printf(arena, "%.*s:%lld", (int)finding->file.len, finding->file.at, (long long)finding->line));
}

static bool report_names(const struct report *report, str name, struct arena *arena)
{
    for (uint32_t i = 0; i < report->section_count; i++)
        if (section_names(report->sections[i], name))
            return true;
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (finding_names(&report->findings[i], name, arena))
            return true;
    return false;
}

static bool is_leaned_on(const struct table *table, uint32_t row, struct arena *arena)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        if ((table->columns[i].flags & (COLUMN_WIDE | COLUMN_WRAP)) != COLUMN_WIDE) /* a name, no sentence */
            continue;
        const struct cell cell = table_at(table, row, i);
        if (cell.kind == CELL_TEXT && report_names(table->report, cell.text, arena))
            return true;
    }
    return false;
}

/* ---- their sum ---- */

static bool adds_up(const struct table *table, uint32_t column)
{
    const unsigned flags = table->columns[column].flags;
    return flags & COLUMN_SUM || (flags & COLUMN_PART && !table->several_wholes);
}

static void add_cell(struct cell *sum, struct cell cell)
{
    double number;
    if (!cell_number(cell, &number))
        return;
    if (sum->kind == CELL_NULL)
        *sum = cell;
    else if (sum->kind == CELL_INT && cell.kind == CELL_INT)
        sum->i = sum_add(sum->i, cell.i);
    else
        *sum = cell_real((sum->kind == CELL_INT ? (double)sum->i : sum->real) + number);
}

static void fold_row(struct rows *rows, uint32_t row)
{
    for (uint32_t i = 0; i < rows->table->column_count; i++)
        if (adds_up(rows->table, i))
            add_cell(&rows->fold[i], table_at(rows->table, row, i));
}

/* ---- their name ---- */

static bool has_texts(const struct rows *rows, uint32_t column)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct cell cell = table_at(rows->table, rows->at[i], column);
        if (cell.kind == CELL_TEXT && cell.text.len)
            return true;
    }
    return false;
}

/* The first column of texts that people see; the first that they see where there is none. */
static uint32_t name_column(const struct rows *rows)
{
    uint32_t first = COLUMN_NONE;
    for (uint32_t i = 0; i < rows->table->column_count; i++) {
        if (rows->table->columns[i].flags & COLUMN_DETAIL)
            continue;
        if (has_texts(rows, i))
            return i;
        first = first == COLUMN_NONE ? i : first;
    }
    return first == COLUMN_NONE ? 0 : first;
}

/* ---- the whole ---- */

/* Which rows are folded, of those of the table; how many they are. */
static uint32_t mark_small(const struct table *table, bool *small, struct arena *arena)
{
    double *bounds = arena_array(arena, table->column_count, sizeof *bounds);
    if (table->stream.next || !bounds_of(table, bounds))
        return 0;
    uint32_t count = 0;
    for (uint32_t row = 0; row < table->row_count; row++) {
        small[row] = is_small(table, row, bounds) && !is_leaned_on(table, row, arena);
        count += small[row];
    }
    return count;
}

static struct rows rows_folded(const struct table *table, const bool *small, uint32_t folded, struct arena *arena)
{
    uint32_t *at = arena_array(arena, table->row_count - folded, sizeof *at);
    struct rows rows = {.table = table, .at = at, .folded = folded};
    rows.fold = arena_array(arena, table->column_count, sizeof *rows.fold);
    for (uint32_t row = 0; row < table->row_count; row++) {
        if (small[row])
            fold_row(&rows, row);
        else
            at[rows.count++] = row;
    }
    rows.fold[name_column(&rows)] = cell_text(str_printf(arena, "%u others below 0.1 %%", folded));
    return rows;
}

struct rows rows_seen(const struct table *table, uint32_t limit, struct arena *arena)
{
    const uint32_t all = table->row_count;
    if (!limit || all < 2)
        return rows_first(table, all);
    bool *small = arena_array(arena, all, sizeof *small);
    const uint32_t folded = mark_small(table, small, arena);
    if (folded < 2 || folded == all)
        return rows_first(table, limit < all ? limit : all);
    struct rows rows = rows_folded(table, small, folded, arena);
    if (rows.count > limit) {
        rows.count = limit;
        rows.hidden = all - limit;
        rows.folded = 0;
    }
    return rows;
}

uint32_t rows_lines(const struct rows *rows)
{
    return rows->count + (rows->folded > 0);
}

uint32_t rows_index(const struct rows *rows, uint32_t line)
{
    return rows->at ? rows->at[line] : line;
}

bool rows_is_fold(const struct rows *rows, uint32_t line)
{
    return line == rows->count;
}

struct cell rows_cell(const struct rows *rows, uint32_t line, uint32_t column)
{
    return rows_is_fold(rows, line) ? rows->fold[column] : table_at(rows->table, rows_index(rows, line), column);
}

str rows_note(const struct rows *rows, struct arena *arena)
{
    const str of = rows->table->whole_words;
    if (rows->hidden)
        return str_printf(arena, "%u more row%s; --rows 0 shows all", rows->hidden, rows->hidden == 1 ? "" : "s");
    if (rows->folded && of.len)
        return str_printf(arena, "others: each below 0.1 %% of %.*s; --rows 0 shows them", (int)of.len, of.at);
    return S("");
}
