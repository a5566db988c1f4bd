/* SPDX-License-Identifier: Apache-2.0 */
#include "source/explain.h"

#include "base/buf.h"
#include "source/context.h"
#include "source/flow.h"
#include "source/name.h"
#include "source/value.h"

static void explain(struct buf *buf, const struct project *project, struct site site)
{
    struct arena arena = {0};
    const struct context context = context_of(project, site);
    const str value = value_words(&arena, project, value_at(project, site)), at = context_words(&arena, &context);
    buf_printf(buf, "%.*s | %.*s", (int)value.len, value.at, (int)at.len, at.at);
    arena_free(&arena);
}

str explain_site(struct arena *arena, const struct project *project, struct site site)
{
    struct buf buf = {0};
    explain(&buf, project, site);
    const str text = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

static bool worth_a_line(const struct syntax *tree, uint32_t node)
{
    switch (tree->kind[node]) {
    case SYN_CALL:
    case SYN_ATTRIBUTE:
    case SYN_SUBSCRIPT:
    case SYN_BINARY:
    case SYN_COMPARE:
        return true;
    case SYN_NAME:
        return tree->kind[tree->parent[node]] != SYN_ATTRIBUTE || node == tree->parent[node] + 1;
    default:
        return false;
    }
}

str explain_file(struct arena *arena, const struct project *project, uint32_t file)
{
    const struct syntax *tree = project_tree(project, file);
    struct buf buf = {0};
    for (uint32_t node = 0; node < tree->count; node++) {
        if (!worth_a_line(tree, node))
            continue;
        const struct place_in_text place = syntax_place(tree, tree->begin[node]);
        str text = syntax_text(tree, node);
        text.len = text.len > 60 ? 60 : text.len;
        const str one_line = str_printable(arena, text);
        buf_printf(&buf, "%u:%u\t%.*s\t", place.line, place.column, (int)one_line.len, one_line.at);
        explain(&buf, project, (struct site){file, node});
        buf_char(&buf, '\n');
    }
    const str text = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}
