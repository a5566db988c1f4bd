/* SPDX-License-Identifier: Apache-2.0 */
#include "learners.h"

#include "base/mem.h"
#include "source/known/known_words.h"

static void push(struct learners *learners, struct site call, uint32_t target)
{
    learners->at = mem_grow(learners->at, &learners->room, learners->count + 1, sizeof *learners->at);
    learners->at[learners->count++] = (struct learner_call){call, target};
}

/* Nothing is known of it but its name: `algorithm`, `self.agent`. */
static bool is_learner(const struct project *project, const struct file *file, uint32_t object)
{
    const struct value *value = node_value(project, file, object);
    const bool open = (value->kind == VALUE_UNKNOWN || value->kind == VALUE_NOTHING || value->kind == VALUE_MODULE) &&
                      value->detail == NONE && !value->name;
    const struct syntax *tree = file->shown.tree;
    return open && (tree->kind[object] == SYN_NAME || tree->kind[object] == SYN_ATTRIBUTE) &&
           known_word(WORDS_LEARNER, syntax_tail(tree, object));
}

static bool takes_as_many(const struct project *project, const struct syntax *tree, uint32_t call, uint32_t f)
{
    uint32_t given = 1; /* self */
    const uint32_t list = syntax_child(tree, call, 1);
    for (uint32_t a = syntax_first(tree, list); a != NONE; a = syntax_next(tree, a))
        if (tree->kind[a] != SYN_STARRED && tree->kind[a] != SYN_DOUBLE_STARRED)
            given++;
    return given <= project->files.functions[f].parameters;
}

/* A method that torch runs: of a file of JAX a loop of steps on no device of torch comes. */
static bool may_be_called(const struct project *project, const struct file *file, uint32_t call, uint32_t f)
{
    const struct file *there = &project->files.at[project->files.functions[f].file];
    return !there->is_test && takes_as_many(project, file->shown.tree, call, f) &&
           str_has(there->shown.tree->text, S("import torch"));
}

/* Of the program of the call, where one is; else of any, as where a setting names the class. */
static void add_call(struct project *project, const struct file *file, uint32_t call)
{
    const struct syntax *tree = file->shown.tree;
    const struct files *files = &project->files;
    const struct name *name = names_get(files->names, syntax_tail(tree, call + 1));
    struct learners *learners = &project->contexts->learners;
    for (int near = 1; near >= 0; near--) {
        const size_t before = learners->count;
        for (uint32_t f = map_get(&files->methods_by_name, name->id); f != MAP_NONE && f != NONE;
             f = files->next_of_name[f]) {
            const struct file *there = &files->at[files->functions[f].file];
            if ((!near || there->program == file->program) && may_be_called(project, file, call, f))
                push(learners, (struct site){file->id, call}, f);
        }
        if (learners->count > before)
            return;
    }
}

void learners_find(struct project *project)
{
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct file *file = &project->files.at[i];
        const struct syntax *tree = file->shown.tree;
        for (uint32_t node = 0; !file->is_test && node < tree->count; node++)
            if (tree->kind[node] == SYN_CALL && tree->kind[node + 1] == SYN_ATTRIBUTE &&
                is_learner(project, file, node + 2) && name_target(project, (struct site){i, node}) == NONE)
                add_call(project, file, node);
    }
}
