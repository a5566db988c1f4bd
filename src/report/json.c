/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document as JSON: the contract of doc/json.md, word for word. Every key is
 * always present; what is unknown is null. A change that a reader could notice
 * raises SCHEMA.
 */
#include "render.h"
#include "text/json_writer.h"

enum { SCHEMA = 1 };

/* ---- members ---- */

/* "" stands for unknown. */
static void member_known_text(struct json_writer *json, str key, str value)
{
    json_write_key(json, key);
    if (value.len)
        json_write_text(json, value);
    else
        json_write_null(json);
}

/* What is below `least` stands for unknown. */
static void member_known_int(struct json_writer *json, str key, int64_t value, int64_t least)
{
    json_write_key(json, key);
    if (value >= least)
        json_write_int(json, value);
    else
        json_write_null(json);
}

static void put_cell(struct json_writer *json, struct cell cell)
{
    switch (cell.kind) {
    case CELL_NULL:
        json_write_null(json);
        break;
    case CELL_INT:
        json_write_int(json, cell.i);
        break;
    case CELL_REAL:
        json_write_real(json, cell.real);
        break;
    case CELL_TEXT:
        json_write_text(json, cell.text);
        break;
    }
}

/* ---- head ---- */

static void put_program(struct json_writer *json, str version)
{
    json_write_key(json, S("steptime"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("version"), version);
    json_write_key(json, S("schema"));
    json_write_int(json, SCHEMA);
    json_write_end(json);
}

static void member_known_real(struct json_writer *json, str key, double value)
{
    json_write_key(json, key);
    if (value >= 0)
        json_write_real(json, value);
    else
        json_write_null(json);
}

static void put_steps(struct json_writer *json, const struct report_steps *steps)
{
    member_known_text(json, S("step_source"), steps->source);
    json_write_key(json, S("step_regularity"));
    json_write_object(json, JSON_FLAT);
    member_known_text(json, S("name"), steps->name);
    member_known_int(json, S("steps"), steps->source.len ? steps->count : -1, 0);
    member_known_real(json, S("spread"), steps->source.len ? steps->spread : -1);
    member_known_real(json, S("variation"), steps->source.len ? steps->variation : -1);
    member_known_real(json, S("covered"), steps->source.len ? steps->covered : -1);
    json_write_end(json);
}

static void put_inputs(struct json_writer *json, const struct report *report)
{
    json_write_list(json, S("inputs"));
    for (uint32_t i = 0; i < report->input_count; i++) {
        const struct report_input *input = &report->inputs[i];
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("path"), input->path);
        member_known_text(json, S("format"), input->format);
        member_known_int(json, S("events"), input->events, 0);
        member_known_int(json, S("bytes"), input->bytes, 0);
        member_known_int(json, S("repaired"), input->repaired, 0);
        member_known_int(json, S("dropped"), input->dropped, 0);
        put_steps(json, &input->steps);
        json_write_end(json);
    }
    json_write_end(json);
}

static void put_warnings(struct json_writer *json, const struct report *report)
{
    json_write_list(json, S("warnings"));
    for (uint32_t i = 0; i < report->warning_count; i++) {
        json_write_object(json, JSON_FLAT);
        member_known_text(json, S("path"), report->warnings[i].path);
        member_known_int(json, S("offset"), report->warnings[i].offset, 0);
        json_write_member(json, S("message"), report->warnings[i].message);
        json_write_end(json);
    }
    json_write_end(json);
}

/* ---- sections ---- */

static void put_value(struct json_writer *json, const struct value *value)
{
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("id"), value->id);
    json_write_key(json, S("value"));
    put_cell(json, value->cell);
    member_known_text(json, S("unit"), unit_word(value->unit));
    json_write_end(json);
}

static void put_column(struct json_writer *json, const struct column *column)
{
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("id"), column->id);
    json_write_member(json, S("title"), column->title);
    member_known_text(json, S("unit"), unit_word(column->unit));
    json_write_member(json, S("definition"), column->definition);
    json_write_end(json);
}

static void put_rows(struct json_writer *json, const struct table *table)
{
    struct arena scratch = {0};
    struct row_walk walk = table_walk(table, &scratch);
    for (const struct cell *cells; (cells = table_next(&walk));) {
        json_write_array(json, JSON_FLAT);
        for (uint32_t i = 0; i < table->column_count; i++)
            put_cell(json, cells[i]);
        json_write_end(json);
    }
    arena_free(&scratch);
}

static void put_table(struct json_writer *json, const struct table *table)
{
    json_write_object(json, JSON_LINES);
    json_write_member(json, S("id"), table->id);
    json_write_list(json, S("columns"));
    for (uint32_t i = 0; i < table->column_count; i++)
        put_column(json, &table->columns[i]);
    json_write_end(json);
    json_write_list(json, S("rows"));
    put_rows(json, table);
    json_write_end(json);
    json_write_end(json);
}

static void put_figure(struct json_writer *json, const struct figure *figure)
{
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("id"), figure->id);
    json_write_member(json, S("kind"), figure_kind_word(figure->kind));
    json_write_member(json, S("table"), figure->table);
    json_write_member(json, S("x"), figure->x);
    json_write_member(json, S("y"), figure->y);
    json_write_end(json);
}

/* `only` names the one table that is wanted, with its figures; "": everything. */
static void put_section(struct json_writer *json, const struct section *section, str only)
{
    json_write_object(json, JSON_LINES);
    json_write_member(json, S("id"), section->id);
    json_write_member(json, S("title"), section->title);
    json_write_list(json, S("values"));
    for (uint32_t i = 0; i < section->value_count; i++)
        put_value(json, &section->values[i]);
    json_write_end(json);
    json_write_list(json, S("tables"));
    for (uint32_t i = 0; i < section->table_count; i++)
        if (!only.len || str_eq(section->tables[i]->id, only))
            put_table(json, section->tables[i]);
    json_write_end(json);
    json_write_list(json, S("figures"));
    for (uint32_t i = 0; i < section->figure_count; i++)
        if (!only.len || str_eq(section->figures[i].table, only))
            put_figure(json, &section->figures[i]);
    json_write_end(json);
    json_write_end(json);
}

static void put_sections(struct json_writer *json, const struct report *report, str only)
{
    json_write_list(json, S("sections"));
    for (uint32_t i = 0; i < report->section_count; i++)
        if (!only.len || section_find_table(report->sections[i], only))
            put_section(json, report->sections[i], only);
    json_write_end(json);
}

/* ---- findings ---- */

static void put_events(struct json_writer *json, const struct finding *finding)
{
    json_write_key(json, S("events"));
    if (!finding->events) {
        json_write_null(json);
        return;
    }
    json_write_array(json, JSON_FLAT);
    for (uint32_t i = 0; i < finding->event_count; i++)
        json_write_int(json, finding->events[i]);
    json_write_end(json);
}

static void put_edits(struct json_writer *json, const struct finding *finding)
{
    json_write_key(json, S("edits"));
    if (!finding->edit_count) {
        json_write_null(json);
        return;
    }
    json_write_array(json, JSON_LINES);
    for (uint32_t i = 0; i < finding->edit_count; i++) {
        const struct finding_edit *edit = &finding->edits[i];
        json_write_object(json, JSON_FLAT);
        member_known_int(json, S("line"), edit->line, 1);
        member_known_int(json, S("column"), edit->column, 1);
        member_known_int(json, S("end_line"), edit->end_line, 1);
        member_known_int(json, S("end_column"), edit->end_column, 1);
        json_write_member(json, S("text"), edit->text);
        json_write_end(json);
    }
    json_write_end(json);
}

static void put_link(struct json_writer *json, str name, const struct finding_link *link)
{
    json_write_key(json, name);
    json_write_object(json, JSON_LINES);
    json_write_key(json, S("holds"));
    if (link->holds == FINDING_HOLDS_OPEN)
        json_write_null(json);
    else
        json_write_bool(json, link->holds == FINDING_HOLDS);
    json_write_member(json, S("state"), finding_holds_word(link->holds));
    json_write_member(json, S("text"), link->text);
    json_write_list(json, S("places"));
    for (uint32_t i = 0; i < link->count; i++) {
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("file"), link->places[i].file);
        member_known_int(json, S("cell"), link->places[i].cell, 1);
        json_write_key(json, S("line"));
        json_write_int(json, link->places[i].line);
        json_write_member(json, S("text"), link->places[i].what);
        json_write_end(json);
    }
    json_write_end(json);
    json_write_end(json);
}

static void put_places(struct json_writer *json, const struct finding *finding)
{
    json_write_key(json, S("places"));
    if (!finding->spot_count) {
        json_write_null(json);
        return;
    }
    json_write_array(json, JSON_LINES);
    for (uint32_t i = 0; i < finding->spot_count; i++) {
        const struct finding_spot *spot = &finding->spots[i];
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("rule"), spot->rule);
        json_write_member(json, S("severity"), severity_word(spot->severity));
        member_known_int(json, S("cell"), spot->cell, 1);
        member_known_int(json, S("line"), spot->line, 1);
        member_known_int(json, S("column"), spot->column, 1);
        member_known_int(json, S("end_line"), spot->end_line, 1);
        member_known_int(json, S("end_column"), spot->end_column, 1);
        json_write_end(json);
    }
    json_write_end(json);
}

static void put_proof(struct json_writer *json, const struct finding *finding)
{
    json_write_key(json, S("proof"));
    if (!finding->proof) {
        json_write_null(json);
        return;
    }
    json_write_object(json, JSON_LINES);
    for (int i = 0; i < FINDING_LINKS; i++)
        put_link(json, finding_link_word((enum finding_link_kind)i), &finding->proof[i]);
    json_write_end(json);
}

static void put_finding(struct json_writer *json, const struct finding *finding)
{
    json_write_object(json, JSON_LINES);
    member_known_text(json, S("id"), finding->id);
    member_known_text(json, S("rule"), finding->rule);
    json_write_member(json, S("severity"), severity_word(finding->severity));
    member_known_text(json, S("tier"), finding->tier);
    member_known_text(json, S("message"), finding->message);
    member_known_text(json, S("file"), finding->file);
    member_known_int(json, S("cell"), finding->cell, 1);
    member_known_int(json, S("line"), finding->line, 1);
    member_known_int(json, S("column"), finding->column, 1);
    member_known_int(json, S("end_line"), finding->end_line, 1);
    member_known_int(json, S("end_column"), finding->end_column, 1);
    member_known_int(json, S("per_step_host_blocked_ns"), finding->per_step_host_blocked_ns, 0);
    member_known_int(json, S("per_step_saving_ns"), finding->per_step_saving_ns, 0);
    member_known_text(json, S("fix"), finding->fix);
    put_places(json, finding);
    put_edits(json, finding);
    put_events(json, finding);
    put_proof(json, finding);
    json_write_end(json);
}

static void put_findings(struct json_writer *json, const struct report *report)
{
    json_write_list(json, S("findings"));
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].suppressed)
            put_finding(json, &report->findings[i]);
    json_write_end(json);
}

static bool render(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    struct json_writer json = json_write_begin(out);
    json_write_object(&json, JSON_LINES);
    put_program(&json, options->version);
    json_write_member(&json, S("command"), report->command);
    put_inputs(&json, report);
    put_warnings(&json, report);
    put_sections(&json, report, options->table);
    put_findings(&json, report);
    json_write_end(&json);
    json_write_finish(&json);
    return true;
}

const struct renderer render_json = {"json", render};
