/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

uint32_t project_files(const struct project *project)
{
    return project->files.count;
}

const struct project_file *project_file(const struct project *project, uint32_t file)
{
    return &project->files.at[file].shown;
}

const struct syntax *project_tree(const struct project *project, uint32_t file)
{
    return project->files.at[file].shown.tree;
}

bool project_sets_default_type(const struct project *project)
{
    return project->files.sets_default_type;
}

uint32_t project_functions(const struct project *project)
{
    return project->files.function_count;
}

const struct function *project_function(const struct project *project, uint32_t function)
{
    return &project->files.functions[function];
}

const struct class_info *project_class(const struct project *project, uint32_t class_id)
{
    return &project->files.classes[class_id];
}

uint32_t project_function_at(const struct project *project, struct site site)
{
    const struct file *file = &project->files.at[site.file];
    return file->shown.first_function + scope_function_at(file, site.node);
}

uint32_t project_parameter(const struct project *project, uint32_t function, uint32_t k)
{
    const struct function *f = &project->files.functions[function];
    const struct syntax *tree = project->files.at[f->file].shown.tree;
    const uint32_t list = scope_parameters(tree, f->node);
    for (uint32_t p = list == NONE ? NONE : syntax_first(tree, list); p != NONE; p = syntax_next(tree, p))
        if (tree->kind[p] == SYN_PARAMETER && !syntax_is(tree, syntax_first(tree, p), SYN_ABSENT) && !k--)
            return p;
    return NONE;
}

bool project_uses_device(const struct project *project, uint32_t file)
{
    return program_of(&project->cells, file)->device_used;
}

bool project_is_one_program(const struct project *project, uint32_t a, uint32_t b)
{
    return project->files.at[a].program == project->files.at[b].program;
}

uint32_t project_method(const struct project *project, uint32_t class_id, str name)
{
    return class_method(&project->cells, class_id, name);
}

const struct summary *summary_of(const struct project *project, uint32_t function)
{
    return &project->summaries.of_function[function];
}

const struct limit limit_call_rounds = {
    "call-rounds", "what functions do had not come to an end after 32 passes over their calls, as they call each "
                   "other through that many; it is taken as it was then"};

void project_limit(const struct project *project, const struct limit *limit, struct site site)
{
    files_limit(&project->files, limit, site.file, site.node);
}

const struct limit_met *project_limits(const struct project *project, struct arena *arena, uint32_t *count)
{
    return limits_list(project->files.limits, arena, count);
}
