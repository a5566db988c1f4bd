/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a run of one or two Python files (the second begins behind a line
 * of "#: "): every question that may be asked of every node, every rule, every
 * rewrite. Nothing may end the process, and what a rewrite leaves parses.
 */
#include <assert.h>

#include "rules/families/rules.h"
#include "source/contexts/context.h"
#include "source/ask/flow.h"
#include "source/ask/name.h"
#include "source/paces/project_new.h"
#include "source/ask/value_at.h"
#include "syntax/edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MOST_FILES = 2, MOST_NODES = 20000 };

static uint32_t split(str text, struct project_source *files)
{
    const char *at = text.len ? memmem(text.at, text.len, "\n#: ", 4) : NULL;
    files[0] = (struct project_source){S("a.py"), text};
    if (!at)
        return 1;
    files[0].text.len = (size_t)(at - text.at) + 1;
    files[1] = (struct project_source){S("b.py"), str_from(text, files[0].text.len)};
    return MOST_FILES;
}

static void ask_everything(const struct project *project, uint32_t file)
{
    const uint32_t count = project_tree(project, file)->count;
    for (uint32_t node = 0; node < count && node < MOST_NODES; node++) {
        const struct site site = {file, node};
        const struct context context = context_of(project, site);
        assert(value_at(project, site) && context.pace <= PACE_STEP);
        (void)value_move(project, site);
        (void)flow_fate(project, site);
        (void)flow_pure(project, site);
        (void)context_loop(project, site);
        (void)name_of(project, site);
        assert(project_function_at(project, site) < project_functions(project));
    }
}

static void rewrite(const struct project *project, uint32_t file, struct arena *arena)
{
    const struct check check = {project, file, project_tree(project, file), arena};
    const struct matches found = rules_check(&check, UINT64_MAX);
    struct edits *edits = edits_new(arena, check.tree);
    for (uint32_t i = 0; i < found.count; i++) {
        assert(found.at[i].begin <= found.at[i].end && found.at[i].end <= check.tree->text.len);
        if (found.at[i].rule->fix && found.at[i].fix != FIX_NONE)
            found.at[i].rule->fix(&check, &found.at[i], edits);
    }
    edits_settle(edits);
    const str after = edits_apply(edits, arena);
    assert(syntax_parse(arena, S("a.py"), after)->error_count <= check.tree->error_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    struct project_source files[MOST_FILES];
    const uint32_t count = split((str){(const char *)bytes, size}, files);
    struct project *project = project_new(files, count, &(struct project_options){.threads = 1});
    for (uint32_t file = 0; file < count; file++) {
        ask_everything(project, file);
        rewrite(project, file, &arena);
    }
    project_free(project);
    arena_free(&arena);
    return 0;
}
