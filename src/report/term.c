/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document for people: a screen of a terminal, or plain text where output
 * goes elsewhere. Order: what was read, sections with their text, values,
 * figures and tables, then findings, then warnings about the input.
 */
#include "glyph.h"
#include "measure.h"
#include "term.h"

enum { MOST_WARNINGS = 8, MOST_VALUE_COLUMNS = 3, MANY_VALUES = 6 };

/* ---- titles ---- */

/* A section without a title goes on where the one before it ended. */
static void put_title(struct term *term, str title)
{
    if (!title.len) {
        term_line(term);
        return;
    }
    const str rule = term->options->unicode ? S("─") : S("-");
    const unsigned used = 3 + glyph_width(title) + 1;
    const unsigned columns = term_readable(term, 0);
    term_line(term);
    term_repeat(term, STYLE_DIM, rule, 2);
    term_put(term, STYLE_PLAIN, S(" "));
    term_put(term, STYLE_BOLD, title);
    term_put(term, STYLE_PLAIN, S(" "));
    term_repeat(term, STYLE_DIM, rule, used < columns ? columns - used : 0);
    term_line(term);
}

static int64_t total(const struct report *report, int64_t (*of)(const struct report_input *))
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < report->input_count; i++)
        if (of(&report->inputs[i]) > 0)
            sum += of(&report->inputs[i]);
    return sum;
}

static int64_t events_of(const struct report_input *input)
{
    return input->events;
}

static int64_t bytes_of(const struct report_input *input)
{
    return input->bytes;
}

static int64_t repaired_of(const struct report_input *input)
{
    return input->repaired;
}

static int64_t dropped_of(const struct report_input *input)
{
    return input->dropped;
}

static str told(struct term *term, enum unit unit, int64_t value)
{
    return measure_whole_text(term->arena, unit, (double)value, true);
}

static void put_count(struct term *term, int64_t count, const char *what)
{
    if (count)
        term_put(term, STYLE_YELLOW, str_printf(term->arena, ", %s %s", told(term, UNIT_COUNT, count).at, what));
}

static bool has_heading(const struct report *report)
{
    for (uint32_t i = 0; i < report->section_count; i++)
        if (report->sections[i]->in_head && report->sections[i]->text_count)
            return true;
    return false;
}

/* "kineto json, 109,123 events, 33.22 MiB": of one input, or of all; what was mended where no heading says so. */
static void put_inputs(struct term *term, const struct report *report)
{
    if (!report->input_count)
        return;
    const str format = term_text(term, report->inputs[0].format);
    const str what = report->input_count == 1 ? format : str_printf(term->arena, "%u traces", report->input_count);
    const int64_t events = total(report, events_of), bytes = total(report, bytes_of);
    str line = what;
    if (events)
        line = str_printf(term->arena, "%.*s%s%s event%s", (int)line.len, line.at, line.len ? ", " : "",
                          told(term, UNIT_COUNT, events).at, events == 1 ? "" : "s");
    if (bytes)
        line = str_printf(term->arena, "%.*s, %s", (int)line.len, line.at, told(term, UNIT_BYTES, bytes).at);
    term_put(term, STYLE_DIM, line);
    if (!has_heading(report)) {
        put_count(term, total(report, repaired_of), "repaired");
        put_count(term, total(report, dropped_of), "dropped");
    }
    term_line(term);
}

/* What is to be known before all else. */
static void put_heading_texts(struct term *term, const struct report *report)
{
    for (uint32_t i = 0; i < report->section_count; i++)
        for (uint32_t k = 0; report->sections[i]->in_head && k < report->sections[i]->text_count; k++)
            term_paragraph(term, STYLE_PLAIN, report->sections[i]->texts[k], TERM_INDENT);
}

static void put_head(struct term *term, const struct report *report)
{
    const str command = str_printf(term->arena, "steptime %.*s", (int)report->command.len, report->command.at);
    term_put(term, STYLE_BOLD, command);
    if (report->input_count == 1) {
        term_pad(term, 2);
        const unsigned used = glyph_width(command) + 2;
        term_put(term, STYLE_PLAIN,
                 glyph_shorten(term->arena, term_text(term, report->inputs[0].path),
                               term->width > used + 20 ? term->width - used : 20, term_ellipsis(term)));
    }
    term_line(term);
    put_inputs(term, report);
    const str steps = report_steps_words(report);
    if (steps.len)
        term_paragraph(term, STYLE_PLAIN, steps, 0);
    put_heading_texts(term, report);
}

/* ---- values ---- */

/* A value as it is shown: a number and its word, or a text. */
struct shown {
    str title, number, word, text;
};

static struct shown shown_of(struct term *term, const struct value *value)
{
    struct shown shown = {.title = term_text(term, value->title)};
    double number;
    if (value->cell.kind == CELL_TEXT)
        shown.text = term_text(term, value->cell.text);
    else if (cell_number(value->cell, &number)) {
        const struct measure measure = measure_for(value->unit, number, value->cell.kind == CELL_INT);
        shown.number = measure_text(term->arena, &measure, number);
        shown.word = measure.word;
    } else
        shown.number = S("-");
    return shown;
}

/* How the values of a section line up: titles, numbers (right) and words in columns of their own. */
struct grid {
    unsigned title, number, word, text;
    unsigned columns, rows;
};

static unsigned most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned item_width(const struct grid *grid)
{
    return grid->title + 2 + most(grid->number + 1 + grid->word, grid->text);
}

static struct grid grid_of(struct term *term, const struct shown *shown, uint32_t count)
{
    struct grid grid = {.columns = 1};
    for (uint32_t i = 0; i < count; i++) {
        grid.title = most(grid.title, glyph_width(shown[i].title));
        grid.number = most(grid.number, glyph_width(shown[i].number));
        grid.word = most(grid.word, glyph_width(shown[i].word));
        grid.text = most(grid.text, glyph_width(shown[i].text));
    }
    const unsigned room = term_readable(term, TERM_INDENT);
    const unsigned value = most(grid.number + 1 + grid.word, grid.text) + 2;
    grid.title = least(grid.title, most(room / 2, value < room ? room - value : 0));
    grid.text = least(grid.text, term->width - TERM_INDENT - grid.title - 2);
    const unsigned fit = (room + 4) / (item_width(&grid) + 4);
    if (count >= MANY_VALUES && fit > 1)
        grid.columns = fit < MOST_VALUE_COLUMNS ? fit : MOST_VALUE_COLUMNS;
    grid.rows = (count + grid.columns - 1) / grid.columns;
    return grid;
}

static void put_shown(struct term *term, const struct grid *grid, const struct shown *shown)
{
    const unsigned room = most(grid->number + 1 + grid->word, grid->text);
    term_left(term, STYLE_PLAIN, shown->title, grid->title);
    term_pad(term, 2);
    if (shown->text.len) {
        term_left(term, STYLE_BOLD, shown->text, room);
        return;
    }
    term_right(term, STYLE_BOLD, shown->number, grid->number);
    term_pad(term, 1);
    term_left(term, STYLE_PLAIN, shown->word, room - grid->number - 1);
}

/* What is not known has nothing to say to people. */
static bool is_told(const struct value *value)
{
    return !value->detail && cell_finite(value->cell).kind != CELL_NULL;
}

static void put_values(struct term *term, const struct section *section)
{
    struct shown *shown = arena_array(term->arena, section->value_count, sizeof *shown);
    uint32_t count = 0;
    for (uint32_t i = 0; i < section->value_count; i++)
        if (is_told(&section->values[i]))
            shown[count++] = shown_of(term, &section->values[i]);
    const struct grid grid = grid_of(term, shown, count);
    for (uint32_t row = 0; row < grid.rows; row++) {
        for (uint32_t at = row; at < count; at += grid.rows) {
            term_pad(term, at == row ? TERM_INDENT : 4);
            put_shown(term, &grid, &shown[at]);
        }
        term_line(term);
    }
}

/* ---- sections ---- */

static bool is_drawn(const struct figure *figure, const struct table *table)
{
    return !figure->page_only && str_eq(figure->table, table->id);
}

static uint32_t figures_of(const struct section *section, const struct table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < section->figure_count; i++)
        count += is_drawn(&section->figures[i], table);
    return count;
}

/* What one of several figures shows: the title of its column. */
static void put_figure_title(struct term *term, const struct figure *figure, const struct table *table)
{
    const uint32_t y = table_find_column(table, figure->y);
    if (y == COLUMN_NONE)
        return;
    const str title = term_text(term, table->columns[y].title);
    term_pad(term, TERM_INDENT);
    term_left(term, STYLE_PLAIN, title, glyph_width(title));
    term_line(term);
}

static void put_figures(struct term *term, const struct section *section, const struct table *table)
{
    const bool several = figures_of(section, table) > 1;
    for (uint32_t i = 0; i < section->figure_count; i++) {
        if (!is_drawn(&section->figures[i], table))
            continue;
        if (several)
            put_figure_title(term, &section->figures[i], table);
        term_figure(term, &section->figures[i], table, table->json_only);
    }
}

static bool has_figure(const struct section *section, const struct table *table)
{
    return figures_of(section, table) > 0;
}

/* The column that a stacked bar draws. */
static uint32_t stacked_column(const struct section *section, const struct table *table)
{
    for (uint32_t i = 0; i < section->figure_count; i++) {
        const struct figure *figure = &section->figures[i];
        if (figure->kind == FIGURE_STACK && str_eq(figure->table, table->id))
            return table_find_column(table, figure->y);
    }
    return COLUMN_NONE;
}

/* A table with the figures drawn from it; of one that is only for machines the figures alone. False: nothing to draw. */
static bool put_table(struct term *term, const struct section *section, const struct table *table, bool follows)
{
    const bool figures = table->row_count && has_figure(section, table);
    if (table->json_only && !figures)
        return false;
    if (follows)
        term_line(term);
    if (!str_eq(table->title, section->title))
        term_title(term, table);
    if (figures)
        put_figures(term, section, table);
    if (table->json_only)
        return true;
    if (figures)
        term_line(term);
    term_table(term, table, false, stacked_column(section, table));
    return true;
}

static bool has_values(const struct section *section)
{
    for (uint32_t i = 0; i < section->value_count; i++)
        if (is_told(&section->values[i]))
            return true;
    return false;
}

/* Whether people have anything to see in it. */
static bool is_shown(const struct section *section)
{
    if (section->in_head)
        return false;
    for (uint32_t i = 0; i < section->table_count; i++)
        if (!section->tables[i]->json_only || has_figure(section, section->tables[i]))
            return true;
    return section->text_count || has_values(section);
}

static void put_section(struct term *term, const struct section *section)
{
    if (!is_shown(section))
        return;
    put_title(term, term_text(term, section->title));
    for (uint32_t i = 0; i < section->text_count; i++) {
        term_pad(term, TERM_INDENT);
        term_paragraph(term, STYLE_PLAIN, section->texts[i], TERM_INDENT);
    }
    bool follows = section->text_count;
    const bool values = has_values(section);
    if (follows && values)
        term_line(term);
    put_values(term, section);
    follows = follows || values;
    for (uint32_t i = 0; i < section->table_count; i++)
        follows = put_table(term, section, section->tables[i], follows) || follows;
}

/* Once for all tables. */
static void put_folded(struct term *term)
{
    if (!term->folded)
        return;
    term_line(term);
    term_pad(term, TERM_INDENT);
    term_paragraph(term, STYLE_DIM, S("--rows 0 shows the rows below 0.1 %, too."), TERM_INDENT);
}

/* ---- warnings ---- */

static str warning_line(struct term *term, const struct report *report, const struct report_warning *warning)
{
    const bool named =
        warning->path.len && !(report->input_count == 1 && str_eq(warning->path, report->inputs[0].path));
    const str path = named ? str_printf(term->arena, "%.*s: ", (int)warning->path.len, warning->path.at) : S("");
    const str place = warning->offset >= 0 ? str_printf(term->arena, "byte %lld: ", (long long)warning->offset) : S("");
    return str_printf(term->arena, "%.*s%.*s%.*s", (int)path.len, path.at, (int)place.len, place.at,
                      (int)warning->message.len, warning->message.at);
}

static void put_warnings(struct term *term, const struct report *report)
{
    const uint32_t count = report_warnings_below(report);
    if (!count)
        return;
    put_title(term, S("About the input"));
    const uint32_t most = count > MOST_WARNINGS + 1 ? MOST_WARNINGS : count;
    for (uint32_t i = 0, shown = 0; shown < most; i++) {
        if (report->warnings[i].in_head)
            continue;
        term_pad(term, TERM_INDENT);
        term_paragraph(term, STYLE_PLAIN, warning_line(term, report, &report->warnings[i]), TERM_INDENT + 2);
        shown++;
    }
    if (most < count) {
        term_pad(term, TERM_INDENT);
        term_put(term, STYLE_DIM, str_printf(term->arena, "%u more; --format json lists them all", count - most));
        term_line(term);
    }
}

/* ---- the whole ---- */

static bool render(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    struct arena scratch = {0};
    struct term term = {out, options, &scratch, {0}, options->width ? options->width : TERM_UNLIMITED, false};
    if (options->table.len) {
        const struct table *table = report_find_table(report, options->table);
        term_title(&term, table);
        term_table(&term, table, true, COLUMN_NONE);
    } else {
        put_head(&term, report);
        for (uint32_t i = 0; i < report->section_count; i++)
            put_section(&term, report->sections[i]);
        put_folded(&term);
        if (term_has_findings(report))
            put_title(&term, S("Findings"));
        term_findings(&term, report);
        put_warnings(&term, report);
    }
    buf_free(&term.line);
    arena_free(&scratch);
    return true;
}

const struct renderer render_term = {"term", render};
