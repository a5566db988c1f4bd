/* SPDX-License-Identifier: Apache-2.0 */
#include "given.h"

#include "options.h"
#include "source/contexts/contexts.h"

static str unquoted(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_is(tree, node, SYN_STRING) ? syntax_text(tree, node) : S("");
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* A name that is bound by the body of a class is an attribute. */
static bool is_of_class(const struct syntax *tree, uint32_t name)
{
    const uint32_t block = tree->parent[tree->parent[name]];
    return tree->kind[block] == SYN_BLOCK && tree->kind[tree->parent[block]] == SYN_CLASS;
}

/* `x.name = value`, `d["name"] = value`; the value is told where there is one for it alone. */
static void add_target(struct project *project, uint32_t file, uint32_t target, uint32_t value)
{
    const struct syntax *tree = project_tree(project, file);
    const struct site at = {file, target}, given = value == NONE ? site_none : (struct site){file, value};
    if (tree->kind[target] == SYN_ATTRIBUTE)
        choices_add(project, CHOICE_ATTRIBUTE, syntax_tail(tree, target), at, given);
    else if (tree->kind[target] == SYN_NAME && is_of_class(tree, target))
        choices_add(project, CHOICE_ATTRIBUTE, syntax_text(tree, target), at, given);
    else if (tree->kind[target] == SYN_SUBSCRIPT && unquoted(tree, syntax_child(tree, target, 1)).len)
        choices_add(project, CHOICE_KEY, unquoted(tree, syntax_child(tree, target, 1)), at, given);
    else if (tree->kind[target] == SYN_TUPLE || tree->kind[target] == SYN_LIST)
        for (uint32_t item = syntax_first(tree, target); item != NONE; item = syntax_next(tree, item))
            if (tree->kind[item] == SYN_ATTRIBUTE)
                choices_add(project, CHOICE_ATTRIBUTE, syntax_tail(tree, item), (struct site){file, item}, site_none);
}

/* `name: type = value` in the body of a class: of a dataclass, which takes it by name, so that it is a default only. */
static void add_annotated(struct project *project, uint32_t file, uint32_t node)
{
    const struct syntax *tree = project_tree(project, file);
    const uint32_t value = syntax_child(tree, node, 2);
    const struct site at = {file, node + 1};
    if (tree->kind[at.node] != SYN_NAME) {
        add_target(project, file, at.node, syntax_is(tree, value, SYN_ABSENT) ? NONE : value);
        return;
    }
    const str name = syntax_text(tree, at.node);
    const uint32_t otherwise = options_of_field(tree, value);
    choices_add(project, CHOICE_ATTRIBUTE, name, at, site_none);
    if (is_of_class(tree, at.node))
        choices_add(project, CHOICE_OPTION, name, at, otherwise == NONE ? site_none : (struct site){file, otherwise});
}

/* `scheduler.set(...)` of an object that is not known: it may reach any method of that name. */
static void add_call(struct project *project, uint32_t file, uint32_t call)
{
    const struct syntax *tree = project_tree(project, file);
    if (tree->kind[call + 1] != SYN_ATTRIBUTE || call_at(project, (struct site){file, call}))
        return;
    const str name = syntax_tail(tree, call + 1);
    const struct value *callee = node_value(project, &project->files.at[file], call + 1);
    if (!callee->name &&
        map_get(&project->files.methods_by_name, names_get(project->files.names, name)->id) != MAP_NONE)
        choices_add(project, CHOICE_CALL, name, (struct site){file, call}, (struct site){file, call});
}

static void look_at(struct project *project, uint32_t file, uint32_t node)
{
    const struct syntax *tree = project_tree(project, file);
    switch (tree->kind[node]) {
    case SYN_KEYWORD:
        choices_add(project, CHOICE_KEYWORD, syntax_text(tree, node + 1), (struct site){file, node},
                    (struct site){file, syntax_child(tree, node, 1)});
        break;
    case SYN_CALL:
        add_call(project, file, node);
        options_of_call(project, (struct site){file, node});
        break;
    case SYN_STRING:
        options_of_string(project, (struct site){file, node});
        break;
    case SYN_PAIR:
        if (unquoted(tree, node + 1).len)
            choices_add(project, CHOICE_KEY, unquoted(tree, node + 1), (struct site){file, node},
                        (struct site){file, syntax_child(tree, node, 1)});
        break;
    case SYN_ASSIGN:
        for (uint32_t t = node + 1, last = syntax_last_child(tree, node); t != last; t = syntax_next(tree, t))
            add_target(project, file, t, last);
        break;
    case SYN_ANN_ASSIGN:
        add_annotated(project, file, node);
        break;
    case SYN_AUG_ASSIGN:
    case SYN_FOR:
        add_target(project, file, node + 1, NONE);
        break;
    default:
        break;
    }
}

void given_build(struct project *project)
{
    for (uint32_t file = 0; file < project->files.count; file++)
        for (uint32_t node = 0; node < project_tree(project, file)->count; node++)
            look_at(project, file, node);
}
