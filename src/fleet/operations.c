/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/operations.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/number.h"
#include "fleet/numbering.h"
#include "text/csv_stream.h"

enum column { REPLICA, STAGE, STEP, TYPE, START, DURATION, SEQUENCE, CHUNK, MODEL_CHUNK, COLUMNS };

static const struct {
    const char *name;
    bool needed;
} columns[COLUMNS] = {
    [REPLICA] = {"dp_rank", true}, [STAGE] = {"stage", true},    [STEP] = {"step", true},
    [TYPE] = {"optype", true},     [START] = {"start_ts", true}, [DURATION] = {"duration", true},
    [SEQUENCE] = {"seq_id", true}, [CHUNK] = {"mc", false},      [MODEL_CHUNK] = {"gmc", false},
};

struct reading {
    struct csv_stream *rows;
    uint32_t at[COLUMNS];
    struct operation *operations;
    size_t count, room;
    struct intern *types; /* id 0 is the empty text, which is no type */
    struct numbering steps, stages, replicas;
    uint64_t dropped;
};

/* ---- rows ---- */

static bool whole(str text, int64_t *number)
{
    double value;
    if (!number_read(text, &value) || value != (double)(int64_t)value)
        return false;
    *number = (int64_t)value;
    return value > -1e15 && value < 1e15;
}

/* The number of a chunk; -1 where it is absent, or none that could be. */
static int32_t chunk_of(str text)
{
    int64_t number;
    return text.len && whole(text, &number) && number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
}

static str field(const struct reading *reading, const struct csv_row *row, enum column column)
{
    return csv_field(row, reading->at[column]);
}

static bool read_times(const struct reading *reading, const struct csv_row *row, struct operation *operation)
{
    return number_read(field(reading, row, START), &operation->start_s) &&
           number_read(field(reading, row, DURATION), &operation->duration_s) && operation->duration_s >= 0;
}

static bool read_operation(struct reading *reading, const struct csv_row *row, struct operation *operation)
{
    int64_t step, stage, replica, sequence;
    const str type = str_trim(field(reading, row, TYPE));
    if (!type.len || !read_times(reading, row, operation) || !whole(field(reading, row, STEP), &step) ||
        !whole(field(reading, row, STAGE), &stage) || !whole(field(reading, row, REPLICA), &replica) ||
        !whole(field(reading, row, SEQUENCE), &sequence) || sequence < 0 || sequence >= UINT32_MAX)
        return false;
    operation->type = intern_id(reading->types, type) - 1;
    operation->step = numbering_id(&reading->steps, step);
    operation->stage = numbering_id(&reading->stages, stage);
    operation->replica = numbering_id(&reading->replicas, replica);
    operation->sequence = (uint32_t)sequence;
    operation->chunk = chunk_of(field(reading, row, CHUNK));
    operation->model_chunk = chunk_of(field(reading, row, MODEL_CHUNK));
    return true;
}

static void read_rows(struct reading *reading)
{
    struct csv_row row;
    uint32_t line;
    while (csv_stream_next(reading->rows, &row, &line)) {
        struct operation operation;
        if (!read_operation(reading, &row, &operation)) {
            reading->dropped++;
            continue;
        }
        reading->operations =
            mem_grow(reading->operations, &reading->room, reading->count + 1, sizeof *reading->operations);
        reading->operations[reading->count++] = operation;
    }
}

/* ---- the table ---- */

static const struct operation_type *types_of(const struct reading *reading, struct arena *arena, uint32_t *count)
{
    *count = intern_count(reading->types) - 1;
    struct operation_type *types = arena_array(arena, *count, sizeof *types);
    for (uint32_t i = 0; i < *count; i++) {
        types[i].name = str_copy(arena, intern_text(reading->types, i + 1));
        types[i].role = operation_role_of(types[i].name);
    }
    return types;
}

/* In the order of steps, replicas and stages. */
static const struct operation *in_order(const struct reading *reading, struct arena *arena)
{
    struct keyed *keys = mem_alloc((reading->count + 1) * sizeof *keys);
    const int64_t stages = (int64_t)reading->stages.count, replicas = (int64_t)reading->replicas.count;
    for (size_t i = 0; i < reading->count; i++) {
        const struct operation *o = &reading->operations[i];
        keys[i] = (struct keyed){((int64_t)o->step * replicas + o->replica) * stages + o->stage, (uint32_t)i};
    }
    sort_keyed(keys, reading->count);
    struct operation *sorted = arena_array(arena, reading->count, sizeof *sorted);
    for (size_t i = 0; i < reading->count; i++)
        sorted[i] = reading->operations[keys[i].row];
    mem_free(keys);
    return sorted;
}

static void renumber(struct reading *reading, struct arena *arena, struct operations *operations)
{
    const struct renumbering steps = numbering_sort(&reading->steps, arena);
    const struct renumbering stages = numbering_sort(&reading->stages, arena);
    const struct renumbering replicas = numbering_sort(&reading->replicas, arena);
    for (size_t i = 0; i < reading->count; i++) {
        struct operation *o = &reading->operations[i];
        o->step = steps.place[o->step];
        o->stage = stages.place[o->stage];
        o->replica = replicas.place[o->replica];
    }
    operations->step_numbers = steps.numbers;
    operations->stage_numbers = stages.numbers;
    operations->replica_numbers = replicas.numbers;
    operations->steps = (uint32_t)reading->steps.count;
    operations->stages = (uint32_t)reading->stages.count;
    operations->replicas = (uint32_t)reading->replicas.count;
}

/* Workers and steps of which each has an operation or two are none of a job; and their product fits a number. */
static bool makes_a_job(const struct reading *reading)
{
    uint64_t cells;
    return !__builtin_mul_overflow((uint64_t)reading->stages.count * reading->replicas.count, reading->steps.count,
                                   &cells) &&
           cells <= 4 * (uint64_t)reading->count;
}

static bool finish(struct reading *reading, const char *path, struct arena *arena, struct operations *operations,
                   struct steptime_error *err)
{
    if (!reading->count || reading->count >= UINT32_MAX)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no operations among its rows");
    if (!makes_a_job(reading))
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1,
                       "its workers and steps have too few operations each to be those of one job");
    *operations = (struct operations){.count = (uint32_t)reading->count, .dropped = reading->dropped};
    renumber(reading, arena, operations);
    operations->types = types_of(reading, arena, &operations->type_count);
    operations->at = in_order(reading, arena);
    return true;
}

static bool find_columns(struct reading *reading, const char *path, struct steptime_error *err)
{
    for (int i = 0; i < COLUMNS; i++) {
        reading->at[i] = csv_column(csv_stream_header(reading->rows), str_of(columns[i].name));
        if (reading->at[i] == UINT32_MAX && columns[i].needed)
            return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no table of operations: it has no column '%s'",
                           columns[i].name);
    }
    return true;
}

static void release(struct reading *reading)
{
    mem_free(reading->operations);
    intern_free(reading->types);
    numbering_free(&reading->steps);
    numbering_free(&reading->stages);
    numbering_free(&reading->replicas);
}

bool operations_read(const char *path, struct arena *arena, struct operations *operations, struct steptime_error *err)
{
    struct reading reading = {.rows = csv_stream_open(path, err)};
    if (!reading.rows)
        return false;
    reading.types = intern_new();
    bool good = find_columns(&reading, path, err);
    if (good)
        read_rows(&reading);
    good = csv_stream_close(reading.rows, good ? err : NULL) && good;
    good = good && finish(&reading, path, arena, operations, err);
    release(&reading);
    return good;
}
