/* SPDX-License-Identifier: Apache-2.0 */
/* What was rewritten, as a report for programs: counts, rewrites, edits of the files as they are, and a diff a file. */
#include "cell.h"
#include "fix.h"
#include "report/report.h"
#include "rules/families/help.h"
#include "syntax/lines.h"

static str kind_of(uint64_t tags)
{
    return str_of(fix_word(tags >> FIX_TAG_UNSAFE & 1 ? FIX_UNSAFE : FIX_SAFE));
}

/* "ST401, ST409": an edit that several rewrites share names each. */
static str rules_of(struct arena *arena, uint64_t tags)
{
    str list = S("");
    for (uint32_t i = 0; rules[i]; i++)
        if (tags >> i & 1)
            list = str_printf(arena, "%.*s%s%s", (int)list.len, list.at, list.len ? ", " : "", rules[i]->id);
    return list;
}

/* ---- rewrites ---- */

static const struct column_spec rewrites_columns[] = {
    {"file", "file", UNIT_NONE, 0, "path of the file"},
    {"line", "line", UNIT_NONE, 0, "where the finding stood, in the text of its round"},
    {"rule", "rule", UNIT_NONE, 0, "id of the rule"},
    {"name", "", UNIT_NONE, 0, "its name"},
    {"fix", "fix", UNIT_NONE, 0, "safe or unsafe"},
    {"round", "round", UNIT_COUNT, 0, "1: in the file as it is; more: in what earlier rewrites made"},
    {"reason", "why unsafe", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "what an unsafe rewrite may change"},
    {"cell", "cell", UNIT_NONE, 0, "cell of a notebook, in which lines count"},
    {0},
};

static void show_rewrite(struct table *table, str path, const struct fix_made *made)
{
    table_row(table);
    table_text(table, path);
    table_int(table, made->line);
    table_text(table, str_of(made->rule->id));
    table_text(table, str_of(made->rule->name));
    table_text(table, str_of(fix_word(made->kind)));
    table_int(table, made->round);
    table_cell(table, cell_text_or_null(made->kind == FIX_UNSAFE ? str_of(made->rule->words->unsafe_when) : S("")));
    table_cell(table, cell_int_if(made->cell > 0, made->cell));
}

static void show_rewrites(const struct fixes *fixes, struct section *section)
{
    struct table *table = section_table(section, "rewrites", "");
    table_columns(table, rewrites_columns);
    for (uint32_t i = 0; i < fixes->file_count; i++)
        for (uint32_t k = 0; k < fixes->files[i].made_count; k++)
            show_rewrite(table, fixes->files[i].path, &fixes->files[i].made[k]);
}

/* ---- edits ---- */

static const struct column_spec edits_columns[] = {
    {"file", "file", UNIT_NONE, 0, "path of the file"},
    {"line", "line", UNIT_NONE, 0, "where the replaced range begins, counted from 1"},
    {"column", "column", UNIT_NONE, 0, "where it begins in the line, counted from 1 in UTF-16 units"},
    {"end_line", "end line", UNIT_NONE, 0, "where it ends"},
    {"end_column", "end column", UNIT_NONE, 0, "the column behind its last character"},
    {"text", "text", UNIT_NONE, COLUMN_WIDE, "what takes its place"},
    {"rules", "rules", UNIT_NONE, 0, "ids of the rules whose rewrites it belongs to, with commas"},
    {"fix", "fix", UNIT_NONE, 0, "unsafe where one of those rewrites is, else safe"},
    {0},
};

static void show_edit(struct table *table, const struct fix_file *file, const struct syntax *tree, uint32_t i,
                      struct arena *arena)
{
    const struct edit *at = &file->edits.at[i];
    const struct finding_edit edit = lint_edit(tree, at->begin, at->end, at->text);
    table_row(table);
    table_text(table, file->path);
    table_int(table, edit.line);
    table_int(table, edit.column);
    table_int(table, edit.end_line);
    table_int(table, edit.end_column);
    table_text(table, edit.text);
    table_text(table, rules_of(arena, file->edits.tags[i]));
    table_text(table, kind_of(file->edits.tags[i]));
}

static void show_edits(const struct fixes *fixes, struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, "edits", "");
    table_columns(table, edits_columns);
    for (uint32_t i = 0; i < fixes->file_count; i++) {
        const struct fix_file *file = &fixes->files[i];
        struct syntax tree = {.path = file->path, .text = file->before}; /* of which its lines are asked */
        lines_index(arena, &tree);
        for (uint32_t k = 0; k < file->edits.count; k++)
            show_edit(table, file, &tree, k, arena);
    }
}

/* ---- diffs ---- */

static const struct column_spec diffs_columns[] = {
    {"file", "file", UNIT_NONE, 0, "path of the file"},
    {"diff", "diff", UNIT_NONE, COLUMN_WIDE, "the unified diff, as the command prints it without --format"},
    {0},
};

static void show_diffs(const struct fixes *fixes, struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, "diffs", "");
    table_columns(table, diffs_columns);
    for (uint32_t i = 0; i < fixes->file_count; i++) {
        struct buf diff = {0};
        fix_diff(&fixes->files[i], &diff);
        table_row(table);
        table_text(table, fixes->files[i].path);
        table_text(table, str_copy(arena, buf_str(&diff)));
        buf_free(&diff);
    }
}

/* ---- the whole ---- */

static void count(struct section *section, const char *id, const char *title, uint32_t value)
{
    section_value(section, id, title, UNIT_COUNT, cell_int(value));
}

void fix_show(const struct fixes *fixes, struct report *report)
{
    struct section *section = report_section(report, "fix", "Rewrites");
    count(section, "files", "files that change", fixes->file_count);
    count(section, "safe", "safe rewrites", fixes->safe_count);
    count(section, "unsafe", "unsafe rewrites", fixes->unsafe_count);
    count(section, "left_notes", "notes with a rewrite, left as they are", fixes->left_notes);
    count(section, "left_unsafe", "findings that only an unsafe rewrite fixes", fixes->left_unsafe);
    count(section, "left_unmade", "findings whose rewrite could not be made", fixes->left_unmade);
    if (fixes->stopped)
        report_warning(report, S(""), -1, S("rewrites end after 12 rounds; another run may make what is left"));
    show_rewrites(fixes, section);
    show_edits(fixes, section, report_arena(report));
    show_diffs(fixes, section, report_arena(report));
    for (uint32_t i = 0; i < fixes->remark_count; i++) {
        const struct lint_remark *remark = &fixes->remarks[i];
        const str place = cell_line_words(report_arena(report), (struct cell_line){remark->cell, remark->line});
        report_warning(report, remark->path, -1,
                       str_printf(report_arena(report), "%.*s%s%.*s", (int)place.len, place.at, place.len ? ": " : "",
                                  (int)remark->message.len, remark->message.at));
    }
}
