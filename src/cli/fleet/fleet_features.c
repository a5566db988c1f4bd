/* SPDX-License-Identifier: Apache-2.0 */
/* A row of features a job: each argument is one, a trace or a folder with those of its ranks. */
#include "fleet/step/features.h"

#include <math.h>

#include "base/error.h"
#include "cli/program/call.h"
#include "fleet/table/import.h"
#include "fleet_command.h"
#include "program/program.h"
#include "cli/program/output.h"
#include "ops/rows/work.h"
#include "predict/question/batch.h"
#include "cli/program/reading.h"

/* Of the middle step: the first may be unlike the others. */
static int64_t batch_of_trace(const struct trace *trace)
{
    struct arena scratch = {0};
    const struct work_classes *classes = work_classes_new(trace, &scratch);
    const struct program program = program_of_step(trace, classes, trace->step_count / 2, &scratch);
    const int64_t size = batch_of(&program).size;
    arena_free(&scratch);
    return size;
}

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    const struct selection all = {0};
    struct rank_features *features = file->result = arena_alloc(&file->arena, sizeof *features);
    (void)context;
    if (!file->trace->step_count)
        return fail_at(err, STEPTIME_INPUT, str_of(file->path), -1, "the trace has no events");
    rank_features_of(file->trace, &all, &file->arena, features);
    features->batch = batch_of_trace(file->trace);
    return true;
}

/* ---- the table ---- */

static const struct {
    enum job_field field;
    struct column_spec spec;
} columns[] = {
    {JOB_CNODES,
     {"cnodes", "cNodes", UNIT_COUNT, 0,
      "the largest of: ranks read, recorded world size, largest process group; of one process the GPUs it drives"}},
    {JOB_BATCH, {"batch", "batch", UNIT_COUNT, 0, "the first dimension that most operators of the forward pass share"}},
    {JOB_INPUT_BYTES, {"input_bytes", "input", UNIT_BYTES, 0, "bytes of host-to-device copies"}},
    {JOB_FLOPS,
     {"flops", "arithmetic", UNIT_FLOP, 0,
      "arithmetic of products of matrices, convolutions and attention, from shapes"}},
    {JOB_MEMORY_BYTES,
     {"memory_bytes", "memory-bound", UNIT_BYTES, 0,
      "bytes of all other operators: inputs read once, outputs written once"}},
    {JOB_WEIGHT_BYTES,
     {"weight_bytes", "weight traffic", UNIT_BYTES, 0,
      "what collectives send and receive: twice the bus factor times the message"}},
    {JOB_DENSE_WEIGHT_BYTES,
     {"dense_weight_bytes", "dense weights", UNIT_BYTES, 0, "bytes of all-reduced gradients x weight_copies"}},
    {JOB_EMBEDDING_WEIGHT_BYTES,
     {"embedding_weight_bytes", "tables", UNIT_BYTES, 0, "bytes of the tables that are looked up x weight_copies"}},
    {JOB_WEIGHT_COPIES,
     {"weight_copies", "copies of a weight", UNIT_NONE, 0,
      "3 with an optimizer of Adam's kind, 2 with any other, 1 without one"}},
    {JOB_TENSOR_BYTES,
     {"tensor_bytes", "tensor traffic", UNIT_BYTES, 0, "of weight_bytes: all-reduces of the forward pass"}},
    {JOB_PIPELINE_BYTES, {"pipeline_bytes", "stage traffic", UNIT_BYTES, 0, "of weight_bytes: point to point"}},
    {JOB_EXPERT_BYTES, {"expert_bytes", "expert traffic", UNIT_BYTES, 0, "of weight_bytes: all-to-all"}},
    {JOB_MEASURED_MS, {"measured_ms", "measured step", UNIT_MS, 0, "a step on the clock"}},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const struct column_spec job_columns[] = {
    {"job", "job", UNIT_NONE, COLUMN_WIDE, "the name of the file or folder"},
    {"architecture", "architecture", UNIT_NONE, 0,
     "how the job trains, by rules over its collectives (doc/numbers/fleet-screens.md)"},
    {0},
};

static const struct column_spec device_columns[] = {
    {"gpu", "GPU", UNIT_NONE, COLUMN_WIDE, "the device as recorded"},
    {"network", "network", UNIT_NONE, COLUMN_DETAIL, "a trace names none"},
    {0},
};

static struct table *open_table(struct report *report)
{
    struct section *section = report_section(report, "features", "Jobs by what a step of one cNode computes and moves");
    struct table *table = section_table(section, "features", "");
    table_columns(table, job_columns);
    for (int i = 0; i < COLUMNS; i++)
        table_column(table, columns[i].spec);
    table_columns(table, device_columns);
    return table;
}

/* Counts are integers, amounts of bytes and FLOPs are means. */
static struct cell cell_of(enum unit unit, double figure)
{
    return unit == UNIT_COUNT && figure == floor(figure) ? cell_int((int64_t)figure) : cell_real(figure);
}

static void put_job(struct table *table, const struct job *job)
{
    table_row(table);
    table_text(table, job->name);
    table_text(table, architecture_word(job->architecture));
    for (int i = 0; i < COLUMNS; i++)
        table_cell(table, cell_of(columns[i].spec.unit, job->field[columns[i].field]));
    table_text(table, job->gpu);
    table_text(table, job->network);
}

/* What a reader of the row should know. */
static void warn(struct report *report, const char *argument, const struct rank_features *ranks, uint32_t count)
{
    uint64_t operators = 0, without = 0;
    for (uint32_t i = 0; i < count; i++) {
        operators += ranks[i].operators;
        without += ranks[i].without_shapes;
    }
    if (!operators)
        report_warning(report, str_of(argument), -1,
                       S("no operator has recorded shapes: flops and memory_bytes are not known (record_shapes=True)"));
    else if (without)
        report_warning(report, str_of(argument), -1,
                       str_printf(report_arena(report),
                                  "%llu of %llu operators with a formula have no known cost (record with "
                                  "record_shapes=True): flops and memory_bytes are too small",
                                  (unsigned long long)without, (unsigned long long)operators));
    if (!ranks[0].annotated)
        report_warning(report, str_of(argument), -1, S("no steps are marked: the whole trace counts as one"));
}

/* ---- a job ---- */

/* "jobs/resnet/" -> "resnet". */
static str name_of(const char *argument)
{
    str name = str_of(argument);
    while (name.len > 1 && name.at[name.len - 1] == '/')
        name.len--;
    const char *slash = memrchr(name.at, '/', name.len);
    return slash && name.len > 1 ? str_from(name, (size_t)(slash - name.at) + 1) : name;
}

/* Jobs of a public table or schedule, as far as it tells their features. */
enum { IMPORTED_MOST = 100000 };

static void warn_of_dropped(const char *path, const struct import_drops *drops, struct report *report)
{
    const struct import_drop *const first = &drops->told[0];
    if (drops->count)
        report_warning(report, str_of(path), -1,
                       str_printf(report_arena(report), "%llu rows are dropped, the first of them line %llu%s%s: %s",
                                  (unsigned long long)drops->count, (unsigned long long)first->line,
                                  first->table ? " of " : "", first->table ? first->table : "", first->why));
}

static bool add_imported(const char *path, struct table *table, struct report *report, struct steptime_error *err)
{
    struct import *import = import_open(path, S(""), 0, err);
    if (!import)
        return false;
    struct arena *arena = report_arena(report);
    uint32_t count = 0;
    for (struct job job; count < IMPORTED_MOST && import_next(import, &job); count++) {
        job.name = str_copy(arena, job.name);
        job.gpu = str_copy(arena, job.gpu);
        put_job(table, &job);
    }
    if (count == IMPORTED_MOST)
        report_warning(report, str_of(path), -1, S("only the first 100,000 jobs are told"));
    warn_of_dropped(path, import_dropped(import), report);
    return import_close(import, err);
}

static void add_ranks(const struct inputs *inputs, const char *name, struct table *table, struct report *report)
{
    struct arena *arena = report_arena(report);
    struct rank_features *ranks = arena_array(arena, inputs->taken, sizeof *ranks);
    for (uint32_t i = 0; i < inputs->taken; i++)
        ranks[i] = *(const struct rank_features *)inputs->at[i]->result;
    struct job job = job_of_features(ranks, inputs->taken, name_of(name));
    job.gpu = str_copy(arena, job.gpu);
    put_job(table, &job);
    warn(report, name, ranks, inputs->taken);
}

static bool add_traces(const struct call *call, const char *argument, struct table *table, struct report *report,
                       struct trust *trust, struct steptime_error *err)
{
    struct inputs_asked asked = {.paths = &argument, .count = 1, .take = take};
    struct inputs inputs;
    bool good = call_inputs(call, &asked, &inputs, err);
    if (good) {
        add_ranks(&inputs, argument, table, report);
        inputs_tell(&inputs, report);
        inputs_trust(&inputs, trust);
        good = inputs_whole(&inputs, err);
    }
    inputs_close(&inputs);
    return good;
}

static bool add_job(const struct call *call, const char *argument, struct table *table, struct report *report,
                    struct trust *trust, struct steptime_error *err)
{
    return import_fits(argument) ? add_imported(argument, table, report, err)
                                 : add_traces(call, argument, table, report, trust, err);
}

/* A job that cannot be used is told beside the others, and an error in the end. */
static bool run(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct report *report = report_new(arena, S("fleet features"));
    struct table *table = open_table(report);
    const uint32_t asked = call_argument_count(call) - 1;
    uint32_t jobs = 0;
    struct trust trust = {.job.arena = report_arena(report)};
    if (!asked)
        return fail(err, STEPTIME_USAGE, "traces, or folders with the traces of a job's ranks, please");
    for (uint32_t i = 1; i <= asked; i++) {
        struct steptime_error why = {0};
        if (add_job(call, call_argument(call, i), table, report, &trust, &why)) {
            jobs++;
            continue;
        }
        report_warning(report, str_of(call_argument(call, i)), -1, str_copy(arena, str_of(why.message)));
        *err = why;
    }
    trust_show(&trust, report);
    return jobs && output_report(call, report, err) && jobs == asked;
}

bool fleet_features(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    const bool good = run(call, &arena, err);
    arena_free(&arena);
    return good;
}
