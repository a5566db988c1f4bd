/* SPDX-License-Identifier: Apache-2.0 */
#include "query_table.h"

#include <stdio.h>

#include "base/intern.h"

/* ---- what there is ---- */

static const struct column_spec table_columns_of[] = {
    {"table", "table", UNIT_NONE, 0, "name of the table"},
    {"about", "what it holds", UNIT_NONE, 0, "what a row is"},
    {0},
};

static const struct column_spec column_columns[] = {
    {"table", "table", UNIT_NONE, 0, "name of the table"},
    {"column", "column", UNIT_NONE, 0, "name of the column"},
    {"type", "type", UNIT_NONE, 0, "INTEGER, REAL or TEXT"},
    {"unit", "unit", UNIT_NONE, 0, "of its numbers"},
    {"about", "what it says", UNIT_NONE, 0, "what its values are"},
    {0},
};

static const struct column_spec example_columns[] = {
    {"about", "asks", UNIT_NONE, 0, "what the query asks"},
    {"sql", "query", UNIT_NONE, 0, "the query"},
    {0},
};

static void show_columns(struct section *section)
{
    struct table *table = section_table(section, "columns", "Columns");
    table_columns(table, column_columns);
    for (uint32_t i = 0; i < sql_described_count(); i++) {
        const struct sql_described row = sql_describe(i);
        if (!row.column)
            continue;
        table_row(table);
        table_text(table, str_of(row.table));
        table_text(table, str_of(row.column));
        table_text(table, str_of(row.type));
        table_cell(table, cell_text_or_null(str_of(row.unit)));
        table_text(table, str_of(row.about));
    }
}

static void show_names(struct section *section)
{
    struct table *table = section_table(section, "tables", "Tables");
    table_columns(table, table_columns_of);
    for (uint32_t i = 0; i < sql_described_count(); i++) {
        const struct sql_described row = sql_describe(i);
        if (row.column)
            continue;
        table_row(table);
        table_text(table, str_of(row.table));
        table_text(table, str_of(row.about));
    }
}

/* On a screen and a page a query is a text of its own, to be copied; in a table it would be cut. */
static void show_examples(struct report *report)
{
    struct section *section = report_section(report, "examples", "Ten worked examples");
    struct table *table = section_table(section, "examples", "");
    table_columns(table, example_columns);
    table_json_only(table);
    for (uint32_t i = 0; i < SQL_EXAMPLES; i++) {
        section_text(section, str_printf(report_arena(report), "%u. %s: %s", i + 1, sql_examples[i].about,
                                         sql_examples[i].query));
        table_row(table);
        table_text(table, str_of(sql_examples[i].about));
        table_text(table, str_of(sql_examples[i].query));
    }
}

void query_show_tables(struct report *report)
{
    struct section *section = report_section(report, "tables", "Tables to ask");
    section_text(
        section,
        S("Give a query behind the trace: steptime query TRACE \"SELECT ...\". --table columns names all columns; "
          "doc/query.md says more."));
    if (!sql_is_built_in())
        section_text(section,
                     S("This steptime was built without SQLite, which runs queries: install libsqlite3-dev and build "
                       "it again."));
    show_names(section);
    show_columns(section);
    show_examples(report);
}

/* ---- an answer ---- */

enum { LONGEST_WORD = 60 };

/* "count(*)" is count: a word that json and csv can name. */
static size_t word_of(str name, char word[LONGEST_WORD])
{
    size_t len = 0;
    for (size_t i = 0; i < name.len && len < LONGEST_WORD; i++) {
        const char c = char_lower(name.at[i]);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            word[len++] = c;
        else if (len && word[len - 1] != '_')
            word[len++] = '_';
    }
    while (len && word[len - 1] == '_')
        len--;
    return len;
}

/* One that was there is numbered by its column, or the next number that is free. `ids` has one for each column before. */
static str id_of(str name, uint32_t at, struct intern *ids, struct arena *arena)
{
    char word[LONGEST_WORD];
    const size_t len = word_of(name, word);
    const str first = len ? (str){word, len} : S("column");
    str id = first;
    for (uint32_t number = at + 1; intern_find(ids, id, &(uint32_t){0}); number++)
        id = str_printf(arena, "%.*s_%u", (int)first.len, first.at, number);
    return intern_text(ids, intern_id(ids, id));
}

/* A name that ends in a unit has it. */
static enum unit unit_of(str id)
{
    if (str_ends(id, S("_ns")))
        return UNIT_NS;
    return str_ends(id, S("bytes")) ? UNIT_BYTES : UNIT_NONE;
}

static bool all_numbers(const struct sql_answer *answer, uint32_t column)
{
    for (uint32_t i = 0; i < answer->count; i++)
        if (answer->rows[i][column].kind == CELL_TEXT)
            return false;
    return true;
}

static void set_columns(const struct sql_answer *answer, struct table *table, struct arena *arena)
{
    struct intern *ids = intern_new();
    for (uint32_t i = 0; i < answer->columns; i++) {
        const str id = id_of(answer->names[i], i, ids, arena);
        const bool numbers = all_numbers(answer, i);
        table_column(table, (struct column_spec){str_z(arena, id), str_z(arena, str_printable(arena, answer->names[i])),
                                                 numbers ? unit_of(id) : UNIT_NONE,
                                                 numbers ? COLUMN_EXACT : COLUMN_WIDE, "as the query says"});
    }
    intern_free(ids);
}

void query_show_answer(const struct sql_answer *answer, int64_t read_ns, int64_t most_rows, struct report *report)
{
    struct section *section = report_section(report, "query", "Answer");
    section_value(section, "rows", "rows", UNIT_COUNT, cell_int(answer->count));
    section_value(section, "read_ns", "reading the traces", UNIT_NS, cell_int(read_ns));
    section_value(section, "query_ns", "the query itself", UNIT_NS, cell_int(answer->run_ns));
    if (answer->cut)
        report_warning(report, S(""), -1,
                       str_printf(report_arena(report), "the answer is cut: there are more than these %u rows%s",
                                  answer->count,
                                  answer->count >= most_rows ? " (--most-rows)" : ", which hold 256 MiB of text"));
    struct table *table = section_table(section, "answer", "");
    table_all_columns(table); /* NULL is an answer */
    set_columns(answer, table, report_arena(report));
    for (uint32_t i = 0; i < answer->count; i++) {
        table_row(table);
        for (uint32_t column = 0; column < answer->columns; column++)
            table_cell(table, answer->rows[i][column]);
    }
}
