/* SPDX-License-Identifier: Apache-2.0 */
#include "mention_units.h"

#include "base/hash.h"
#include "base/mem.h"

int64_t mention_key(str name)
{
    return (int64_t)hash_bytes(name.at, name.len);
}

void mention_add(struct mentions *mentions, uint32_t from, uint32_t to, struct site at, bool strict)
{
    if (from == to)
        return;
    mentions->at = mem_grow(mentions->at, &mentions->room, mentions->count + 1, sizeof *mentions->at);
    mentions->at[mentions->count++] = (struct mention){from, to, at, strict, false, false};
}

bool mentions_is_of_module(const struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    return function->outer != NONE && project->files.functions[function->outer].outer == NONE &&
           project_tree(project, function->file)->kind[function->node] == SYN_FUNCTION;
}

uint32_t mentions_unit(const struct project *project, const struct mentions *mentions, struct site site)
{
    uint32_t f = project_function_at(project, site);
    for (;;) {
        const struct function *function = &project->files.functions[f];
        const enum syntax_kind kind = (enum syntax_kind)project_tree(project, function->file)->kind[function->node];
        if (function->outer == NONE || kind == SYN_FUNCTION)
            return f;
        if (kind == SYN_CLASS) {
            const int64_t key = (int64_t)function->file << 32 | function->node;
            const uint32_t c = map_get(&project->files.class_by_node, key);
            if (c != MAP_NONE)
                return mentions->classes + c;
        }
        f = function->outer;
    }
}

static uint32_t unit_of(struct mentions *mentions, struct map *names, str name)
{
    uint32_t unit = map_get(names, mention_key(name));
    if (unit == MAP_NONE)
        map_put(names, mention_key(name), unit = mentions->units++);
    return unit;
}

static int64_t key_in(uint32_t file, str name)
{
    return (int64_t)hash_mix((uint64_t)mention_key(name) + file);
}

static int64_t key_in_program(const struct project *project, uint32_t file, str name)
{
    return (int64_t)hash_mix(~(uint64_t)mention_key(name) + project->files.at[file].program);
}

uint32_t mention_unit_near(const struct project *project, struct mentions *mentions, uint32_t file, str name)
{
    const int64_t key = key_in_program(project, file, name);
    const uint32_t known = map_get(&mentions->in_program, key);
    if (known != MAP_NONE)
        return known;
    const uint32_t everywhere = unit_of(mentions, &mentions->names, name), unit = mentions->units++;
    map_put(&mentions->in_program, key, unit);
    mention_add(mentions, everywhere, unit, site_none, true);
    mention_add(mentions, unit, everywhere, site_none, false);
    return unit;
}

uint32_t mention_unit_meant(const struct project *project, const struct mentions *mentions, uint32_t file, str name,
                            bool *near)
{
    const uint32_t unit = map_get(&mentions->in_program, key_in_program(project, file, name));
    *near = unit != MAP_NONE;
    return *near ? unit : map_get(&mentions->names, mention_key(name));
}

uint32_t mention_own_variable(const struct mentions *mentions, uint32_t file, str name)
{
    const int64_t key = key_in(file, name);
    return map_get(&mentions->defined, key) == MAP_NONE ? map_get(&mentions->variables, key) : MAP_NONE;
}

uint32_t mention_bound_by(const struct syntax *tree, uint32_t statement)
{
    uint32_t at = statement + 1;
    const enum syntax_kind kind = (enum syntax_kind)tree->kind[statement];
    if (kind == SYN_EXPR && tree->kind[at] == SYN_CALL && tree->kind[at + 1] == SYN_ATTRIBUTE)
        at++;
    else if (kind != SYN_ASSIGN && kind != SYN_ANN_ASSIGN && kind != SYN_AUG_ASSIGN)
        return NONE;
    while (tree->kind[at] == SYN_SUBSCRIPT || tree->kind[at] == SYN_ATTRIBUTE)
        at++;
    return tree->kind[at] == SYN_NAME ? at : NONE;
}

bool mention_in_module(const struct project *project, struct site site)
{
    return project->files.functions[project_function_at(project, site)].outer == NONE;
}

static void list_variables(const struct project *project, struct mentions *mentions, uint32_t file)
{
    const struct syntax *tree = project_tree(project, file);
    for (uint32_t node = 0; node < tree->count; node++) {
        const enum syntax_kind kind = (enum syntax_kind)tree->kind[node];
        const bool binds = kind == SYN_ASSIGN || kind == SYN_ANN_ASSIGN;
        uint32_t name =
            binds && mention_in_module(project, (struct site){file, node}) ? mention_bound_by(tree, node) : NONE;
        if (kind == SYN_ALIAS && !syntax_is(tree, syntax_child(tree, node, 1), SYN_ABSENT))
            name = syntax_child(tree, node, 1);
        if (name == NONE)
            continue;
        const str text = syntax_text(tree, name);
        const uint32_t unit = mention_unit_near(project, mentions, file, text);
        const int64_t key = key_in(file, text);
        if (!binds || name != node + 1 || map_get(&mentions->variables, key) != MAP_NONE)
            continue;
        map_put(&mentions->variables, key, mentions->units);
        mention_add(mentions, unit, mentions->units++, site_none, true);
    }
}

void mention_units_list(const struct project *project, struct mentions *mentions)
{
    const uint32_t functions = project->files.function_count, classes = project->files.class_count;
    mentions->classes = functions;
    mentions->modules = functions + classes;
    mentions->everything = mentions->modules + project->files.count;
    mentions->units = mentions->everything + 1;
    mentions->registered = mem_zeroed(classes + 1);
    for (uint32_t c = 0; c < classes; c++) {
        const str name = project->files.classes[c].name;
        const uint32_t of_classes = unit_of(mentions, &mentions->class_names, name);
        map_put(&mentions->defined, key_in(project->files.classes[c].file, name), 0);
        mention_add(mentions, mention_unit_near(project, mentions, project->files.classes[c].file, name),
                    mentions->classes + c, site_none, true);
        mention_add(mentions, of_classes, mentions->classes + c, site_none, true);
    }
    for (uint32_t f = 0; f < functions; f++) {
        const str name = project->files.functions[f].name;
        if (!mentions_is_of_module(project, f))
            continue;
        map_put(&mentions->functions, mention_key(name), 0);
        map_put(&mentions->defined, key_in(project->files.functions[f].file, name), 0);
        mention_add(mentions, mention_unit_near(project, mentions, project->files.functions[f].file, name), f,
                    site_none, true);
    }
    for (uint32_t i = 0; i < project->files.count; i++)
        list_variables(project, mentions, i);
}
