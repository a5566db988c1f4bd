/* SPDX-License-Identifier: Apache-2.0 */
/* Classes: their bases, methods, and what kind of thing they are. */
#include "source/private.h"

enum { DEEPEST = 16 };

/* self(...) or self.forward(...): it runs the module, so it is given what forward is given. */
static bool calls_forward(const struct syntax *tree, uint32_t node)
{
    if (tree->kind[node] != SYN_CALL)
        return false;
    const uint32_t callee = node + 1;
    const bool forward = tree->kind[callee] == SYN_ATTRIBUTE && str_eq(syntax_tail(tree, callee), S("forward"));
    const uint32_t object = forward ? callee + 1 : callee;
    return tree->kind[object] == SYN_NAME && str_eq(syntax_text(tree, object), S("self"));
}

static void find_who_calls_forward(struct project *project)
{
    project->calls_forward = arena_array(&project->arena, project->function_count, sizeof(bool));
    for (uint32_t f = 0; f < project->function_count; f++) {
        const struct function *function = &project->functions[f];
        const struct syntax *tree = project->files[function->file].shown.tree;
        if (function->class_id == NONE || tree->kind[function->node] != SYN_FUNCTION)
            continue;
        bool found = str_eq(function->name, S("forward"));
        for (uint32_t n = function->node, last = syntax_last(tree, n); n < last && !found; n++)
            found = calls_forward(tree, n);
        project->calls_forward[f] = found;
    }
}

void class_methods(struct project *project)
{
    find_who_calls_forward(project);
    project->next_of_name = arena_array(&project->arena, project->function_count + 1, sizeof(uint32_t));
    for (uint32_t f = 0; f < project->function_count; f++) {
        const struct function *function = &project->functions[f];
        const struct syntax *tree = project->files[function->file].shown.tree;
        if (function->class_id == NONE || tree->kind[function->node] != SYN_FUNCTION)
            continue;
        const int64_t key = (int64_t)function->class_id << 32 | names_get(project->names, function->name)->id;
        const uint32_t before = map_get(&project->method, key);
        const int64_t name = key & UINT32_MAX;
        if (before == MAP_NONE) {
            const uint32_t count = map_get(&project->method_count, name);
            map_put(&project->method_count, name, count == MAP_NONE ? 1 : count + 1);
            project->next_of_name[f] = map_get(&project->methods_by_name, name);
            map_put(&project->methods_by_name, name, f);
        }
        if (before == MAP_NONE || !project->functions[before].is_property) /* a setter comes behind its property */
            map_put(&project->method, key, f);
    }
}

static uint32_t method(const struct project *project, uint32_t class_id, uint32_t name, int depth)
{
    const uint32_t own = map_get(&project->method, (int64_t)class_id << 32 | name);
    if (own != MAP_NONE || depth == DEEPEST)
        return own == MAP_NONE ? NONE : own;
    const struct class_data *data = &project->class_data[class_id];
    for (uint32_t b = 0; b < data->base_count; b++) {
        const uint32_t found = method(project, data->bases[b], name, depth + 1);
        if (found != NONE)
            return found;
    }
    return NONE;
}

uint32_t project_method(const struct project *project, uint32_t class_id, str name)
{
    return class_id == NONE ? NONE : method(project, class_id, names_get(project->names, name)->id, 0);
}

/* ---- bases and kinds, as far as values tell ---- */

static bool is_module_name(str name)
{
    return str_starts(name, S("torch.nn.")) || str_starts(name, S("torch_geometric.nn.")) ||
           str_ends(name, S("LightningModule")) || str_ends(name, S("PreTrainedModel")) ||
           str_ends(name, S("nn.Module"));
}

static bool is_dataset_name(str name)
{
    return (str_starts(name, S("torch")) && str_ends(name, S("Dataset"))) || str_ends(name, S("VisionDataset"));
}

/* A class on a base that the run does not have is a module if it looks like one. */
static bool looks_like_module(const struct project *project, uint32_t class_id)
{
    const struct file *file = &project->files[project->classes[class_id].file];
    const struct syntax *tree = file->shown.tree;
    const uint32_t at = project->classes[class_id].node;
    if (project_method(project, class_id, S("forward")) == NONE ||
        project_method(project, class_id, S("backward")) != NONE)
        return false;
    for (uint32_t n = at, last = syntax_last(tree, at); n < last; n++) /* self.x = nn.Linear(...) */
        if (tree->kind[n] == SYN_ASSIGN && tree->kind[n + 1] == SYN_ATTRIBUTE) {
            const struct value *value = node_value(project, file, syntax_last_child(tree, n));
            if (value->kind == VALUE_MODULE || value->kind == VALUE_LOSS || value->flags & VALUE_PARAMETER)
                return true;
        }
    return false;
}

struct found {
    uint32_t bases[8];
    uint32_t base_count;
    bool is_module, is_dataset, is_lightning, unknown;
};

static void look_at_base(const struct project *project, const struct value *value, struct found *found)
{
    if (value->kind == VALUE_CLASS && value->detail != NONE) {
        const struct class_info *base = &project->classes[value->detail];
        found->is_module |= base->is_module;
        found->is_dataset |= base->is_dataset;
        found->is_lightning |= base->is_lightning;
        if (found->base_count < 8)
            found->bases[found->base_count++] = value->detail;
    } else if (value->name && (str_ends(value->name->text, S("ABC")) || str_starts(value->name->text, S("typing.")))) {
        return;
    } else if (value->name) {
        found->is_module |= is_module_name(value->name->text);
        found->is_dataset |= is_dataset_name(value->name->text);
        found->is_lightning |= str_ends(value->name->text, S("LightningModule"));
        found->unknown |= !str_eq(value->name->text, S("object")) && !str_starts(value->name->text, S("torch."));
    } else {
        found->unknown = true;
    }
}

static void link_one(struct project *project, uint32_t id)
{
    struct class_info *c = &project->classes[id];
    struct file *file = &project->files[c->file];
    const struct syntax *tree = file->shown.tree;
    struct found found = {0};
    const uint32_t list = syntax_child(tree, c->node, 1);
    for (uint32_t a = list == NONE ? NONE : syntax_first(tree, list); a != NONE; a = syntax_next(tree, a))
        if (tree->kind[a] != SYN_KEYWORD)
            look_at_base(project, node_value(project, file, a), &found);
    struct class_data *data = &project->class_data[id];
    data->changed = false;
    if (found.base_count != data->base_count) {
        data->bases = arena_array(&project->arena, found.base_count, sizeof *data->bases);
        data->base_count = found.base_count;
        data->changed = true;
    }
    memcpy(data->bases ? data->bases : found.bases, found.bases, found.base_count * sizeof *found.bases);
    found.is_module |= found.unknown && looks_like_module(project, id);
    data->changed |= c->is_module != found.is_module || c->is_dataset != found.is_dataset;
    c->is_module = found.is_module;
    c->is_dataset = found.is_dataset;
    c->is_lightning = found.is_lightning;
}

static bool base_on_gpu(const struct project *project, uint32_t id)
{
    const struct class_data *data = &project->class_data[id];
    for (uint32_t b = 0; b < data->base_count; b++)
        if (project->class_data[data->bases[b]].on_gpu)
            return true;
    return false;
}

static void count_programs(struct project *project)
{
    project->all_dirty = false;
    for (uint32_t i = 0; i < project->file_count; i++) {
        struct program *program = &project->programs[i];
        project->all_dirty |= program->module_moved != program->next_module_moved ||
                              program->default_moved != program->next_default_moved;
        program->module_moved = program->next_module_moved;
        program->default_moved = program->next_default_moved;
    }
}

/* What puts a base on the device puts those who inherit there. */
void class_link(struct project *project)
{
    count_programs(project);
    for (uint32_t id = 0; id < project->class_count; id++) {
        link_one(project, id);
        struct class_data *data = &project->class_data[id];
        struct program *program = program_of(project, project->classes[id].file);
        data->next_on_gpu |= project->classes[id].is_module && (program->module_moved || base_on_gpu(project, id));
        data->changed |= data->on_gpu != data->next_on_gpu;
        data->on_gpu = data->next_on_gpu;
        project->all_dirty |= data->on_gpu && !program->model_on_gpu;
        program->model_on_gpu |= data->on_gpu;
    }
}
