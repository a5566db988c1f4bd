/* SPDX-License-Identifier: Apache-2.0 */
#include "query_table.h"

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

/* "count(*)" is count: a word that json and csv can name; one that was there is numbered. */
static const char *id_of(const struct sql_answer *answer, uint32_t at, const char *const *before, struct arena *arena)
{
    const str name = answer->names[at];
    char *id = arena_alloc(arena, name.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < name.len && len < 60; i++) {
        const char c = char_lower(name.at[i]);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            id[len++] = c;
        else if (len && id[len - 1] != '_')
            id[len++] = '_';
    }
    while (len && id[len - 1] == '_')
        len--;
    str word = len ? (str){id, len} : S("column");
    for (uint32_t i = 0; i < at; i++)
        if (str_eq(str_of(before[i]), word))
            return str_printf(arena, "%.*s_%u", (int)word.len, word.at, at + 1).at;
    return str_z(arena, word);
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
    const char **ids = arena_array(arena, answer->columns, sizeof *ids);
    for (uint32_t i = 0; i < answer->columns; i++) {
        ids[i] = id_of(answer, i, ids, arena);
        const bool numbers = all_numbers(answer, i);
        table_column(table, (struct column_spec){ids[i], str_z(arena, str_printable(arena, answer->names[i])),
                                                 numbers ? unit_of(str_of(ids[i])) : UNIT_NONE,
                                                 numbers ? 0 : COLUMN_WIDE, "as the query says"});
    }
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
