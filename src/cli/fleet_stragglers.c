/* SPDX-License-Identifier: Apache-2.0 */
/* Stragglers of one job: from a table of its operations, a timeline of them, or the traces of its ranks. */
#include <sys/stat.h>

#include "base/error.h"
#include "base/par.h"
#include "call.h"
#include "fleet/operations_trace.h"
#include "fleet/straggler_show.h"
#include "fleet_command.h"
#include "inputs.h"
#include "output.h"
#include "progress.h"
#include "read/read.h"

/* ---- the traces of ranks ---- */

/* One file of the job. */
struct rank_file {
    const char *path;
    struct arena arena;
    struct rank_operations operations;
    bool read;
    struct steptime_error error;
};

struct reading {
    const struct call *call;
    struct rank_file *files;
    struct progress progress;
};

static void read_file(void *context, size_t i)
{
    struct reading *reading = context;
    struct rank_file *file = &reading->files[i];
    struct trace *trace = trace_read(file->path, &reading->progress.bytes[i], &file->error);
    reading->progress.done++;
    if (!trace)
        return;
    rank_operations_of(trace, call_selection(reading->call), &file->arena, &file->operations);
    file->read = file->operations.count > 0;
    if (!file->read)
        fail_at(&file->error, STEPTIME_INPUT, str_of(file->path), -1,
                "no work of a device, and no collective, in steps");
    if (file->operations.rank < 0)
        file->operations.rank = (int64_t)i;
    trace_free(trace);
}

/* The ranks that could be read, close together; the others are told as warnings. */
static uint32_t collect(struct report *report, struct rank_file *files, uint32_t count, struct rank_operations *ranks)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < count; i++)
        if (files[i].read)
            ranks[read++] = files[i].operations;
        else
            report_warning(report, str_of(files[i].path), files[i].error.offset,
                           str_copy(report_arena(report), str_of(files[i].error.message)));
    return read;
}

static bool join(struct report *report, struct rank_file *files, uint32_t count, struct operations *operations,
                 struct steptime_error *err)
{
    struct arena *arena = report_arena(report);
    struct rank_operations *ranks = arena_array(arena, count, sizeof *ranks);
    const uint32_t read = collect(report, files, count, ranks);
    if (read)
        return operations_of_ranks(ranks, read, arena, operations, err);
    *err = files[0].error;
    return false;
}

static bool of_traces(const struct call *call, struct report *report, struct operations *operations,
                      struct steptime_error *err)
{
    struct arena *arena = report_arena(report);
    struct call traces = *call;
    struct inputs inputs;
    traces.arguments++;
    traces.argument_count--;
    if (!inputs_of(&traces, arena, &inputs, err))
        return false;
    struct reading reading = {.call = call, .files = arena_array(arena, inputs.count, sizeof(struct rank_file))};
    for (uint32_t i = 0; i < inputs.count; i++)
        reading.files[i].path = inputs.paths[i];
    progress_begin(&reading.progress, "traces", inputs.count, inputs.packed_bytes, arena);
    par_each(inputs.count, 0, read_file, &reading);
    progress_end(&reading.progress);
    const bool good = join(report, reading.files, inputs.count, operations, err);
    for (uint32_t i = 0; i < inputs.count; i++)
        arena_free(&reading.files[i].arena);
    return good;
}

/* ---- a table ---- */

static bool of_table(const char *path, struct report *report, struct operations *operations, struct steptime_error *err)
{
    if (!operations_read(path, report_arena(report), operations, err))
        return false;
    report_input(report, (struct report_input){.path = str_of(path),
                                               .format = S("operations"),
                                               .events = operations->count,
                                               .bytes = -1,
                                               .dropped = (int64_t)operations->dropped});
    return true;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static bool run(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct operations operations;
    struct stragglers stragglers;
    if (call_argument_count(call) < 2)
        return fail(err, STEPTIME_USAGE, "a table of operations, or the traces of a job's ranks, please");
    const char *path = call_argument(call, 1);
    struct report *report = report_new(arena, S("fleet stragglers"));
    const bool one = call_argument_count(call) == 2 && !is_folder(path);
    const bool good = one && operations_fit(path) ? of_table(path, report, &operations, err)
                                                  : of_traces(call, report, &operations, err);
    if (!good || !stragglers_of(&operations, arena, &stragglers, err))
        return false;
    stragglers_show(&stragglers, report);
    return output_report(call, report, err);
}

bool fleet_stragglers(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    const bool good = run(call, &arena, err);
    arena_free(&arena);
    return good;
}
