/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods that are reached through an object of which the class is not known:
 * `model.predict(x)` may be that of any module class of the run. That is enough to
 * say how often they run, not to say what they are given.
 */
#include "reach.h"

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
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = bound ? flow_uses(project, attribute.file, bound, uses, FLOW_MOST_USES) : 0;
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++)
        if (tree->kind[tree->parent[uses[i]]] == SYN_CALL && uses[i] == tree->parent[uses[i]] + 1)
            push(list, (struct site){attribute.file, tree->parent[uses[i]]}, name);
}

static void look_at(const struct project *project, struct by_name *list, struct site site)
{
    const struct file *file = &project->files.at[site.file];
    const struct syntax *tree = file->shown.tree;
    const struct value *object = node_value(project, file, site.node + 1);
    const bool open =
        (object->kind == VALUE_UNKNOWN || object->kind == VALUE_NOTHING || object->kind == VALUE_MODULE) &&
        object->detail == NONE && !object->name;
    if (!open)
        return;
    const struct name *name = names_get(project->files.names, syntax_tail(tree, site.node));
    if (map_get(&project->files.methods_by_name, name->id) == MAP_NONE || str_starts(name->text, S("__")) ||
        str_eq(name->text, S("forward"))) /* which all networks have */
        return;
    const uint32_t call = tree->parent[site.node];
    if (tree->kind[call] == SYN_CALL && site.node == call + 1)
        push(list, (struct site){site.file, call}, name);
    else
        through_name(project, list, site, name);
}

void reach_by_name(struct project *project, struct by_name *list)
{
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct syntax *tree = project_tree(project, i);
        for (uint32_t node = 0; node < tree->count; node++)
            if (tree->kind[node] == SYN_ATTRIBUTE)
                look_at(project, list, (struct site){i, node});
    }
}

/* ---- by key ---- */

struct keyed_module {
    str key; /* with its quotes */
    uint32_t program, forward;
};

struct keyed_modules {
    struct keyed_module *at;
    size_t count, room;
};

/* The key under which the value is kept where it stands: of `{"a": here}` and of `d["a"] = here`; NONE. */
static uint32_t key_of(const struct syntax *tree, uint32_t value)
{
    const uint32_t parent = tree->parent[value];
    uint32_t key = NONE;
    if (tree->kind[parent] == SYN_PAIR && value == syntax_child(tree, parent, 1))
        key = syntax_first(tree, parent);
    else if (tree->kind[parent] == SYN_ASSIGN && tree->kind[parent + 1] == SYN_SUBSCRIPT && value != parent + 1)
        key = syntax_child(tree, parent + 1, 1);
    return syntax_is(tree, key, SYN_STRING) ? key : NONE;
}

static void find_kept(const struct project *project, struct keyed_modules *modules)
{
    enum { MOST_MODULES = 256 };
    static const struct limit many = {
        "modules-by-key", "more than 256 networks are kept by key; calls of the others by key are not looked at"};
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct file *file = &project->files.at[i];
        for (uint32_t node = 0; node < file->shown.tree->count; node++) {
            const uint32_t key = file->shown.tree->kind[node] == SYN_CALL ? key_of(file->shown.tree, node) : NONE;
            const struct value *made = key == NONE ? &value_unknown : node_value(project, file, node);
            const uint32_t forward = made->kind == VALUE_MODULE && made->detail != NONE
                                         ? project_method(project, made->detail, S("forward"))
                                         : NONE;
            if (forward == NONE)
                continue;
            if (modules->count == MOST_MODULES) {
                project_limit(project, &many, (struct site){i, node});
                return;
            }
            modules->at = mem_grow(modules->at, &modules->room, modules->count + 1, sizeof *modules->at);
            modules->at[modules->count++] =
                (struct keyed_module){syntax_text(file->shown.tree, key), file->program, forward};
        }
    }
}

static bool same_key(str a, str b)
{
    return a.len == b.len && a.len > 2 && str_eq((str){a.at + 1, a.len - 2}, (str){b.at + 1, b.len - 2});
}

static void add_keyed(const struct project *project, const struct keyed_modules *modules, struct by_key *list,
                      struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    const str key = syntax_text(tree, syntax_child(tree, call.node + 1, 1));
    for (size_t i = 0; i < modules->count; i++) {
        if (modules->at[i].program != project->files.at[call.file].program || !same_key(modules->at[i].key, key))
            continue;
        list->at = mem_grow(list->at, &list->room, list->count + 1, sizeof *list->at);
        list->at[list->count++] = (struct keyed_call){call, modules->at[i].forward};
    }
}

void reach_by_key(const struct project *project, struct by_key *list)
{
    struct keyed_modules modules = {0};
    find_kept(project, &modules);
    for (uint32_t i = 0; modules.count && i < project->files.count; i++) {
        const struct syntax *tree = project_tree(project, i);
        for (uint32_t node = 0; node < tree->count; node++)
            if (tree->kind[node] == SYN_CALL && tree->kind[node + 1] == SYN_SUBSCRIPT &&
                syntax_is(tree, syntax_child(tree, node + 1, 1), SYN_STRING))
                add_keyed(project, &modules, list, (struct site){i, node});
    }
    mem_free(modules.at);
}
