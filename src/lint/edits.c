/* SPDX-License-Identifier: Apache-2.0 */
/* What the fix of one finding would change, as ranges that reports and editors take. */
#include "base/utf8.h"
#include "cell.h"
#include "report/report.h"
#include "rules/families/causes.h"
#include "syntax/edit.h"

static int64_t utf16_column(const struct syntax *tree, uint32_t byte, struct place_in_text at)
{
    return (int64_t)utf16_units(tree->text.at + byte - (at.column - 1), at.column - 1) + 1;
}

struct finding_edit lint_edit(const struct syntax *tree, uint32_t begin, uint32_t end, str text)
{
    const struct place_in_text from = syntax_place(tree, begin), to = syntax_place(tree, end);
    return (struct finding_edit){from.line, utf16_column(tree, begin, from), to.line, utf16_column(tree, end, to),
                                 text};
}

const struct finding_edit *lint_edits(const struct lint *lint, const struct match *match, struct arena *arena,
                                      uint32_t *count)
{
    const enum fix_kind kind = causes_fix(match);
    bool made = false;
    *count = 0;
    if (kind == FIX_NONE)
        return NULL;
    const struct check check = lint_check(lint, match->file, arena);
    struct edits *edits = edits_new(arena, check.tree);
    const struct lint_file *file = &lint->files[match->file];
    for (const struct match *at = match; at; at = at->also)
        if (at->fix == kind)
            made |= rewrite_match(&check, file, at, edits);
    if (!made)
        return NULL;
    const struct edit *list = edits_list(edits, count);
    if (file->notebook)
        return edits_in_file(file->notebook, arena, list, *count);
    struct finding_edit *kept = arena_array(arena, *count, sizeof *kept);
    for (uint32_t i = 0; i < *count; i++)
        kept[i] = lint_edit(check.tree, list[i].begin, list[i].end, list[i].text);
    return kept;
}
