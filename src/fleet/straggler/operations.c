/* SPDX-License-Identifier: Apache-2.0 */
#include "operations.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/table/import_stream.h"
#include "operations_draft.h"

enum { MOST_STAGES = 1 << 20, MOST_TYPES = 1 << 8 }; /* straggler_plan.c packs them into a number */

static bool is_sound(const struct operation_row *row)
{
    return row->type.len && row->duration_s >= 0 && row->sequence >= 0 && row->sequence < UINT32_MAX;
}

static int32_t chunk_of(int64_t number)
{
    return number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
}

void draft_add(struct operations_draft *draft, const struct operation_row *row)
{
    if (!is_sound(row)) {
        draft->dropped++;
        return;
    }
    draft->operations = mem_grow(draft->operations, &draft->room, draft->count + 1, sizeof *draft->operations);
    draft->operations[draft->count++] = (struct operation){.start_s = row->start_s,
                                                           .duration_s = row->duration_s,
                                                           .type = intern_id(draft->types, row->type) - 1,
                                                           .step = numbering_id(&draft->steps, row->step),
                                                           .stage = numbering_id(&draft->stages, row->stage),
                                                           .replica = numbering_id(&draft->replicas, row->replica),
                                                           .sequence = (uint32_t)row->sequence,
                                                           .launch = -1,
                                                           .chunk = chunk_of(row->chunk),
                                                           .model_chunk = chunk_of(row->model_chunk)};
}

static void draft_release(struct operations_draft *draft)
{
    mem_free(draft->operations);
    intern_free(draft->types);
    numbering_free(&draft->steps);
    numbering_free(&draft->stages);
    numbering_free(&draft->replicas);
}

/* ---- finishing ---- */

static const struct operation_type *types_of(const struct operations_draft *draft, struct arena *arena, uint32_t *count)
{
    *count = intern_count(draft->types) - 1;
    struct operation_type *types = arena_array(arena, *count, sizeof *types);
    for (uint32_t i = 0; i < *count; i++) {
        types[i].name = str_copy(arena, intern_text(draft->types, i + 1));
        types[i].role = operation_role_of(types[i].name);
    }
    return types;
}

/* In the order of steps, replicas and stages. */
static const struct operation *in_order(const struct operations_draft *draft, struct arena *arena)
{
    struct keyed *keys = mem_alloc((draft->count + 1) * sizeof *keys);
    const int64_t stages = (int64_t)draft->stages.count, replicas = (int64_t)draft->replicas.count;
    for (size_t i = 0; i < draft->count; i++) {
        const struct operation *o = &draft->operations[i];
        keys[i] = (struct keyed){((int64_t)o->step * replicas + o->replica) * stages + o->stage, (uint32_t)i};
    }
    sort_keyed(keys, draft->count);
    struct operation *sorted = arena_array(arena, draft->count, sizeof *sorted);
    for (size_t i = 0; i < draft->count; i++)
        sorted[i] = draft->operations[keys[i].row];
    mem_free(keys);
    return sorted;
}

static void renumber(struct operations_draft *draft, struct arena *arena, struct operations *operations)
{
    const struct renumbering steps = numbering_sort(&draft->steps, arena);
    const struct renumbering stages = numbering_sort(&draft->stages, arena);
    const struct renumbering replicas = numbering_sort(&draft->replicas, arena);
    for (size_t i = 0; i < draft->count; i++) {
        struct operation *o = &draft->operations[i];
        o->step = steps.place[o->step];
        o->stage = stages.place[o->stage];
        o->replica = replicas.place[o->replica];
    }
    operations->step_numbers = steps.numbers;
    operations->stage_numbers = stages.numbers;
    operations->replica_numbers = replicas.numbers;
    operations->steps = (uint32_t)draft->steps.count;
    operations->stages = (uint32_t)draft->stages.count;
    operations->replicas = (uint32_t)draft->replicas.count;
}

/* Workers and steps that have almost no operations each do not come from one job; so their product fits a number, too. */
static bool makes_a_job(const struct operations_draft *draft)
{
    uint64_t cells;
    return draft->stages.count < MOST_STAGES && intern_count(draft->types) <= MOST_TYPES &&
           !__builtin_mul_overflow((uint64_t)draft->stages.count * draft->replicas.count, draft->steps.count, &cells) &&
           cells <= 4 * (uint64_t)draft->count;
}

/* False with *err where these are no operations of one job. */
static bool draft_finish(struct operations_draft *draft, const char *path, struct arena *arena,
                         struct operations *operations, struct steptime_error *err)
{
    if (!draft->count || draft->count >= UINT32_MAX)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no operations in it");
    if (!makes_a_job(draft))
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1,
                       "its workers, steps and types have too few operations each to be those of one job");
    *operations = (struct operations){.count = (uint32_t)draft->count, .dropped = draft->dropped};
    renumber(draft, arena, operations);
    operations->types = types_of(draft, arena, &operations->type_count);
    operations->at = in_order(draft, arena);
    return true;
}

/* ---- files ---- */

bool operations_fit(const char *path)
{
    char room[IMPORT_SNIFFED];
    const str begin = strcmp(path, "-") ? str_trim(import_sniff(path, room)) : S("");
    return operations_is_timeline(begin) || !begin.len || !strchr("{[", begin.at[0]);
}

static bool read_any(const char *path, str begin, struct operations_draft *draft, struct steptime_error *err)
{
    if (import_is_parquet(begin))
        return import_refuse_parquet(path, err);
    return operations_is_timeline(str_trim(begin)) ? operations_read_timeline(path, draft, err)
                                                   : operations_read_table(path, draft, err);
}

/* Standard input can be looked at but once: it is a table. */
bool operations_read(const char *path, struct arena *arena, struct operations *operations, struct steptime_error *err)
{
    char room[IMPORT_SNIFFED];
    struct operations_draft draft = {.types = intern_new()};
    const str begin = strcmp(path, "-") ? import_sniff(path, room) : S("");
    const bool good = read_any(path, begin, &draft, err) && draft_finish(&draft, path, arena, operations, err);
    draft_release(&draft);
    return good;
}
