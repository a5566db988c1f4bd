/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include "document.h"

/* ---- what a word means ---- */

/* The column, or the column without its unit. */
static bool is_called(str column, str word)
{
    return str_eq(column, word) ||
           (str_starts(column, word) &&
            (str_eq(str_from(column, word.len), S("_ns")) || str_eq(str_from(column, word.len), S("_us")) ||
             str_eq(str_from(column, word.len), S("_ms")) || str_eq(str_from(column, word.len), S("_bytes"))));
}

bool explain_means(str table, str column, str word)
{
    if (is_called(column, word))
        return true;
    return str_starts(word, table) && word.len > table.len && word.at[table.len] == '.' &&
           is_called(column, str_from(word, table.len + 1));
}

/* ---- the numbers ---- */

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
    for (uint32_t c = 0; c < table->column_count && table->columns[c].unit == UNIT_NONE; c++) {
        const str words = is_label(&table->columns[c]) ? cell_words(&table->columns[c], &row[c], arena) : S("");
        if (words.len)
            name =
                str_printf(arena, "%.*s%s%.*s", (int)name.len, name.at, name.len ? ", " : "", (int)words.len, words.at);
    }
    return name;
}

void explain_values(const struct table *from, uint32_t column, str number, struct table *to)
{
    struct arena *arena = to->report->arena;
    struct row_walk walk = table_walk(from, arena);
    for (const struct cell *cells; (cells = table_next(&walk));) {
        table_row(to);
        table_text(to, number);
        table_text(to, row_name(from, cells, arena));
        table_cell(to, cells[column]);
        table_text(to, unit_word(from->columns[column].unit));
    }
}

/* ---- a report asked itself ---- */

static const struct column_spec definition_columns[] = {
    {"number", "number", UNIT_NONE, 0, "the number asked for: table and column"},
    {"unit", "unit", UNIT_NONE, 0, "its unit, empty where it has none"},
    {"definition", "definition", UNIT_NONE, COLUMN_WIDE, "what it is, or how it is computed"},
    {0},
};

static const struct column_spec value_columns[] = {
    {"number", "number", UNIT_NONE, 0, "the number asked for: table and column"},
    {"of", "of", UNIT_NONE, COLUMN_WIDE, "the row of its table"},
    {"value", "value", UNIT_NONE, 0, "the number"},
    {"unit", "unit", UNIT_NONE, 0, "its unit, empty where it has none"},
    {0},
};

struct explaining {
    str word;
    bool list;
    struct section *section; /* of the definitions: people read them as lines, programs as a table */
    struct table *definitions, *numbers;
};

static str definition_line(str number, const struct column *column, struct arena *arena)
{
    const str unit = unit_word(column->unit);
    return str_printf(arena, "%.*s%s%.*s%s: %.*s", (int)number.len, number.at, unit.len ? " (" : "", (int)unit.len,
                      unit.at, unit.len ? ")" : "", (int)column->definition.len, column->definition.at);
}

static bool put_column(const struct explaining *e, const struct table *table, uint32_t c)
{
    const struct column *column = &table->columns[c];
    if (!e->list && !explain_means(table->id, column->id, e->word))
        return false;
    const str number = str_printf(e->definitions->report->arena, "%.*s.%.*s", (int)table->id.len, table->id.at,
                                  (int)column->id.len, column->id.at);
    table_row(e->definitions);
    table_text(e->definitions, number);
    table_text(e->definitions, unit_word(column->unit));
    table_text(e->definitions, column->definition);
    section_text(e->section, definition_line(number, column, e->definitions->report->arena));
    if (!e->list)
        explain_values(table, c, number, e->numbers);
    return true;
}

static bool put_tables(const struct explaining *e, const struct report *whole)
{
    bool any = false;
    for (uint32_t s = 0; s < whole->section_count; s++)
        for (uint32_t t = 0; t < whole->sections[s]->table_count; t++)
            for (uint32_t c = 0; c < whole->sections[s]->tables[t]->column_count; c++)
                any |= put_column(e, whole->sections[s]->tables[t], c);
    return any;
}

static bool any_column(const struct report *whole, str word)
{
    for (uint32_t s = 0; s < whole->section_count; s++)
        for (uint32_t t = 0; t < whole->sections[s]->table_count; t++) {
            const struct table *table = whole->sections[s]->tables[t];
            for (uint32_t c = 0; c < table->column_count; c++)
                if (explain_means(table->id, table->columns[c].id, word))
                    return true;
        }
    return false;
}

/* ---- a section or a table ---- */

static void define_columns(const struct explaining *e, const struct table *table)
{
    struct explaining all = *e;
    all.list = true;
    for (uint32_t c = 0; c < table->column_count; c++)
        put_column(&all, table, c);
}

/* Tables with that name, or all of the section of that name, each with what its columns are. */
static bool put_sections(const struct explaining *e, const struct report *whole, struct report *into)
{
    bool any = false;
    for (uint32_t s = 0; s < whole->section_count; s++) {
        struct section *from = whole->sections[s], shown = *from;
        const bool named = str_eq(from->id, e->word);
        shown.tables = arena_array(whole->arena, from->table_count, sizeof(struct table *));
        shown.table_count = 0;
        for (uint32_t t = 0; t < from->table_count; t++)
            if (named || str_eq(from->tables[t]->id, e->word)) {
                define_columns(e, from->tables[t]);
                shown.tables[shown.table_count++] = from->tables[t];
            }
        if (!shown.table_count)
            continue;
        *report_section(into, "explained", from->title.at) = shown;
        any = true;
    }
    return any;
}

/* ---- findings at a line ---- */

bool explain_place(str word, str *file, int64_t *line)
{
    size_t colon = word.len;
    while (colon && word.at[colon - 1] != ':')
        colon--;
    *file = (str){word.at, colon ? colon - 1 : 0};
    return file->len && str_int(str_from(word, colon), line);
}

bool explain_is_file(str path, str file)
{
    return str_eq(path, file) ||
           (path.len > file.len && str_ends(path, file) && path.at[path.len - file.len - 1] == '/');
}

/* It begins at the line, or one of its places does. */
static bool stands_at(const struct finding *finding, str file, int64_t line)
{
    if (!explain_is_file(finding->file, file))
        return false;
    for (uint32_t i = 0; i < finding->spot_count; i++)
        if (finding->spots[i].line == line)
            return true;
    return finding->line == line;
}

static bool was_read(const struct report *whole, str file)
{
    for (uint32_t i = 0; i < whole->source_count; i++)
        if (explain_is_file(whole->sources[i], file))
            return true;
    return false;
}

bool explain_misses(const struct report *whole, str word)
{
    str file;
    int64_t line;
    return whole->source_count && explain_place(word, &file, &line) && !was_read(whole, file);
}

static void put_nothing(const struct report *whole, str word, str file, int64_t line, struct report *into)
{
    struct section *section = report_section(into, "findings", "Findings");
    section_text(section, str_printf(into->arena, "No finding begins at %.*s.", (int)word.len, word.at));
    for (uint32_t i = 0; i < whole->finding_count; i++) {
        const struct finding *finding = &whole->findings[i];
        if (finding->suppressed && stands_at(finding, file, line))
            section_text(section,
                         str_printf(into->arena, "A comment suppresses %.*s there: %.*s", (int)finding->rule.len,
                                    finding->rule.at, (int)finding->message.len, finding->message.at));
    }
}

/* The findings at a line of a file that was read, each with all of its proof; false: the word is no such place. */
static bool put_findings_at(const struct report *whole, str word, struct report *into)
{
    str file;
    int64_t line;
    bool any = false;
    if (!explain_place(word, &file, &line))
        return false;
    for (uint32_t i = 0; i < whole->finding_count; i++) {
        struct finding finding = whole->findings[i];
        if (finding.suppressed || !stands_at(&finding, file, line))
            continue;
        finding.proof_shown = true;
        report_finding(into, &finding);
        any = true;
    }
    into->rules = whole->rules;
    into->rule_count = whole->rule_count;
    if (any || !was_read(whole, file))
        return any;
    put_nothing(whole, word, file, line, into);
    return true;
}

/* Of an answer that is asked for more than one word there is one table of each kind. */
static struct table *table_of(struct section *section, const char *id, const struct column_spec *columns)
{
    for (uint32_t t = 0; t < section->table_count; t++)
        if (str_eq(section->tables[t]->id, str_of(id)))
            return section->tables[t];
    struct table *const table = section_table(section, id, "");
    table_columns(table, columns);
    return table;
}

bool report_explain(const struct report *whole, str word, struct report *into)
{
    into->inputs = whole->inputs;
    into->input_count = whole->input_count;
    into->warnings = whole->warnings;
    into->warning_count = whole->warning_count;
    if (put_findings_at(whole, word, into))
        return true;
    struct explaining e = {.word = word, .list = str_eq(word, S("list"))};
    e.section = report_section(into, "definitions", "What the numbers are");
    e.definitions = table_of(e.section, "definitions", definition_columns);
    table_json_only(e.definitions);
    if (!e.list && !any_column(whole, word) && put_sections(&e, whole, into))
        return true;
    if (!e.list)
        e.numbers = table_of(report_section(into, "numbers", "The numbers"), "numbers", value_columns);
    return put_tables(&e, whole);
}
