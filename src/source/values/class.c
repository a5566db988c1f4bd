/* SPDX-License-Identifier: Apache-2.0 */
/* Classes: their bases, what methods they have from them, and what kind of thing they are. */
#include "cells.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

enum { MOST_BASES = 8 };

static void tell_class(const struct cells *cells, const struct limit *limit, uint32_t class_id)
{
    const struct class_info *about = &cells->files->classes[class_id];
    files_limit(cells->files, limit, about->file, about->node);
}

void class_tell_order(const struct cells *cells, uint32_t class_id)
{
    static const struct limit many_above = {
        "class-depth", "a class inherits from more than 63 others; what those beyond have is not looked at"};
    tell_class(cells, &many_above, class_id);
}

struct classes class_order(const struct cells *cells, uint32_t class_id)
{
    const struct class_data *data = &cells->classes[class_id];
    return (struct classes){data->order, data->order_count, data->order_cut};
}

bool class_inherits(const struct cells *cells, uint32_t class_id, uint32_t from)
{
    const struct class_data *data = &cells->classes[class_id];
    for (uint32_t i = 0; i < data->order_count; i++)
        if (data->order[i] == from)
            return true;
    return false;
}

static uint32_t method(const struct cells *cells, uint32_t class_id, uint32_t name)
{
    const struct classes order = class_order(cells, class_id);
    for (uint32_t i = 0; i < order.count; i++) {
        const uint32_t own = map_get(&cells->files->method, (int64_t)order.at[i] << 32 | name);
        if (own != MAP_NONE)
            return own;
    }
    if (order.cut)
        class_tell_order(cells, class_id);
    return NONE;
}

uint32_t class_method(const struct cells *cells, uint32_t class_id, str name)
{
    return class_id == NONE ? NONE : method(cells, class_id, names_get(cells->files->names, name)->id);
}

/* ---- bases and kinds, as far as values tell ---- */

/* A class on a base that the run does not have is a module if it looks like one. */
static bool looks_like_module(const struct cells *cells, uint32_t class_id)
{
    const struct file *file = &cells->files->at[cells->files->classes[class_id].file];
    const struct syntax *tree = file->shown.tree;
    const uint32_t at = cells->files->classes[class_id].node;
    if (class_method(cells, class_id, S("forward")) == NONE || class_method(cells, class_id, S("backward")) != NONE)
        return false;
    for (uint32_t n = at, last = syntax_last(tree, at); n < last; n++) /* self.x = nn.Linear(...) */
        if (tree->kind[n] == SYN_ASSIGN && tree->kind[n + 1] == SYN_ATTRIBUTE) {
            const struct value *value = cells_node(cells, file->id, syntax_last_child(tree, n));
            if (value->kind == VALUE_MODULE || value->kind == VALUE_LOSS || value->flags & VALUE_PARAMETER)
                return true;
        }
    return false;
}

struct found {
    uint32_t bases[MOST_BASES];
    uint32_t base_count;
    bool is_module, is_dataset, unknown;
    const struct framework *framework;
};

static void take_framework(struct found *found, str base)
{
    const struct framework *framework = frameworks_find(base);
    if (!framework && known_word(WORDS_LIGHTNING_BASES, base)) /* by whatever name it is imported */
        framework = frameworks_find(S("lightning.LightningModule"));
    if (!framework)
        return;
    found->framework = found->framework ? found->framework : framework;
    found->is_module |= framework->is_module;
}

static void look_at_base(const struct cells *cells, const struct value *value, struct found *found)
{
    if (value->kind == VALUE_CLASS && value->detail != NONE) {
        const struct class_info *base = &cells->files->classes[value->detail];
        found->is_module |= base->is_module;
        found->is_dataset |= base->is_dataset;
        found->framework = found->framework ? found->framework : base->framework;
        if (found->base_count < MOST_BASES)
            found->bases[found->base_count] = value->detail;
        found->base_count++;
    } else if (value->name && known_word(WORDS_ABSTRACT_BASES, value->name->text)) {
        return;
    } else if (value->name) {
        found->is_module |= known_word(WORDS_MODULE_BASES, value->name->text);
        found->is_dataset |= known_word(WORDS_DATASET_BASES, value->name->text);
        take_framework(found, value->name->text);
        found->unknown |= !str_eq(value->name->text, S("object")) && !str_starts(value->name->text, S("torch."));
    } else {
        found->unknown = true;
    }
}

/* True where they are others than before. */
static bool take_bases(struct cells *cells, struct class_data *data, const struct found *found)
{
    const size_t bytes = found->base_count * sizeof *found->bases;
    const bool same = found->base_count == data->base_count;
    if (same && (!bytes || memcmp(data->bases, found->bases, bytes) == 0))
        return false;
    if (!same)
        data->bases = arena_array(&cells->arena, found->base_count, sizeof *data->bases);
    data->base_count = found->base_count;
    if (bytes)
        memcpy(data->bases, found->bases, bytes);
    return true;
}

/* `changed`: set where its bases are others than before. */
static void link_one(struct cells *cells, uint32_t id, bool *changed)
{
    struct class_info *c = &cells->files->classes[id];
    struct file *file = &cells->files->at[c->file];
    const struct syntax *tree = file->shown.tree;
    struct found found = {0};
    const uint32_t list = syntax_child(tree, c->node, 1);
    for (uint32_t a = list == NONE ? NONE : syntax_first(tree, list); a != NONE; a = syntax_next(tree, a))
        if (tree->kind[a] != SYN_KEYWORD)
            look_at_base(cells, cells_node(cells, file->id, a), &found);
    static const struct limit many = {"bases", "a class has more than 8 bases; the others are not looked at"};
    if (found.base_count > MOST_BASES) {
        tell_class(cells, &many, id);
        found.base_count = MOST_BASES;
    }
    struct class_data *data = &cells->classes[id];
    data->changed = data->rebased = take_bases(cells, data, &found);
    *changed |= data->rebased;
    found.is_module |= found.unknown && looks_like_module(cells, id);
    data->changed |=
        c->is_module != found.is_module || c->is_dataset != found.is_dataset || c->framework != found.framework;
    c->is_module = found.is_module;
    c->is_dataset = found.is_dataset;
    c->framework = found.framework;
}

static bool base_on_gpu(const struct cells *cells, uint32_t id)
{
    const struct class_data *data = &cells->classes[id];
    for (uint32_t b = 0; b < data->base_count; b++)
        if (cells->classes[data->bases[b]].on_gpu)
            return true;
    return false;
}

static bool framework_places(const struct cells *cells, uint32_t id)
{
    const struct framework *framework = cells->files->classes[id].framework;
    return framework && framework->is_module && framework->on_device &&
           !program_of(cells, cells->files->classes[id].file)->host_only;
}

static void count_programs(struct cells *cells)
{
    for (uint32_t i = 0; i < cells->files->count; i++) {
        struct program *program = &cells->programs[i];
        program->changed = program->more_set || program->module_moved != program->next_module_moved ||
                           program->host_only != program->next_host_only;
        program->more_set = false;
        program->module_moved = program->next_module_moved;
        program->host_only = program->next_host_only;
    }
}

static void place_one(struct cells *cells, uint32_t id)
{
    struct class_data *data = &cells->classes[id];
    struct program *program = program_of(cells, cells->files->classes[id].file);
    data->next_on_gpu |= cells->files->classes[id].is_module &&
                         (program->module_moved || base_on_gpu(cells, id) || framework_places(cells, id));
    data->changed |= data->on_gpu != data->next_on_gpu;
    data->on_gpu = data->next_on_gpu;
    program->changed |= data->on_gpu && !program->model_on_gpu;
    program->model_on_gpu |= data->on_gpu;
}

/* A class sees by its order what stands above it, and methods that those below have in its place. */
static void spread_rebased(struct cells *cells)
{
    for (uint32_t id = 0; id < cells->files->class_count; id++) {
        const struct classes order = class_order(cells, id);
        bool any = false;
        for (uint32_t i = 0; i < order.count && !any; i++)
            any = cells->classes[order.at[i]].rebased;
        for (uint32_t i = 0; any && i < order.count; i++)
            cells->classes[order.at[i]].changed = true;
    }
}

/* What puts a base on the device puts those who inherit there. */
void class_link(struct cells *cells)
{
    bool changed = false;
    count_programs(cells);
    for (uint32_t id = 0; id < cells->files->class_count; id++) {
        link_one(cells, id, &changed);
        place_one(cells, id);
    }
    if (changed) {
        spread_rebased(cells); /* those that lose what is below them too */
        class_put_in_order(cells);
        spread_rebased(cells);
    }
    class_spread_made(cells);
    defaults_spread(cells);
}
