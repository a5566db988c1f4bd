/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules against snippets of Python. A comment on a line says what is expected
 * there, and everything else must stay silent:
 *
 *     expect("ST4", "...\n"
 *                   "    total += loss.item()  # ST401\n"          a warning
 *                   "    best = loss.item()    # ST401 note\n");   a note
 *
 * Only rules whose id begins with the first argument are looked at. A line
 * "#: name.py" begins another file of the same run; the first is "case.py".
 */
#ifndef TESTS_RULES_CASE_H
#define TESTS_RULES_CASE_H

#include <stdlib.h>

#include "unit/cmocka_first.h"

#include "rules/families/rules.h"
#include "source/paces/project_new.h"

enum { CASE_FILES = 16 };

struct snippet {
    struct project_source files[CASE_FILES];
    uint32_t count;
};

static struct snippet snippet_of(str text)
{
    struct snippet snippet = {.count = 1};
    snippet.files[0] = (struct project_source){S("case.py"), text};
    for (str rest = text, line; str_cut(&rest, '\n', &line);) {
        if (!str_starts(line, S("#: ")))
            continue;
        struct project_source *before = &snippet.files[snippet.count - 1];
        before->text.len = (size_t)(line.at - before->text.at);
        snippet.files[snippet.count++] = (struct project_source){str_from(line, 3), rest};
    }
    return snippet;
}

/* "case.py:3 ST401 note; " for each marker of a file. */
static void add_expected(struct arena *arena, str *list, const struct project_source *file, str family)
{
    int64_t number = 0;
    for (str rest = file->text, line; str_cut(&rest, '\n', &line);) {
        number++;
        const char *at = line.len ? memmem(line.at, line.len, "# ST", 4) : NULL;
        for (str marks = at ? str_from(line, (size_t)(at - line.at) + 2) : S(""), mark; str_cut(&marks, ',', &mark);) {
            mark = str_trim(mark);
            if (str_starts(mark, family))
                *list = str_printf(arena, "%.*s%.*s:%lld %.*s; ", (int)list->len, list->at, (int)file->path.len,
                                   file->path.at, (long long)number, (int)mark.len, mark.at);
        }
    }
}

static int by_line(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void add_found(struct arena *arena, str *list, const struct project *project, uint32_t file, str family)
{
    const struct check check = {project, file, project_tree(project, file), arena};
    struct matches found = rules_check(&check, UINT64_MAX);
    if (found.count)
        qsort(found.at, found.count, sizeof *found.at, by_line);
    for (uint32_t i = 0; i < found.count; i++) {
        const struct match *match = &found.at[i];
        assert_true(match->message.len > 0);
        if (!str_starts(str_of(match->rule->id), family))
            continue;
        const str path = project_file(project, file)->path;
        *list = str_printf(arena, "%.*s%.*s:%u %s%s; ", (int)list->len, list->at, (int)path.len, path.at,
                           syntax_place(check.tree, match->begin).line, match->rule->id,
                           match->level == LEVEL_NOTE ? " note" : "");
    }
}

static void expect(const char *family, const char *text)
{
    struct arena arena = {0};
    const struct snippet snippet = snippet_of(str_of(text));
    struct project *project = project_new(snippet.files, snippet.count, NULL);
    str expected = S(""), found = S("");
    for (uint32_t i = 0; i < snippet.count; i++) {
        add_expected(&arena, &expected, &snippet.files[i], str_of(family));
        add_found(&arena, &found, project, i, str_of(family));
    }
    assert_string_equal(str_z(&arena, found), str_z(&arena, expected));
    project_free(project);
    arena_free(&arena);
}

#endif
