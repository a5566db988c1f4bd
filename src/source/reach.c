/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods that are reached through an object of which the class is not known:
 * `model.predict(x)` may be that of any module class of the run. That is enough to
 * say how often they run, not to say what they are given.
 */
#include "source/reach.h"

#include "base/mem.h"

static void push(struct by_name *list, struct site site, const struct name *name)
{
    list->at = mem_grow(list->at, &list->room, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct named_call){site, name};
}

/* Calls of a name to which the method was bound: `step = model.training_step; ... step(batch)`. */
static void through_name(const struct project *project, struct by_name *list, struct site attribute,
                         const struct name *name)
{
    const struct syntax *tree = project_tree(project, attribute.file);
    uint32_t at = attribute.node;
    while (tree->kind[tree->parent[at]] == SYN_BOOL || tree->kind[tree->parent[at]] == SYN_CONDITIONAL)
        at = tree->parent[at];
    const uint32_t statement = tree->parent[at];
    if (tree->kind[statement] != SYN_ASSIGN || at != syntax_last_child(tree, statement))
        return;
    const struct definition *bound = flow_bound(project, (struct site){attribute.file, statement + 1});
    uint32_t uses[32];
    const uint32_t count = bound ? flow_uses(project, attribute.file, bound, uses, 32) : 0;
    for (uint32_t i = 0; i < count && i < 32; i++)
        if (tree->kind[tree->parent[uses[i]]] == SYN_CALL && uses[i] == tree->parent[uses[i]] + 1)
            push(list, (struct site){attribute.file, tree->parent[uses[i]]}, name);
}

static void look_at(const struct project *project, struct by_name *list, struct site site)
{
    const struct file *file = &project->files[site.file];
    const struct syntax *tree = file->shown.tree;
    const struct value *object = node_value(project, file, site.node + 1);
    const bool open =
        (object->kind == VALUE_UNKNOWN || object->kind == VALUE_NOTHING || object->kind == VALUE_MODULE) &&
        object->detail == NONE && !object->name;
    if (!open)
        return;
    const struct name *name = names_get(project->names, syntax_tail(tree, site.node));
    if (map_get(&project->methods_by_name, name->id) == MAP_NONE || str_starts(name->text, S("__")))
        return;
    const uint32_t call = tree->parent[site.node];
    if (tree->kind[call] == SYN_CALL && site.node == call + 1)
        push(list, (struct site){site.file, call}, name);
    else
        through_name(project, list, site, name);
}

void reach_by_name(struct project *project, struct by_name *list)
{
    for (uint32_t i = 0; i < project->file_count; i++) {
        const struct syntax *tree = project_tree(project, i);
        for (uint32_t node = 0; node < tree->count; node++)
            if (tree->kind[node] == SYN_ATTRIBUTE)
                look_at(project, list, (struct site){i, node});
    }
}
