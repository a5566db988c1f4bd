/* SPDX-License-Identifier: Apache-2.0 */
#include "unreached.h"

#include "base/hash.h"
#include "mention_search.h"
#include "source/known/known_words.h"
#include "unmade.h"

/* ---- what may be called by its name ---- */

static bool is_plain_decorator(str name)
{
    return known_word(WORDS_STATIC_METHOD, name) || known_word(WORDS_CLASS_METHOD, name) ||
           known_word(WORDS_PROPERTY, name);
}

/* By anything that may keep it. torch.no_grad() and the like keep nothing. */
static bool is_kept_by_decorator(const struct project *project, const struct function *function)
{
    const struct syntax *tree = project_tree(project, function->file);
    const uint32_t decorated = tree->parent[function->node];
    if (tree->kind[decorated] != SYN_DECORATED)
        return false;
    for (uint32_t at = syntax_first(tree, decorated); at != NONE && at != function->node; at = syntax_next(tree, at)) {
        const uint32_t what = tree->kind[at] == SYN_CALL ? at + 1 : at;
        const str name = name_of(project, (struct site){function->file, what});
        if (!is_plain_decorator(syntax_text(tree, what)) && !str_starts(name, S("torch.")))
            return true;
    }
    return false;
}

static bool is_mentioned(const struct project *project, str name)
{
    return map_get(project->cells.options.mentioned, (int64_t)hash_bytes(name.at, name.len)) != MAP_NONE;
}

/* A command of the package is mostly its main(), which its installer names. */
static bool is_open(const struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    return str_eq(function->name, S("main")) || is_kept_by_decorator(project, function) ||
           is_mentioned(project, function->name);
}

/* ---- from what is run ---- */

static void begin_at_modules(const struct project *project, struct mention_search *search)
{
    for (uint32_t f = 0; f < project->files.function_count; f++) {
        const struct function *function = &project->files.functions[f];
        const bool of_module = mentions_is_of_module(project, f);
        if (project->files.at[function->file].is_test)
            continue;
        if (function->outer == NONE || (of_module && is_open(project, f)))
            mention_search_begin(search, f, NONE);
    }
}

static void begin_at_classes(const struct project *project, struct mention_search *search)
{
    for (uint32_t c = 0; c < project->files.class_count; c++)
        if (unmade_is_open(project, c))
            mention_search_begin(search, search->mentions->classes + c, NONE);
}

/* Not by the end of a name alone: each `model.train()` would come to each function that is called train. */
static void search_on(struct mention_search *search)
{
    for (uint32_t at = 0; at < search->count; at++) {
        const uint32_t unit = search->queue[at];
        for (uint32_t i = search->first[unit]; i < search->first[unit + 1]; i++) {
            const struct mention *mention = &search->mentions->at[search->of[i]];
            if (!mention->weak)
                mention_search_begin(search, mention->to, search->of[i]);
        }
    }
}

/* Whether any function that trains was come to: else the programs are not among the files. */
static bool comes_to_training(const struct project *project, const struct mention_search *search)
{
    for (uint32_t f = 0; f < project->files.function_count; f++)
        if (search->seen[f] && project->files.functions[f].outer != NONE &&
            project->contexts->trained.steps[f].kind == TRAINED_ITSELF)
            return true;
    return false;
}

void unreached_build(struct project *project, const struct mentions *mentions)
{
    struct contexts *contexts = project->contexts;
    const uint32_t functions = project->files.function_count;
    contexts->unreached = arena_array(&contexts->arena, functions, sizeof *contexts->unreached);
    if (!project->cells.options.mentioned || !contexts->trained.any)
        return;
    struct mention_search search;
    mention_search_new(&search, mentions, false);
    begin_at_modules(project, &search);
    begin_at_classes(project, &search);
    search_on(&search);
    const bool known = !search.seen[mentions->everything] && comes_to_training(project, &search);
    for (uint32_t f = 0; known && f < functions; f++)
        contexts->unreached[f] = !search.seen[f] && !project->files.at[project->files.functions[f].file].is_test;
    mention_search_free(&search);
}

bool unreached_is(const struct project *project, uint32_t function)
{
    return project->contexts->unreached[function];
}
