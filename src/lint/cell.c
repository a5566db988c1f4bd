/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include "notebook/notebook.h"
#include "report/report.h"
#include "syntax/edit.h"

struct cell_line cell_line(const struct lint_file *file, int64_t line)
{
    const struct notebook_cell *cell =
        file->notebook && line > 0 ? notebook_cell_of_line(file->notebook, (uint32_t)line) : NULL;
    return cell ? (struct cell_line){cell->number, line - cell->first_line + 1} : (struct cell_line){0, line};
}

str cell_line_words(struct arena *arena, struct cell_line at)
{
    if (!at.cell)
        return at.line ? str_printf(arena, "line %lld", (long long)at.line) : S("");
    return at.line ? str_printf(arena, "cell %u, line %lld", at.cell, (long long)at.line)
                   : str_printf(arena, "cell %u", at.cell);
}

str shown_line(const struct lint_file *file, uint32_t line)
{
    const str text = syntax_line(file->tree, line);
    if (!text.at)
        return S("");
    return file->notebook ? (str){file->notebook->original.at + (text.at - file->text.at), text.len} : text;
}

/* Whether the file can take what the groups from this one on change. */
static bool is_writable(const struct notebook *notebook, const struct edits *edits, uint32_t from)
{
    uint32_t count;
    const struct edit *list = edits_list(edits, &count);
    for (uint32_t i = 0; i < count; i++)
        if (edits_group_at(edits, i) >= from && !notebook_takes(notebook, &list[i]))
            return false;
    return true;
}

/* What a match changes holds together: all of it, or nothing. */
static bool keep_writable(const struct notebook *notebook, struct edits *edits, uint32_t from)
{
    if (is_writable(notebook, edits, from))
        return true;
    for (uint32_t group = from; group < edits_groups(edits); group++)
        edits_drop(edits, group);
    return false;
}

bool rewrite_match(const struct check *check, const struct lint_file *file, const struct match *match,
                   struct edits *edits)
{
    const uint32_t before = edits_groups(edits);
    if (!match->rule->fix(check, match, edits))
        return false;
    return !file->notebook || keep_writable(file->notebook, edits, before);
}

struct finding_edit *edits_in_file(const struct notebook *notebook, struct arena *arena, const struct edit *list,
                                   uint32_t count)
{
    const struct edit *written = notebook_edits(notebook, arena, list, count);
    struct finding_edit *edits = arena_array(arena, count, sizeof *edits);
    for (uint32_t i = 0; i < count; i++) {
        const struct place_in_text begin = notebook_place_of_file_byte(notebook, written[i].begin);
        const struct place_in_text end = notebook_place_of_file_byte(notebook, written[i].end);
        edits[i] = (struct finding_edit){begin.line, begin.column, end.line, end.column, written[i].text};
    }
    return edits;
}
