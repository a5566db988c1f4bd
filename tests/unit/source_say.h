/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Python snippet and an expression of it in, what the analysis believes of it
 * out. The last place where the text stands counts.
 */
#ifndef SOURCE_SAY_H
#define SOURCE_SAY_H

#include <stdio.h>

#include "base/buf.h"
#include "source/context.h"
#include "source/explain.h"
#include "source/flow.h"
#include "source/name.h"
#include "source/summary.h"
#include "source/value.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

static inline const char *text(const char *format, const char *with)
{
    struct buf buf = {0};
    const char *gap = strstr(format, "%s");
    buf_add(&buf, (str){format, (size_t)(gap - format)});
    buf_add(&buf, str_of(with));
    buf_add(&buf, str_of(gap + 2));
    const char *made = str_z(&arena, buf_str(&buf));
    buf_free(&buf);
    return made;
}

/* The outermost expression that reads so, at the last place where one does. */
static inline struct site find(const struct project *project, uint32_t file, const char *expression)
{
    const struct syntax *tree = project_tree(project, file);
    uint32_t found = SYNTAX_NONE;
    for (uint32_t node = 0; node < tree->count; node++) {
        const bool outermost = found == SYNTAX_NONE || tree->begin[node] > tree->begin[found];
        const bool part = tree->kind[node] >= SYN_NAME || tree->kind[node] == SYN_FOR || tree->kind[node] == SYN_WHILE;
        if (part && outermost && str_eq(syntax_text(tree, node), str_of(expression)))
            found = node;
    }
    if (found == SYNTAX_NONE)
        print_error("no expression %s\n", expression);
    assert_true(found != SYNTAX_NONE);
    return (struct site){file, found};
}

static inline struct project *run_of(const char *code)
{
    const struct project_source source = {S("file.py"), str_of(code)};
    return project_new(&source, 1, NULL);
}

static inline void says_in(const struct project_source *files, uint32_t count, uint32_t file, const char *expression,
                           const char *expected)
{
    struct project *project = project_new(files, count, NULL);
    const struct value *value = value_at(project, find(project, file, expression));
    const str said = value_words(&arena, project, value);
    project_free(project);
    assert_string_equal(str_z(&arena, said), expected);
}

static inline void says(const char *code, const char *expression, const char *expected)
{
    says_in(&(struct project_source){S("file.py"), str_of(code)}, 1, 0, expression, expected);
}

static inline void moves(const char *code, const char *call, enum move expected)
{
    struct project *project = run_of(code);
    const struct move_info info = value_move(project, find(project, 0, call));
    project_free(project);
    if (info.move != expected)
        print_error("%s\n", call);
    assert_int_equal(info.move, expected);
}

static inline void is_named(const char *code, const char *expression, const char *expected)
{
    struct project *project = run_of(code);
    const str name = str_copy(&arena, name_of(project, find(project, 0, expression)));
    project_free(project);
    assert_string_equal(name.at, expected);
}

static inline void runs(const char *code, const char *expression, const char *expected)
{
    struct project *project = run_of(code);
    const struct context context = context_of(project, find(project, 0, expression));
    const str said = context_words(&arena, &context);
    project_free(project);
    assert_string_equal(str_z(&arena, said), expected);
}

#endif
