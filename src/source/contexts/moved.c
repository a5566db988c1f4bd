/* SPDX-License-Identifier: Apache-2.0 */
/* The places that a proof names: where modules are put on the device, and what trains in a loop. */
#include "base/mem.h"
#include "base/search.h"
#include "contexts.h"
#include "source/known/known.h"

/* Trainer(model), Net(Module): what an object of a framework is given is put on the device. */
static bool hands_over(const struct project *project, const struct value *callee)
{
    return callee->kind == VALUE_CLASS && callee->detail != NONE && project->files.classes[callee->detail].framework;
}

static bool moves(const struct value *callee)
{
    switch (callee->name && callee->name->known ? callee->name->known->special : SPECIAL_NONE) {
    case SPECIAL_TO:
    case SPECIAL_CUDA:
    case SPECIAL_PREPARE:
    case SPECIAL_ENGINE:
        return true;
    default:
        return false;
    }
}

static void note(struct site *where, struct site site)
{
    if (site_is_none(*where))
        *where = site;
}

static void note_module(struct project *project, const struct value *module, struct site call)
{
    if ((module->kind == VALUE_MODULE || module->kind == VALUE_CLASS) && module->detail != NONE)
        note(&project->contexts->class_moved[module->detail], call);
    if (module->kind == VALUE_MODULE || module->kind == VALUE_UNKNOWN)
        note(&project->contexts->program_moved[project->files.at[call.file].program], call);
}

static void note_made(struct contexts *contexts, uint32_t class_id, struct site call)
{
    contexts->made = mem_grow(contexts->made, &contexts->made_room, contexts->made_count + 1, sizeof *contexts->made);
    contexts->made[contexts->made_count] = (struct made){call, contexts->last_made[class_id]};
    contexts->last_made[class_id] = (uint32_t)contexts->made_count++;
}

struct site context_made(const struct project *project, uint32_t class_id, uint32_t *at)
{
    const struct contexts *contexts = project->contexts;
    *at = *at == NONE ? contexts->last_made[class_id] : contexts->made[*at].before;
    return *at == NONE ? site_none : contexts->made[*at].call;
}

static void note_call(struct project *project, struct site call)
{
    const struct file *file = &project->files.at[call.file];
    const struct syntax *tree = file->shown.tree;
    const struct value *callee = node_value(project, file, call.node + 1);
    if (callee->name && callee->name->known && value_on_gpu(node_value(project, file, call.node)))
        note(&project->contexts->program_uses[file->program], call);
    if (hands_over(project, callee))
        note_made(project->contexts, callee->detail, call);
    else if (!moves(callee))
        return;
    const bool method = tree->kind[call.node + 1] == SYN_ATTRIBUTE;
    const struct value *given = method ? value_at(project, (struct site){call.file, call.node + 2}) : &value_unknown;
    if (value_on_gpu(value_at(project, call)))
        note_module(project, given, call);
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != NONE; a = syntax_next(tree, a)) {
        const uint32_t argument = tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a;
        const struct value *value = value_at(project, (struct site){call.file, argument});
        if (value->kind == VALUE_MODULE || (value->kind == VALUE_CLASS && !moves(callee)))
            note_module(project, value, call);
    }
}

void moved_build(struct project *project)
{
    struct contexts *contexts = project->contexts;
    contexts->class_moved = arena_array(&contexts->arena, project->files.class_count, sizeof *contexts->class_moved);
    contexts->program_moved = arena_array(&contexts->arena, project->files.count, sizeof *contexts->program_moved);
    contexts->last_made = arena_array(&contexts->arena, project->files.class_count, sizeof *contexts->last_made);
    for (uint32_t i = 0; i < project->files.class_count; i++) {
        contexts->class_moved[i] = site_none;
        contexts->last_made[i] = NONE;
    }
    contexts->program_uses = arena_array(&contexts->arena, project->files.count, sizeof *contexts->program_uses);
    for (uint32_t i = 0; i < project->files.count; i++)
        contexts->program_moved[i] = contexts->program_uses[i] = site_none;
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct syntax *tree = project_tree(project, i);
        for (uint32_t node = 0; tree && node < tree->count; node++)
            if (tree->kind[node] == SYN_CALL)
                note_call(project, (struct site){i, node});
    }
}

struct site context_class_moved(const struct project *project, uint32_t class_id)
{
    return class_id == NONE ? site_none : project->contexts->class_moved[class_id];
}

struct site context_program_moved(const struct project *project, uint32_t file)
{
    return project->contexts->program_moved[project->files.at[file].program];
}

struct site context_program_uses(const struct project *project, uint32_t file)
{
    return project->contexts->program_uses[project->files.at[file].program];
}

bool context_evaluates(const struct project *project, uint32_t function)
{
    return project->contexts->evaluates[function];
}

uint32_t context_trains_in(const struct project *project, struct site within)
{
    const struct syntax *tree = project_tree(project, within.file);
    const struct nodes *all = &placed_in(project, &project->files.at[within.file])->training;
    const size_t first = search_from(all->at, all->count, sizeof *all->at, 0, within.node);
    return first < all->count && all->at[first] < syntax_last(tree, within.node) ? all->at[first] : NONE;
}
