/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include "base/at_work.h"
#include "base/mem.h"
#include "parallel/par.h"

/* ---- per file ---- */

static void read_file(void *context, size_t i)
{
    struct file *file = &((struct files *)context)->at[i];
    at_work_on(file->shown.path.at);
    file->shown.tree = syntax_parse(&file->arena, file->shown.path, file->text);
    if (!file->shown.tree) /* too long: an empty module in its place */
        file->shown.tree = syntax_parse(&file->arena, file->shown.path, S(""));
    scope_find(file);
    flow_build(file);
    changes_build(&file->changes, file->shown.tree);
    paths_find(file);
    file->sets_default_type =
        str_has(file->text, S("set_default_dtype")) || str_has(file->text, S("set_default_tensor_type"));
}

static void prove_file(void *context, size_t i)
{
    at_work_on(((struct files *)context)->at[i].shown.path.at);
    flow_prove(context, (uint32_t)i);
    flow_prove_losses(context, (uint32_t)i);
}

/* ---- tables over all files ---- */

static void number_functions(struct files *files, struct file *file)
{
    const uint32_t first = files->function_count;
    file->shown.first_function = first;
    file->shown.function_count = file->function_count;
    for (uint32_t i = 0; i < file->function_count; i++) {
        struct function f = file->functions[i];
        f.file = file->id;
        f.outer = f.outer == NONE ? NONE : f.outer + first;
        f.class_id = f.class_id == NONE ? NONE : f.class_id + file->first_class;
        files->functions[files->function_count++] = f;
        map_put(&files->function_by_node, (int64_t)file->id << 32 | f.node, first + i);
    }
}

static void number_classes(struct files *files, struct file *file)
{
    file->first_class = files->class_count;
    for (uint32_t i = 0; i < file->class_count; i++) {
        struct class_info *c = &file->classes[i];
        c->file = file->id;
        map_put(&files->class_by_node, (int64_t)file->id << 32 | c->node, file->first_class + i);
        files->classes[files->class_count++] = *c;
    }
}

static void number_all(struct files *files)
{
    uint32_t functions = 0, classes = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        functions += files->at[i].function_count;
        classes += files->at[i].class_count;
    }
    files->functions = arena_array(&files->arena, functions, sizeof *files->functions);
    files->classes = arena_array(&files->arena, classes, sizeof *files->classes);
    for (uint32_t i = 0; i < files->count; i++) {
        number_classes(files, &files->at[i]);
        number_functions(files, &files->at[i]);
    }
}

static void tell_not_read(const struct files *files, const struct file *file)
{
    static const struct limit large = {
        "statement-size",
        "has more than 30,000 words and signs in one statement or bracket, which are not looked into"};
    static const struct limit deep = {
        "nesting", "is nested deeper than 400 blocks and expressions; what lies deeper is not looked into"};
    const struct syntax *tree = file->shown.tree;
    for (uint32_t i = 0; tree && i < tree->too_large_count; i++)
        limits_tell(files->limits, &large, file->id, tree->too_large[i].begin);
    static const struct limit far = {
        "path-depth", "what is put on sys.path is made in more than 32 steps; what lies there is not found"};
    if (tree && file->far_path)
        limits_tell(files->limits, &far, file->id, tree->begin[file->far_path]);
    if (tree && file->shown.too_deep)
        limits_tell(files->limits, &deep, file->id, file->shown.too_deep);
}

void files_read(struct files *files, const struct project_source *sources, uint32_t count,
                const struct project_options *options)
{
    const unsigned threads = options ? options->threads : 0;
    files->names = names_new();
    files->limits = limits_new();
    files->count = count;
    files->at = arena_array(&files->arena, count, sizeof *files->at);
    for (uint32_t i = 0; i < count; i++) {
        files->at[i].id = i;
        files->at[i].shown.path = sources[i].path;
        files->at[i].text = sources[i].text;
    }
    par_each(count, threads, read_file, files);
    at_work_on(NULL);
    for (uint32_t i = 0; i < count; i++) {
        tell_not_read(files, &files->at[i]);
        files->sets_default_type |= files->at[i].sets_default_type;
    }
    number_all(files);
    module_link(files, options);
    method_list(files);
    par_each(count, threads, prove_file, files);
    at_work_on(NULL);
}

void files_free(struct files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        flow_free(&files->at[i].flow);
        mem_free(files->at[i].changes.at);
        mem_free(files->at[i].own_stars.at);
        mem_free(files->at[i].stars.at);
        mem_free(files->at[i].on_path.at);
        map_free(&files->at[i].exported);
        map_free(&files->at[i].lazy);
        mem_free(files->at[i].seen_on_path.at);
        arena_free(&files->at[i].arena);
    }
    mem_free(files->roots);
    names_free(files->names);
    limits_free(files->limits);
    struct map *const maps[] = {&files->by_path,       &files->by_module,        &files->module_slot,
                                &files->class_by_node, &files->function_by_node, &files->method,
                                &files->method_count,  &files->methods_by_name,  &files->folders,
                                &files->first_words,   &files->root_below};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    arena_free(&files->arena);
}
