/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites against snippets of Python: what a file says before and after.
 *
 *     becomes("ST401", "...before...", "...after...");
 *     stays("ST401", "...refused...");
 *
 * Only the rules whose id begins with the first argument are run, safe and unsafe
 * ones, pass after pass until nothing changes: so what is expected is also what a
 * second run leaves alone.
 */
#ifndef TESTS_FIX_CASE_H
#define TESTS_FIX_CASE_H

#include "unit/cmocka_first.h"

#include "rules/families/rules.h"
#include "source/paces/project_new.h"
#include "syntax/edit.h"

enum { PASSES = 8 };

static str fixed_once(struct arena *arena, const char *family, str text)
{
    const struct project_source source = {S("case.py"), text};
    struct project *project = project_new(&source, 1, NULL);
    const struct check check = {project, 0, project_tree(project, 0), arena};
    struct edits *edits = edits_new(arena, check.tree);
    const struct matches found = rules_check(&check, UINT64_MAX);
    for (uint32_t i = 0; i < found.count; i++) {
        const struct match *match = &found.at[i];
        if (str_starts(str_of(match->rule->id), str_of(family)) && match->rule->fix && match->fix != FIX_NONE)
            match->rule->fix(&check, match, edits);
    }
    const str after = edits_apply(edits, arena);
    assert_int_equal(syntax_parse(arena, source.path, after)->error_count, check.tree->error_count);
    project_free(project);
    return after;
}

static void becomes(const char *family, const char *before, const char *after)
{
    struct arena arena = {0};
    str text = str_of(before);
    for (int pass = 0; pass < PASSES; pass++) {
        const str next = fixed_once(&arena, family, text);
        if (str_eq(next, text))
            break;
        assert_true(pass < PASSES - 1); /* it must come to rest */
        text = next;
    }
    assert_string_equal(str_z(&arena, text), after);
    arena_free(&arena);
}

__attribute__((unused)) static void stays(const char *family, const char *text)
{
    becomes(family, text, text);
}

#endif
