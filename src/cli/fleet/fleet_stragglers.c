/* SPDX-License-Identifier: Apache-2.0 */
/* Stragglers of one job: from a table of its operations, a timeline of them, or the traces of its ranks. */

#include "base/error.h"
#include "cli/program/call.h"
#include "fleet/straggler/operations_trace.h"
#include "fleet/straggler/straggler_show.h"
#include "fleet_command.h"
#include "rank_job.h"
#include "cli/program/output.h"
#include "cli/program/reading.h"
#include "io/same_file.h"

/* ---- the traces of ranks ---- */

struct rank_result {
    struct rank_operations operations;
    const struct job_numbers *numbers;
};

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    struct rank_result *rank = file->result = arena_alloc(&file->arena, sizeof *rank);
    struct rank_operations *operations = &rank->operations;
    rank_operations_of(file->trace, call_selection(context), &file->arena, operations);
    rank->numbers = rank_job_take(file->trace, call_selection(context), &file->arena);
    return operations->count || rank_job_meets(rank->numbers) ||
           fail_at(err, STEPTIME_INPUT, str_of(file->path), -1, "no work of a device, and no collective, in steps");
}

/* Ranks with work of their own; those that only pass messages on have none to be made ideal. */
static uint32_t workers_of(const struct inputs *inputs, struct rank_operations *ranks, uint32_t *place)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->taken; i++) {
        const struct rank_operations *operations = &((const struct rank_result *)inputs->at[i]->result)->operations;
        if (!operations->count)
            continue;
        place[count] = i;
        ranks[count++] = *operations;
    }
    return count;
}

static bool join(const struct inputs *inputs, struct report *report, struct operations *operations,
                 struct steptime_error *err)
{
    struct arena *arena = report_arena(report);
    struct rank_operations *ranks = arena_array(arena, inputs->taken, sizeof *ranks);
    uint32_t *place = arena_array(arena, inputs->taken, sizeof *place);
    const uint32_t count = workers_of(inputs, ranks, place);
    struct match_doubt doubt = {0};
    if (!count)
        return fail(err, STEPTIME_INPUT, "no work of a device and no collective of all in steps");
    if (!operations_of_ranks(ranks, count, arena, operations, &doubt, err))
        return false;
    const str words = match_doubt_words(&doubt, arena);
    if (words.len)
        report_warning(report, str_of(inputs->at[place[doubt.rank]]->path), -1, words);
    return true;
}

static void show_job(const struct inputs *inputs, struct report *report)
{
    const struct job_numbers **ranks = arena_array(report_arena(report), inputs->taken, sizeof *ranks);
    for (uint32_t i = 0; i < inputs->taken; i++)
        ranks[i] = ((const struct rank_result *)inputs->at[i]->result)->numbers;
    rank_job_show(ranks, inputs->taken, report);
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

/* ---- the command ---- */

/* `operations`: NULL: the ranks cannot be joined. `inputs`: the traces of ranks; NULL: a table. */
static bool show(const struct call *call, const struct operations *operations, const struct inputs *inputs,
                 struct report *report, struct steptime_error *err)
{
    struct stragglers stragglers;
    if (operations && !stragglers_of(operations, report_arena(report), &stragglers, err))
        return false;
    if (inputs)
        show_job(inputs, report);
    if (operations)
        stragglers_show(&stragglers, report);
    return output_report(call, report, err);
}

/* Ranks that share no step cannot be walked together; who is late is told all the same. */
static bool show_joined(const struct call *call, const struct inputs *inputs, struct report *report,
                        struct steptime_error *err)
{
    struct operations operations;
    const bool joined = join(inputs, report, &operations, err);
    if (!joined && inputs->taken < 2)
        return false;
    if (!joined)
        report_warning(report, S(""), -1,
                       str_printf(report_arena(report), "%s: what slow workers cost is not told", err->message));
    return show(call, joined ? &operations : NULL, inputs, report, err);
}

static bool of_traces(const struct call *call, struct report *report, struct steptime_error *err)
{
    struct inputs inputs;
    struct inputs_asked asked = {.paths = call->arguments + 1,
                                 .count = call->argument_count - 1,
                                 .context = (void *)(uintptr_t)call,
                                 .take = take};
    bool good = call_inputs(call, &asked, &inputs, err);
    if (good) {
        inputs_tell(&inputs, report);
        inputs_tell_trust(&inputs, report);
        good = show_joined(call, &inputs, report, err) && inputs_whole(&inputs, err);
    }
    inputs_close(&inputs);
    return good;
}

static bool run(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct operations operations;
    if (call_argument_count(call) < 2)
        return fail(err, STEPTIME_USAGE, "a table of operations, or the traces of a job's ranks, please");
    const char *path = call_argument(call, 1);
    struct report *report = report_new(arena, S("fleet stragglers"));
    const bool one = call_argument_count(call) == 2 && !path_is_folder(path);
    if (one && operations_fit(path) && (call_text(call, "steps") || call_flag(call, "skip-warmup")))
        return fail(err, STEPTIME_USAGE,
                    "--steps and --skip-warmup are for the traces of a job's ranks, not for a table");
    if (one && operations_fit(path))
        return of_table(path, report, &operations, err) && show(call, &operations, NULL, report, err);
    return of_traces(call, report, err);
}

bool fleet_stragglers(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    const bool good = run(call, &arena, err);
    arena_free(&arena);
    return good;
}
