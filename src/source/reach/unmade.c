/* SPDX-License-Identifier: Apache-2.0 */
#include "unmade.h"

#include "base/hash.h"

static bool is_decorated(const struct project *project, const struct class_info *about)
{
    const struct syntax *tree = project_tree(project, about->file);
    return tree->kind[tree->parent[about->node]] == SYN_DECORATED;
}

/* A decorator, a base of the run, or `metaclass=`, that may keep what inherits from it. */
static bool may_register(const struct project *project, uint32_t class_id)
{
    const struct classes order = class_order(&project->cells, class_id);
    for (uint32_t i = 0; i < order.count; i++) {
        const struct class_info *about = &project->files.classes[order.at[i]];
        const struct syntax *tree = project_tree(project, about->file);
        const uint32_t bases = syntax_child(tree, about->node, 1);
        if (is_decorated(project, about) || project_method(project, order.at[i], S("__init_subclass__")) != NONE)
            return true;
        for (uint32_t base = syntax_first(tree, bases); base != NONE; base = syntax_next(tree, base))
            if (tree->kind[base] == SYN_KEYWORD)
                return true;
    }
    return order.cut;
}

bool unmade_is_named_by_setting(const struct project *project, uint32_t class_id)
{
    const str name = project->files.classes[class_id].name;
    return project->contexts->trained.named_by_setting[class_id] ||
           (project->cells.options.mentioned &&
            map_get(project->cells.options.mentioned, (int64_t)hash_bytes(name.at, name.len)) != MAP_NONE);
}

bool unmade_is_open(const struct project *project, uint32_t class_id)
{
    return may_register(project, class_id) || unmade_is_named_by_setting(project, class_id);
}

void unmade_build(struct project *project)
{
    struct contexts *contexts = project->contexts;
    const struct trained *trained = &contexts->trained;
    contexts->unmade = arena_array(&contexts->arena, project->files.class_count, sizeof *contexts->unmade);
    if (!project->cells.options.mentioned || !trained->any || trained->everything)
        return;
    for (uint32_t c = 0; c < project->files.class_count; c++) {
        const struct class_info *about = &project->files.classes[c];
        contexts->unmade[c] =
            about->is_module && !about->framework && trained->steps[trained->classes + c].kind == TRAINED_NOT;
    }
}

bool unmade_is(const struct project *project, uint32_t class_id)
{
    return project->contexts->unmade[class_id];
}
