/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report as Markdown, as pull requests and issues show it (GitHub's and GitLab's tables): the sentences first, then tables,
 * the longer ones folded away. What was recorded is text: characters that Markdown or HTML would take for markup are
 * escaped, so that a name cannot draw anything.
 */
#include "render.h"
#include "scale.h"

enum { OPEN_ROWS = 12 }; /* a table of more is folded away */

struct markdown {
    const struct report *report;
    const struct render_options *options;
    struct writer *out;
    struct arena *arena;
};

static void put_text(const struct markdown *md, str text)
{
    static const char special[] = "\\`*_[]|#~@!";
    const str shown = str_printable(md->arena, text);
    for (size_t i = 0; i < shown.len; i++) {
        const char c = shown.at[i];
        if (c == '\n' || c == '\r')
            writer_put(md->out, S(" "));
        else if (c == '<' || c == '>' || c == '&')
            writer_put(md->out, c == '<' ? S("&lt;") : c == '>' ? S("&gt;") : S("&amp;"));
        else if (strchr(special, c))
            writer_printf(md->out, "\\%c", c);
        else
            writer_put(md->out, (str){&shown.at[i], 1});
    }
}

/* ---- tables ---- */

static bool is_seen(const struct markdown *md, const struct rows *rows, uint32_t column)
{
    const bool asked = md->options->table.len > 0;
    return asked || (!(rows->table->columns[column].flags & COLUMN_DETAIL) && !scale_is_empty(rows, column));
}

static void put_line(const struct markdown *md, const struct rows *rows, const struct scale *scales, uint32_t line)
{
    for (uint32_t i = 0; i < rows->table->column_count; i++) {
        if (!is_seen(md, rows, i))
            continue;
        writer_put(md->out, S("| "));
        put_text(md, scale_line(md->arena, &scales[i], rows, line, i));
        writer_put(md->out, S(" "));
    }
    writer_put(md->out, S("|\n"));
}

static void put_rows(const struct markdown *md, const struct rows *rows)
{
    const struct table *table = rows->table;
    struct scale *scales = arena_array(md->arena, table->column_count, sizeof *scales);
    for (uint32_t i = 0; i < table->column_count; i++)
        scales[i] = scale_of(rows, i);
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!is_seen(md, rows, i))
            continue;
        writer_put(md->out, S("| "));
        put_text(md, scale_heading(md->arena, &scales[i], table->columns[i].title));
        writer_put(md->out, S(" "));
    }
    writer_put(md->out, S("|\n"));
    for (uint32_t i = 0; i < table->column_count; i++)
        if (is_seen(md, rows, i))
            writer_put(md->out, scales[i].number ? S("| ---: ") : S("| --- "));
    writer_put(md->out, S("|\n"));
    for (uint32_t line = 0; line < rows_lines(rows); line++)
        put_line(md, rows, scales, line);
}

static void put_table(const struct markdown *md, const struct table *table)
{
    const struct rows rows = rows_seen(table, md->options->rows, md->arena);
    const bool asked = md->options->table.len > 0, folded = !asked && rows_lines(&rows) > OPEN_ROWS;
    const str title = table->title.len ? table->title : table->id;
    if ((table->json_only && !asked) || !rows.count)
        return;
    if (folded)
        writer_put(md->out, S("<details><summary>"));
    else
        writer_put(md->out, S("**"));
    put_text(md, title);
    writer_put(md->out, folded ? S("</summary>\n\n") : S("**\n\n"));
    put_rows(md, &rows);
    const str note = rows_note(&rows, md->arena);
    if (note.len)
        writer_printf(md->out, "\n%.*s\n", (int)note.len, note.at);
    writer_put(md->out, folded ? S("\n</details>\n\n") : S("\n"));
}

/* ---- sections ---- */

static void put_values(const struct markdown *md, const struct section *section)
{
    bool any = false;
    for (uint32_t i = 0; i < section->value_count; i++) {
        const struct value *value = &section->values[i];
        const struct cell cell = cell_finite(value->cell);
        double number;
        if (value->detail || cell.kind == CELL_NULL)
            continue;
        writer_put(md->out, any ? S(", ") : S(""));
        put_text(md, value->title);
        writer_put(md->out, S(" **"));
        if (cell_number(cell, &number))
            put_text(md, measure_whole_text(md->arena, value->unit, number, cell.kind == CELL_INT));
        else
            put_text(md, cell.text);
        writer_put(md->out, S("**"));
        any = true;
    }
    writer_put(md->out, any ? S("\n\n") : S(""));
}

static void put_section(const struct markdown *md, const struct section *section)
{
    if (!section->text_count && !section->value_count && !section->table_count)
        return;
    if (section->title.len && !section->in_head) {
        writer_put(md->out, S("### "));
        put_text(md, section->title);
        writer_put(md->out, S("\n\n"));
    }
    for (uint32_t i = 0; i < section->text_count; i++) {
        put_text(md, section->texts[i]);
        writer_put(md->out, S("\n\n"));
    }
    put_values(md, section);
    for (uint32_t i = 0; i < section->table_count; i++)
        put_table(md, section->tables[i]);
}

static void put_findings(const struct markdown *md)
{
    for (uint32_t i = 0; i < md->report->finding_count; i++) {
        const struct finding *finding = &md->report->findings[i];
        if (finding->suppressed)
            continue;
        writer_put(md->out, S("- **"));
        put_text(md, finding->rule);
        writer_put(md->out, S("** "));
        if (finding->file.len) {
            put_text(md, finding->file);
            writer_printf(md->out, ":%lld ", (long long)finding->line);
        }
        put_text(md, finding->message);
        writer_put(md->out, S("\n"));
    }
}

static void put_warnings(const struct markdown *md)
{
    for (uint32_t i = 0; i < report_warning_count(md->report); i++) {
        writer_put(md->out, i ? S("- ") : S("\n**About the input**\n\n- "));
        put_text(md, report_warning_line(md->report, i, md->arena));
        writer_put(md->out, S("\n"));
    }
}

static bool render(const struct report *report, const struct render_options *options, struct writer *out,
                   struct steptime_error *err)
{
    struct arena arena = {0};
    const struct markdown md = {report, options, out, &arena};
    (void)err;
    if (options->table.len) {
        put_table(&md, report_find_table(report, options->table));
    } else {
        for (int head = 1; head >= 0; head--) /* what the head says comes first, as on a screen */
            for (uint32_t i = 0; i < report->section_count; i++)
                if (report->sections[i]->in_head == head)
                    put_section(&md, report->sections[i]);
        put_findings(&md);
        put_warnings(&md);
    }
    arena_free(&arena);
    return true;
}

const struct renderer render_markdown = {"markdown", render};
