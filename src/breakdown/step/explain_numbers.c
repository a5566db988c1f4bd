/* SPDX-License-Identifier: Apache-2.0 */
/* The values of the numbers asked for, taken from the very tables that breakdown shows without --explain. */
#include "breakdown_show.h"
#include "explain_asked.h"
#include "report/document.h"

static bool is_label(const struct column *column)
{
    return column->unit == UNIT_NONE && !str_eq(column->id, S("title")) && !str_eq(column->id, S("file"));
}

static str cell_words(const struct column *column, const struct cell *cell, struct arena *arena)
{
    if (cell->kind == CELL_TEXT)
        return cell->text;
    if (cell->kind != CELL_INT)
        return S("");
    return str_printf(arena, "%.*s %lld", (int)column->title.len, column->title.at, (long long)cell->i);
}

/* What the labels at the head of a row call it: "rank 0, device 0, step 3". */
static str row_name(const struct table *table, const struct cell *row, struct arena *arena)
{
    str name = S("");
    for (uint32_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].unit != UNIT_NONE)
            break;
        const str words = is_label(&table->columns[c]) ? cell_words(&table->columns[c], &row[c], arena) : S("");
        if (words.len)
            name =
                str_printf(arena, "%.*s%s%.*s", (int)name.len, name.at, name.len ? ", " : "", (int)words.len, words.at);
    }
    return name;
}

static void put_values(const struct definition *definition, const struct table *from, struct table *to,
                       struct arena *arena)
{
    const uint32_t column = table_find_column(from, str_of(definition->column));
    for (uint32_t r = 0; r < from->row_count; r++) {
        table_row(to);
        table_text(to, definition_id(definition, arena));
        table_text(to, row_name(from, from->rows[r], arena));
        table_cell(to, from->rows[r][column]);
        table_text(to, unit_word(definition->unit));
    }
}

/* The unit that all of them have; UNIT_NONE where they differ. */
static enum unit common_unit(const struct asked *asked)
{
    enum unit unit = UNIT_NONE;
    for (uint32_t i = 0, found = 0; i < asked->count; i++)
        if (asked->meant[i])
            unit = !found++ || unit == asked->all[i].unit ? asked->all[i].unit : UNIT_NONE;
    return unit;
}

static bool one_number(const struct asked *asked)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < asked->count; i++)
        found += asked->meant[i];
    return found == 1;
}

void explain_numbers(const struct asked *asked, const struct breakdown *const *ranks, uint32_t count,
                     struct section *section, struct arena *arena)
{
    struct report *whole = report_new(arena, S("breakdown"));
    breakdown_show(ranks, count, whole);
    struct table *table = section_table(section, "numbers", "The number");
    table_column(table, "number", "number", UNIT_NONE, one_number(asked) ? COLUMN_DETAIL : 0);
    table_column(table, "of", "of", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "value", "value", common_unit(asked), 0);
    table_column(table, "unit", "unit", UNIT_NONE, COLUMN_DETAIL);
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct table *from = asked->meant[i] ? report_find_table(whole, str_of(asked->all[i].table)) : NULL;
        if (from)
            put_values(&asked->all[i], from, table, arena);
    }
}
