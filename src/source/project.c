/* SPDX-License-Identifier: Apache-2.0 */
/* Files in, everything known about them out: the order of the work, and the tables that all share. */
#include "source/private.h"

#include "base/mem.h"
#include "base/par.h"

/* Values settle in three or four rounds; a run that has not after so many is taken as it is. */
enum { ROUNDS = 10 };

/* ---- per file ---- */

static void read_file(void *context, size_t i)
{
    struct file *file = &((struct project *)context)->files[i];
    file->shown.tree = syntax_parse(&file->arena, file->shown.path, file->text);
    if (!file->shown.tree) /* too long: an empty module in its place */
        file->shown.tree = syntax_parse(&file->arena, file->shown.path, S(""));
    scope_find(file);
    flow_build(file);
    file->value_of = mem_zeroed((file->shown.tree->count + 1) * sizeof *file->value_of);
    file->value_of_def = mem_alloc((file->flow.def_count + 1) * sizeof *file->value_of_def);
    for (uint32_t d = 0; d < file->flow.def_count; d++)
        file->value_of_def[d] = value_nothing.id;
}

static void prove_file(void *context, size_t i)
{
    flow_prove(context, (uint32_t)i);
}

/* ---- tables over all files ---- */

static void number_file(struct project *project, uint32_t id)
{
    struct file *file = &project->files[id];
    const uint32_t first = project->function_count, first_class = project->class_count;
    file->shown.first_function = first;
    file->shown.function_count = file->function_count;
    file->first_class = first_class;
    for (uint32_t i = 0; i < file->function_count; i++) {
        struct function f = file->functions[i];
        f.file = id;
        f.outer = f.outer == NONE ? NONE : f.outer + first;
        f.class_id = f.class_id == NONE ? NONE : f.class_id + first_class;
        project->functions[project->function_count++] = f;
        map_put(&project->function_by_node, (int64_t)id << 32 | f.node, first + i);
    }
    for (uint32_t i = 0; i < file->class_count; i++) {
        file->classes[i].file = id;
        map_put(&project->class_by_node, (int64_t)id << 32 | file->classes[i].node, first_class + i);
        project->classes[project->class_count++] = file->classes[i];
    }
}

static void number_all(struct project *project)
{
    uint32_t functions = 0, classes = 0;
    for (uint32_t i = 0; i < project->file_count; i++) {
        functions += project->files[i].function_count;
        classes += project->files[i].class_count;
    }
    project->functions = arena_array(&project->arena, functions, sizeof *project->functions);
    project->classes = arena_array(&project->arena, classes, sizeof *project->classes);
    project->class_data = arena_array(&project->arena, classes, sizeof *project->class_data);
    for (uint32_t i = 0; i < project->file_count; i++)
        number_file(project, i);
}

/* ---- rounds ---- */

struct round {
    struct project *project;
    uint32_t *files;
    uint32_t count;
};

static void evaluate(void *context, size_t i)
{
    const struct round *round = context;
    eval_file(round->project, round->files[i]);
}

static bool has_changed(const struct project *project, int64_t key)
{
    if (key & (int64_t)1 << 62)
        return project->class_data[key & UINT32_MAX].changed;
    const uint32_t cell = key >> 32 ? map_get(&project->cell_of_attribute, key) : (uint32_t)key;
    return cell != MAP_NONE && project->cells[cell].changed;
}

static bool is_dirty(const struct project *project, const struct file *file)
{
    if (project->all_dirty)
        return true;
    for (size_t i = 0; file->reads.slots && i <= file->reads.mask; i++)
        if (file->reads.slots[i].value != MAP_NONE && has_changed(project, file->reads.slots[i].key))
            return true;
    return false;
}

static void settle(struct project *project)
{
    struct round round = {.project = project, .files = mem_alloc((project->file_count + 1) * sizeof *round.files)};
    for (uint32_t i = 0; i < project->file_count; i++)
        round.files[round.count++] = i;
    for (int i = 0; i < ROUNDS && round.count; i++) {
        par_each(round.count, project->threads, evaluate, &round);
        cells_join(project);
        class_link(project);
        round.count = 0;
        for (uint32_t f = 0; f < project->file_count; f++)
            if (is_dirty(project, &project->files[f]))
                round.files[round.count++] = f;
    }
    mem_free(round.files);
}

struct project *project_new(const struct project_source *sources, uint32_t count, const struct project_options *options)
{
    struct project *project = mem_zeroed(sizeof *project);
    project->options = options ? *options : (struct project_options){0};
    project->threads = project->options.threads;
    project->names = names_new();
    project->values = values_new();
    project->file_count = count;
    project->files = arena_array(&project->arena, count, sizeof *project->files);
    for (uint32_t i = 0; i < count; i++) {
        project->files[i].shown.path = sources[i].path;
        project->files[i].text = sources[i].text;
    }
    par_each(count, project->threads, read_file, project);
    number_all(project);
    module_link(project);
    class_methods(project);
    par_each(count, project->threads, prove_file, project);
    cells_new(project);
    settle(project);
    summary_build(project);
    context_build(project);
    return project;
}

static void file_free(struct file *file)
{
    mem_free(file->flow.defs);
    mem_free(file->flow.operands);
    mem_free(file->flow.def_of);
    mem_free(file->flow.slots);
    mem_free(file->flow.first_use);
    mem_free(file->flow.uses);
    mem_free(file->flow.first_next);
    mem_free(file->flow.nexts);
    mem_free(file->flow.group);
    mem_free(file->flow.groups);
    mem_free(file->flow.reached);
    mem_free(file->value_of);
    mem_free(file->value_of_def);
    mem_free(file->facts.at);
    map_free(&file->reads);
    mem_free(file->calls);
    map_free(&file->loops);
    mem_free(file->acting.at);
    mem_free(file->training.at);
    arena_free(&file->arena);
}

void project_free(struct project *project)
{
    if (!project)
        return;
    for (uint32_t i = 0; i < project->file_count; i++)
        file_free(&project->files[i]);
    names_free(project->names);
    values_free(project->values);
    struct map *const maps[] = {&project->file_by_path,  &project->file_by_module,   &project->module_slot,
                                &project->class_by_node, &project->function_by_node, &project->method,
                                &project->method_count,  &project->methods_by_name,  &project->cell_of_attribute};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    mem_free(project->cells);
    arena_free(&project->arena);
    mem_free(project);
}

/* ---- asking ---- */

uint32_t project_files(const struct project *project)
{
    return project->file_count;
}

const struct project_file *project_file(const struct project *project, uint32_t file)
{
    return &project->files[file].shown;
}

const struct syntax *project_tree(const struct project *project, uint32_t file)
{
    return project->files[file].shown.tree;
}

uint32_t project_functions(const struct project *project)
{
    return project->function_count;
}

const struct function *project_function(const struct project *project, uint32_t function)
{
    return &project->functions[function];
}

uint32_t project_classes(const struct project *project)
{
    return project->class_count;
}

const struct class_info *project_class(const struct project *project, uint32_t class_id)
{
    return &project->classes[class_id];
}

uint32_t project_function_at(const struct project *project, struct site site)
{
    const struct file *file = &project->files[site.file];
    return file->shown.first_function + scope_function_at(file, site.node);
}

uint32_t project_parameter(const struct project *project, uint32_t function, uint32_t k)
{
    const struct function *f = &project->functions[function];
    const struct syntax *tree = project->files[f->file].shown.tree;
    const uint32_t list = scope_parameters(tree, f->node);
    for (uint32_t p = list == NONE ? NONE : syntax_first(tree, list); p != NONE; p = syntax_next(tree, p))
        if (tree->kind[p] == SYN_PARAMETER && !syntax_is(tree, syntax_first(tree, p), SYN_ABSENT) && !k--)
            return p;
    return NONE;
}

bool project_uses_device(const struct project *project, uint32_t file)
{
    return program_of(project, file)->device_used;
}
