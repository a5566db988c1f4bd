/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <assert.h>
#include <math.h>

#include "base/sum.h"
#include "document.h"

/* Words of the JSON contract: they never change. A rate has the unit of its amount, and an id that ends in _per_s. */
static const char *const unit_words[] = {
    [UNIT_NONE] = "",           [UNIT_NS] = "ns",       [UNIT_US] = "us",
    [UNIT_MS] = "ms",           [UNIT_BYTES] = "bytes", [UNIT_FLOP] = "flop",
    [UNIT_RATIO] = "ratio",     [UNIT_COUNT] = "count", [UNIT_BYTES_PER_S] = "bytes",
    [UNIT_FLOP_PER_S] = "flop",
};
static const char *const figure_words[] = {
    [FIGURE_BAR] = "bar", [FIGURE_STACK] = "stack", [FIGURE_LINE] = "line",
    [FIGURE_CDF] = "cdf", [FIGURE_LANES] = "lanes", [FIGURE_ROOFLINE] = "roofline",
};
static const char *const severity_words[] = {
    [SEVERITY_NOTE] = "note",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error",
};

str unit_word(enum unit unit)
{
    return str_of(unit_words[unit]);
}

str figure_kind_word(enum figure_kind kind)
{
    return str_of(figure_words[kind]);
}

str severity_word(enum severity severity)
{
    return str_of(severity_words[severity]);
}

struct cell cell_finite(struct cell cell)
{
    return cell.kind == CELL_REAL && !isfinite(cell.real) ? cell_null() : cell;
}

struct cell cell_rounded(double real)
{
    return isnan(real) ? cell_null() : cell_int(sum_rounded(real));
}

/* Beyond what a number holds. Ids and names of things, which have no unit, may be any. */
static bool is_beyond(struct cell cell, enum unit unit)
{
    return cell.kind == CELL_REAL ? isinf(cell.real) : cell.kind == CELL_INT && unit && sum_is_beyond(cell.i);
}

/* The cell, or null with a warning the first time that the figure of this id is refused. */
static struct cell refuse_beyond(struct report *report, struct cell cell, enum unit unit, str id)
{
    if (!is_beyond(cell, unit))
        return cell;
    const str message =
        str_printf(report->arena, "%.*s is left out: it is beyond the range of a number", (int)id.len, id.at);
    for (uint32_t i = 0; i < report->warning_count; i++)
        if (str_eq(report->warnings[i].message, message))
            return cell_null();
    report_warning(report, S(""), -1, message);
    return cell_null();
}

bool cell_number(struct cell cell, double *number)
{
    cell = cell_finite(cell);
    if (cell.kind != CELL_INT && cell.kind != CELL_REAL)
        return false;
    *number = cell.kind == CELL_INT ? (double)cell.i : cell.real;
    return true;
}

/*
 * Room for one more element: the list, moved where it was full. Lists double
 * from one element on, so a list is full when its count is 0 or a power of two.
 */
static void *one_more(struct arena *arena, void *list, uint32_t *count, size_t size)
{
    const uint32_t n = (*count)++;
    if (n & (n - 1))
        return list;
    void *moved = arena_array(arena, n ? (size_t)n * 2 : 1, size);
    if (n)
        memcpy(moved, list, n * size);
    return moved;
}

/* ---- the document ---- */

struct report *report_new(struct arena *arena, str command)
{
    struct report *report = arena_alloc(arena, sizeof *report);
    report->arena = arena;
    report->command = command;
    return report;
}

struct arena *report_arena(struct report *report)
{
    return report->arena;
}

void report_input(struct report *report, struct report_input input)
{
    report->inputs = one_more(report->arena, report->inputs, &report->input_count, sizeof *report->inputs);
    report->inputs[report->input_count - 1] = input;
}

static const struct report_steps *first_unmarked(const struct report *report)
{
    for (uint32_t i = 0; i < report->input_count; i++)
        if (report->inputs[i].steps.source.len && !report->inputs[i].steps.marked)
            return &report->inputs[i].steps;
    return NULL;
}

str report_steps_words(const struct report *report)
{
    const struct report_steps *first = first_unmarked(report);
    uint32_t alike = 0;
    if (!first)
        return S("");
    for (uint32_t i = 0; i < report->input_count; i++)
        alike += str_eq(report->inputs[i].steps.source, first->source);
    if (report->input_count == 1)
        return first->words;
    return str_printf(report->arena, "%.*s That holds for %u of %u traces.", (int)first->words.len, first->words.at,
                      alike, report->input_count);
}

static void add_warning(struct report *report, struct report_warning warning)
{
    report->warnings = one_more(report->arena, report->warnings, &report->warning_count, sizeof *report->warnings);
    report->warnings[report->warning_count - 1] = warning;
}

void report_warning(struct report *report, str path, int64_t offset, str message)
{
    add_warning(report, (struct report_warning){path, offset, message, false});
}

void report_warning_in_head(struct report *report, str path, str message)
{
    add_warning(report, (struct report_warning){path, -1, message, true});
}

uint32_t report_warning_count(const struct report *report)
{
    return report->warning_count;
}

uint32_t report_warnings_below(const struct report *report)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->warning_count; i++)
        count += !report->warnings[i].in_head;
    return count;
}

str report_warning_line(const struct report *report, uint32_t i, struct arena *arena)
{
    const struct report_warning *warning = &report->warnings[i];
    const str place = warning->offset >= 0 ? str_printf(arena, "byte %lld: ", (long long)warning->offset) : S("");
    return str_printf(arena, "%.*s%s%.*s%.*s", (int)warning->path.len, warning->path.at, warning->path.len ? ": " : "",
                      (int)place.len, place.at, (int)warning->message.len, warning->message.at);
}

str finding_holds_word(enum finding_holds holds)
{
    static const char *const words[] = {
        [FINDING_HOLDS_NOT] = "broken", [FINDING_HOLDS_OPEN] = "open", [FINDING_HOLDS] = "held"};
    return str_of(words[holds]);
}

str finding_link_word(enum finding_link_kind kind)
{
    static const char *const words[] = {"device", "pace", "gain"};
    return str_of(words[kind]);
}

void report_finding(struct report *report, const struct finding *finding)
{
    report->findings = one_more(report->arena, report->findings, &report->finding_count, sizeof *report->findings);
    report->findings[report->finding_count - 1] = *finding;
}

/* Few: those of one screen. */
void report_rank_findings(struct report *report)
{
    for (uint32_t i = 1; i < report->finding_count; i++) {
        const struct finding finding = report->findings[i];
        uint32_t at = i;
        for (; at && report->findings[at - 1].per_step_saving_ns < finding.per_step_saving_ns; at--)
            report->findings[at] = report->findings[at - 1];
        report->findings[at] = finding;
    }
}

void report_rule(struct report *report, const struct finding_rule *rule)
{
    report->rules = one_more(report->arena, report->rules, &report->rule_count, sizeof *report->rules);
    report->rules[report->rule_count - 1] = *rule;
}

void report_source(struct report *report, str path)
{
    report->sources = one_more(report->arena, report->sources, &report->source_count, sizeof *report->sources);
    report->sources[report->source_count - 1] = path;
}

const struct finding_rule *report_find_rule(const struct report *report, str id)
{
    for (uint32_t i = 0; i < report->rule_count; i++)
        if (str_eq(report->rules[i].id, id))
            return &report->rules[i];
    return NULL;
}

static struct section *find_section(const struct report *report, str id)
{
    for (uint32_t i = 0; i < report->section_count; i++)
        if (str_eq(report->sections[i]->id, id))
            return report->sections[i];
    return NULL;
}

struct section *report_section(struct report *report, const char *id, const char *title)
{
    struct section *section = find_section(report, str_of(id));
    if (section)
        return section;
    section = arena_alloc(report->arena, sizeof *section);
    *section = (struct section){.report = report, .id = str_of(id), .title = str_of(title)};
    report->sections = one_more(report->arena, report->sections, &report->section_count, sizeof section);
    report->sections[report->section_count - 1] = section;
    return section;
}

void section_in_head(struct section *section)
{
    section->in_head = true;
}

void section_below_head(struct section *section)
{
    section->in_head = false;
}

void section_text(struct section *section, str text)
{
    section->texts = one_more(section->report->arena, section->texts, &section->text_count, sizeof text);
    section->texts[section->text_count - 1] = text;
}

void section_value(struct section *section, const char *id, const char *title, enum unit unit, struct cell value)
{
    section->values = one_more(section->report->arena, section->values, &section->value_count, sizeof *section->values);
    section->values[section->value_count - 1] =
        (struct value){str_of(id), str_of(title), unit, refuse_beyond(section->report, value, unit, str_of(id)), false};
}

void section_detail(struct section *section, const char *id, const char *title, enum unit unit, struct cell value)
{
    section_value(section, id, title, unit, value);
    section->values[section->value_count - 1].detail = true;
}

void section_value_if_any(struct section *section, const char *id, const char *title, enum unit unit, struct cell value)
{
    section_value(section, id, title, unit, value);
    struct value *const added = &section->values[section->value_count - 1];
    added->detail = added->cell.kind == CELL_NULL;
}

/* ---- tables ---- */

struct table *section_table(struct section *section, const char *id, const char *title)
{
    struct report *report = section->report;
    assert(!report_find_table(report, str_of(id))); /* --table picks by id alone */
    struct table *table = arena_alloc(report->arena, sizeof *table);
    *table = (struct table){.report = report, .id = str_of(id), .title = str_of(title)};
    section->tables = one_more(report->arena, section->tables, &section->table_count, sizeof table);
    section->tables[section->table_count - 1] = table;
    return table;
}

void table_column(struct table *table, struct column_spec spec)
{
    assert(!table->row_count && spec.definition);
    table->columns = one_more(table->report->arena, table->columns, &table->column_count, sizeof *table->columns);
    table->columns[table->column_count - 1] =
        (struct column){str_of(spec.id), str_of(spec.title), spec.unit, spec.flags, str_of(spec.definition)};
}

void table_columns(struct table *table, const struct column_spec *specs)
{
    for (; specs->id; specs++)
        table_column(table, *specs);
}

void table_row(struct table *table)
{
    assert(!table->row_count || table->filled == table->column_count);
    struct arena *arena = table->report->arena;
    table->rows = one_more(arena, table->rows, &table->row_count, sizeof *table->rows);
    table->rows[table->row_count - 1] = arena_array(arena, table->column_count, sizeof(struct cell));
    table->filled = 0;
}

void table_cell(struct table *table, struct cell cell)
{
    assert(table->row_count && table->filled < table->column_count);
    const struct column *column = &table->columns[table->filled];
    table->rows[table->row_count - 1][table->filled++] = refuse_beyond(table->report, cell, column->unit, column->id);
}

void table_int(struct table *table, int64_t value)
{
    table_cell(table, cell_int(value));
}

void table_real(struct table *table, double value)
{
    table_cell(table, cell_real(value));
}

void table_text(struct table *table, str text)
{
    table_cell(table, cell_text(text));
}

void table_null(struct table *table)
{
    table_cell(table, cell_null());
}

void table_all_columns(struct table *table)
{
    table->all_columns = true;
}

void table_whole(struct table *table, double whole, str words)
{
    table->has_whole = true;
    table->whole = whole;
    table->whole_words = words;
}

void table_several_wholes(struct table *table)
{
    table->several_wholes = true;
}

void table_json_only(struct table *table)
{
    table->json_only = true;
}

void table_drawn(struct table *table, uint32_t rows, row_fill_fn *fill, const void *context)
{
    assert(!table->row_count && table->column_count);
    table->row_count = rows;
    table->fill = fill;
    table->context = context;
    table->drawn = arena_array(table->report->arena, table->column_count, sizeof *table->drawn);
    for (uint32_t row = 0; row < rows; row++) { /* warnings are told before any row is written */
        fill(context, row, table->drawn);
        for (uint32_t i = 0; i < table->column_count; i++)
            refuse_beyond(table->report, table->drawn[i], table->columns[i].unit, table->columns[i].id);
    }
}

static void draw(const struct table *table, uint32_t row, struct cell *cells)
{
    table->fill(table->context, row, cells);
    for (uint32_t column = 0; column < table->column_count; column++)
        if (is_beyond(cells[column], table->columns[column].unit))
            cells[column] = cell_null();
}

struct cell table_at(const struct table *table, uint32_t row, uint32_t column)
{
    if (!table->fill)
        return table->rows[row][column];
    draw(table, row, table->drawn);
    return table->drawn[column];
}

void table_stream(struct table *table, struct row_stream stream)
{
    table->stream = stream;
}

struct row_walk table_walk(const struct table *table, struct arena *arena)
{
    if (table->stream.next)
        table->stream.again(table->stream.context);
    return (struct row_walk){table, 0, arena_array(arena, table->column_count, sizeof(struct cell))};
}

const struct cell *table_next(struct row_walk *walk)
{
    const struct table *table = walk->table;
    if (table->stream.next)
        return table->stream.next(table->stream.context, walk->cells) ? walk->cells : NULL;
    if (walk->row == table->row_count)
        return NULL;
    const uint32_t row = walk->row++;
    if (!table->fill)
        return table->rows[row];
    draw(table, row, walk->cells);
    return walk->cells;
}

static void add_figure(struct section *section, struct figure figure)
{
    section->figures =
        one_more(section->report->arena, section->figures, &section->figure_count, sizeof *section->figures);
    section->figures[section->figure_count - 1] = figure;
}

void section_figure(struct section *section, const char *id, enum figure_kind kind, const char *table_id, const char *x,
                    const char *y)
{
    add_figure(section, (struct figure){str_of(id), kind, str_of(table_id), str_of(x), str_of(y), false});
}

void section_page_figure(struct section *section, const char *id, enum figure_kind kind, const char *table_id,
                         const char *x, const char *y)
{
    add_figure(section, (struct figure){str_of(id), kind, str_of(table_id), str_of(x), str_of(y), true});
}

/* ---- looking up ---- */

const struct table *section_find_table(const struct section *section, str id)
{
    for (uint32_t i = 0; i < section->table_count; i++)
        if (str_eq(section->tables[i]->id, id))
            return section->tables[i];
    return NULL;
}

const struct table *report_find_table(const struct report *report, str id)
{
    for (uint32_t i = 0; i < report->section_count; i++) {
        const struct table *table = section_find_table(report->sections[i], id);
        if (table)
            return table;
    }
    return NULL;
}

uint32_t table_find_column(const struct table *table, str id)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (str_eq(table->columns[i].id, id))
            return i;
    return COLUMN_NONE;
}
