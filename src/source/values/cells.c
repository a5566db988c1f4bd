/* SPDX-License-Identifier: Apache-2.0 */
#include "cells.h"

#include <stdlib.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "parallel/par.h"

int64_t cell_key_attribute(uint32_t class_id, const struct name *name)
{
    return (int64_t)(class_id + 1) << 32 | name->id; /* plain cells have no upper half */
}

static uint32_t cells_add(struct cells *cells, uint32_t count)
{
    const uint32_t first = cells->count;
    cells->at = mem_grow(cells->at, &cells->room, (size_t)first + count, sizeof *cells->at);
    for (uint32_t i = 0; i < count; i++)
        cells->at[first + i] = (struct cell){&value_nothing, &value_nothing, false};
    cells->count += count;
    return first;
}

static void number_cells(struct cells *cells)
{
    cells->first_parameter = arena_array(&cells->arena, cells->files->function_count, sizeof(uint32_t));
    cells_add(cells, cells->files->function_count);
    for (uint32_t f = 0; f < cells->files->function_count; f++)
        cells->first_parameter[f] = cells_add(cells, cells->files->functions[f].parameters);
    cells->parameters_end = cells->count;
    for (uint32_t i = 0; i < cells->files->count; i++)
        cells->of_file[i].first_slot_cell = cells_add(cells, cells->files->at[i].flow.slot_count);
}

static uint32_t attribute_cell(struct cells *cells, int64_t key)
{
    uint32_t cell = map_get(&cells->of_attribute, key);
    if (cell != MAP_NONE)
        return cell;
    cell = cells_add(cells, 1);
    map_put(&cells->of_attribute, key, cell);
    return cell;
}

static void class_on_gpu(struct cells *cells, uint32_t class_id)
{
    cells->classes[class_id].next_on_gpu = true;
}

static void note(struct cells *cells, struct file *file, int64_t key)
{
    if (key == FACT_DEVICE_USED) {
        cells->programs[file->program].device_used = true;
        file->shown.uses_device = true;
    } else if (key == FACT_MODULE_MOVED) {
        cells->programs[file->program].next_module_moved = true;
    } else if (key == FACT_HOST_ONLY) {
        cells->programs[file->program].next_host_only = true;
    } else if (key <= FACT_SETS_DEFAULT) {
        const uint32_t function = (uint32_t)(FACT_SETS_DEFAULT - key);
        program_of(cells, cells->files->functions[function].file)->more_set |= !cells->defaults.set_by[function];
        cells->defaults.set_by[function] = true;
    } else if (key <= FACT_MADE) {
        cells->classes[FACT_MADE - key].made = true;
    } else {
        class_on_gpu(cells, (uint32_t)(FACT_CLASSES - key));
    }
}

static void join_fact(struct cells *cells, const struct fact *fact)
{
    const uint32_t id = fact->key >> 32 ? attribute_cell(cells, fact->key) : (uint32_t)fact->key;
    const bool parameter = id >= cells->files->function_count && id < cells->parameters_end;
    struct cell *cell = &cells->at[id];
    if (cell->next != fact->value)
        cell->next = values_join(cells->values, cell->next, fact->value, parameter ? JOIN_CALLERS : JOIN_WAYS);
}

/* What is known before the facts of a round are joined: nothing, or with `keep` what was known before. */
static void begin_join(struct cells *cells, bool keep)
{
    for (uint32_t i = 0; i < cells->count; i++)
        cells->at[i].next = keep ? cells->at[i].value : &value_nothing;
    for (uint32_t i = 0; i < cells->files->count; i++) {
        struct program *program = &cells->programs[i];
        program->next_module_moved = keep && program->module_moved;
        program->next_host_only = keep && program->host_only;
        program->device_used = keep && program->device_used;
    }
    for (uint32_t i = 0; i < cells->files->class_count; i++)
        cells->classes[i].next_on_gpu = keep && cells->classes[i].on_gpu;
}

/* After a round: a fact that a file does not repeat is gone, if nothing is kept. */
static void join_facts(struct cells *cells, bool keep)
{
    begin_join(cells, keep);
    for (uint32_t i = 0; i < cells->files->count; i++) {
        const struct facts *facts = &cells->of_file[i].facts;
        for (size_t f = 0; f < facts->count; f++) {
            if (facts->at[f].key < 0)
                note(cells, &cells->files->at[i], facts->at[f].key);
            else
                join_fact(cells, &facts->at[f]);
        }
    }
    for (uint32_t i = 0; i < cells->count; i++) {
        struct cell *cell = &cells->at[i];
        cell->changed = cell->value != cell->next;
        cell->value = cell->next;
    }
}

/* ---- calls, once values are settled ---- */

static int by_node(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    return x->node != y->node ? (x->node < y->node ? -1 : 1) : x->target < y->target ? -1 : x->target > y->target;
}

/* Each call and target once. */
static void sort_calls(struct calls *calls)
{
    if (!calls->count)
        return;
    qsort(calls->at, calls->count, sizeof *calls->at, by_node);
    size_t kept = 1;
    for (size_t i = 1; i < calls->count; i++)
        if (by_node(&calls->at[i], &calls->at[kept - 1]) != 0)
            calls->at[kept++] = calls->at[i];
    calls->count = kept;
}

/* ---- rounds ---- */

/*
 * Values settle in three or four rounds. Some never would: what one round finds makes the next lose it. So from one round
 * on what was known is kept, and joined with what is found: then values only become more general, and that ends soon.
 */
enum { FREE_ROUNDS = 10, ROUNDS = 24 };

static const struct limit unsettled = {
    "value-rounds", "what functions give each other had not settled after 24 rounds; it is taken as it was then"};
static const struct limit many_values = {
    "values", "the files hold more than 16 million different values; the others are not known"};

struct round {
    struct cells *cells;
    uint32_t *files;
    uint32_t count;
};

static void evaluate(void *context, size_t i)
{
    const struct round *round = context;
    at_work_on(round->cells->files->at[round->files[i]].shown.path.at);
    eval_file(round->cells, round->files[i]);
}

static bool has_changed(const struct cells *cells, int64_t key)
{
    if (key & (int64_t)1 << 62)
        return cells->classes[key & UINT32_MAX].changed;
    const uint32_t cell = key >> 32 ? map_get(&cells->of_attribute, key) : (uint32_t)key;
    return cell != MAP_NONE && cells->at[cell].changed;
}

/* A file asks of its program, of its default device and of what it has noted to have read: of nothing else. */
static bool is_dirty(const struct cells *cells, uint32_t file)
{
    const struct map *reads = &cells->of_file[file].reads;
    if (program_of(cells, file)->changed || cells->of_file[file].default_changed)
        return true;
    for (size_t i = 0; reads->slots && i <= reads->mask; i++)
        if (reads->slots[i].value != MAP_NONE && has_changed(cells, reads->slots[i].key))
            return true;
    return false;
}

static void settle(struct cells *cells)
{
    const uint32_t count = cells->files->count;
    struct round round = {.cells = cells, .files = mem_alloc((count + 1) * sizeof *round.files)};
    for (uint32_t i = 0; i < count; i++)
        round.files[round.count++] = i;
    for (int i = 0; i < ROUNDS && round.count; i++) {
        par_each(round.count, cells->options.threads, evaluate, &round);
        at_work_on(NULL);
        join_facts(cells, i >= FREE_ROUNDS);
        class_link(cells);
        round.count = 0;
        for (uint32_t f = 0; f < count; f++)
            if (is_dirty(cells, f))
                round.files[round.count++] = f;
    }
    for (uint32_t i = 0; i < round.count; i++)
        files_limit(cells->files, &unsettled, round.files[i], 0);
    if (values_full(cells->values))
        files_limit(cells->files, &many_values, 0, 0);
    mem_free(round.files);
}

static void begin_file(struct evaluated *evaluated, const struct file *file)
{
    evaluated->value_of = mem_zeroed((file->shown.tree->count + 1) * sizeof *evaluated->value_of);
    evaluated->value_of_def = mem_alloc((file->flow.def_count + 1) * sizeof *evaluated->value_of_def);
    for (uint32_t d = 0; d < file->flow.def_count; d++)
        evaluated->value_of_def[d] = value_nothing.id;
}

/* What a file contributes to cells and reads of them serves the rounds alone. */
static void forget_round(struct evaluated *evaluated)
{
    mem_free(evaluated->facts.at);
    map_free(&evaluated->reads);
    evaluated->facts = (struct facts){0};
}

void cells_settle(struct cells *cells, struct files *files, const struct project_options *options)
{
    cells->files = files;
    cells->options = options ? *options : (struct project_options){0};
    cells->values = values_new();
    cells->of_file = arena_array(&cells->arena, files->count, sizeof *cells->of_file);
    cells->programs = arena_array(&cells->arena, files->count + 1, sizeof *cells->programs);
    cells->classes = arena_array(&cells->arena, files->class_count, sizeof *cells->classes);
    cells->defaults.set_by = arena_array(&cells->arena, files->function_count, sizeof *cells->defaults.set_by);
    cells->defaults.moved = arena_array(&cells->arena, files->count, sizeof *cells->defaults.moved);
    for (uint32_t i = 0; i < files->count; i++)
        begin_file(&cells->of_file[i], &files->at[i]);
    class_put_in_order(cells);
    number_cells(cells);
    settle(cells);
    for (uint32_t i = 0; i < files->count; i++) {
        forget_round(&cells->of_file[i]);
        sort_calls(&cells->of_file[i].calls);
    }
}

void cells_free(struct cells *cells)
{
    for (uint32_t i = 0; cells->files && i < cells->files->count; i++) {
        struct evaluated *evaluated = &cells->of_file[i];
        mem_free(evaluated->value_of);
        mem_free(evaluated->value_of_def);
        forget_round(evaluated);
        mem_free(evaluated->calls.at);
    }
    values_free(cells->values);
    map_free(&cells->of_attribute);
    mem_free(cells->at);
    mem_free(cells->diamonds);
    arena_free(&cells->arena);
}

/* ---- where parameters are ---- */

static bool is_method(const struct function *f)
{
    return f->class_id != NONE && !f->is_static && !f->is_classmethod;
}

enum value_device resolve_parameter(const struct cells *cells, uint32_t function, uint32_t k, uint16_t *flags)
{
    const struct function *f = &cells->files->functions[function];
    const bool in_module = f->class_id != NONE && cells->files->classes[f->class_id].is_module;
    *flags = 0;
    if (k == 0 && is_method(f))
        return in_module && cells->classes[f->class_id].on_gpu ? DEVICE_GPU : DEVICE_UNKNOWN;
    if (k >= f->parameters || k >= SUMMARY_PARAMETERS)
        return DEVICE_UNKNOWN;
    const struct value *given = cells->at[cell_of_parameter(cells, function, k)].value;
    if (given->device == DEVICE_GPU || given->device == DEVICE_CPU)
        return given->device;
    if ((given->kind == VALUE_NOTHING || given->kind == VALUE_UNKNOWN) && in_module && is_method(f) &&
        cells->files->calls_forward[function] && !(cells->files->counts[function] >> k & 1) &&
        cells->classes[f->class_id].on_gpu) {
        *flags = VALUE_ASSUMED;
        return DEVICE_GPU;
    }
    return DEVICE_UNKNOWN;
}
