/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What functions see of each other. After a round the cells are joined anew from
 * the facts of all files: a fact that a file does not repeat is gone.
 */
#include "source/eval.h"

#include "base/mem.h"

int64_t cell_key_attribute(uint32_t class_id, const struct name *name)
{
    return (int64_t)(class_id + 1) << 32 | name->id; /* plain cells have no upper half */
}

static uint32_t cells_add(struct project *project, uint32_t count)
{
    const uint32_t first = project->cell_count;
    project->cells = mem_grow(project->cells, &project->cell_room, (size_t)first + count, sizeof *project->cells);
    for (uint32_t i = 0; i < count; i++)
        project->cells[first + i] = (struct cell){&value_nothing, &value_nothing, false};
    project->cell_count += count;
    return first;
}

void cells_new(struct project *project)
{
    project->first_parameter_cell = arena_array(&project->arena, project->function_count, sizeof(uint32_t));
    cells_add(project, project->function_count);
    for (uint32_t f = 0; f < project->function_count; f++)
        project->first_parameter_cell[f] = cells_add(project, project->functions[f].parameters);
    project->parameter_cells_end = project->cell_count;
    for (uint32_t i = 0; i < project->file_count; i++)
        project->files[i].first_slot_cell = cells_add(project, project->files[i].flow.slot_count);
}

static uint32_t attribute_cell(struct project *project, int64_t key)
{
    uint32_t cell = map_get(&project->cell_of_attribute, key);
    if (cell != MAP_NONE)
        return cell;
    cell = cells_add(project, 1);
    map_put(&project->cell_of_attribute, key, cell);
    return cell;
}

static void class_on_gpu(struct project *project, uint32_t class_id)
{
    project->class_data[class_id].next_on_gpu = true;
}

static void note(struct project *project, struct file *file, int64_t key)
{
    if (key == FACT_DEVICE_USED) {
        project->programs[file->program].device_used = true;
        file->shown.uses_device = true;
    } else if (key == FACT_MODULE_MOVED) {
        project->programs[file->program].next_module_moved = true;
    } else if (key == FACT_DEFAULT_MOVED) {
        project->programs[file->program].next_default_moved = true;
    } else {
        class_on_gpu(project, (uint32_t)(FACT_CLASSES - key));
    }
}

static void join_fact(struct project *project, const struct fact *fact)
{
    const uint32_t id = fact->key >> 32 ? attribute_cell(project, fact->key) : (uint32_t)fact->key;
    const bool parameter = id >= project->function_count && id < project->parameter_cells_end;
    struct cell *cell = &project->cells[id];
    if (cell->next != fact->value)
        cell->next = values_join(project->values, cell->next, fact->value, parameter ? JOIN_CALLERS : JOIN_WAYS);
}

void cells_join(struct project *project)
{
    for (uint32_t i = 0; i < project->cell_count; i++)
        project->cells[i].next = &value_nothing;
    for (uint32_t i = 0; i < project->file_count; i++)
        project->programs[i].next_module_moved = project->programs[i].next_default_moved = false;
    for (uint32_t i = 0; i < project->class_count; i++)
        project->class_data[i].next_on_gpu = false;
    for (uint32_t i = 0; i < project->file_count; i++) {
        struct file *file = &project->files[i];
        for (size_t f = 0; f < file->facts.count; f++) {
            if (file->facts.at[f].key < 0)
                note(project, file, file->facts.at[f].key);
            else
                join_fact(project, &file->facts.at[f]);
        }
    }
    for (uint32_t i = 0; i < project->cell_count; i++) {
        struct cell *cell = &project->cells[i];
        cell->changed = cell->value != cell->next;
        cell->value = cell->next;
    }
}
