/* SPDX-License-Identifier: Apache-2.0 */
/* Which line filled the memory of a device: from traces with profile_memory, and from snapshots of the allocator. */
#include "base/error.h"
#include "base/mem.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "cli/program/reading.h"
#include "memory/show/show.h"
#include "memory/snapshot/snapshot.h"
#include "memory/traced/traced.h"

/* What is made of one file. */
struct side {
    struct memory_log log;
    struct memory_account *accounts; /* one a device */
    str broken;                      /* why the end is missing; "" */
};

/* Standard input is read once, as a trace. */
static bool is_snapshot(const char *path)
{
    if (!strcmp(path, "-"))
        return false;
    struct source *source = source_open(path, NULL);
    const bool is = source && snapshot_is(source_head(source, 2));
    source_close(source);
    return is;
}

static bool read_snapshot(struct input_file *file, struct side *side, struct steptime_error *err)
{
    struct source *source = source_open(file->path, err);
    if (!source)
        return false;
    side->log = memory_log_new(&file->arena);
    const bool good = snapshot_read(source, &side->log, &side->broken, err);
    file->about = (struct report_input){.path = str_of(file->path),
                                        .format = S("snapshot of PyTorch's allocator"),
                                        .events = (int64_t)side->log.event_count,
                                        .bytes = source_offset(source)};
    source_close(source);
    return good;
}

static bool read_trace(struct input_file *file, struct side *side, struct steptime_error *err)
{
    if (!traced_has(file->trace))
        return fail_at(err, STEPTIME_INPUT, str_of(file->path), -1,
                       "tells no allocations: record with profile_memory=True, or take a snapshot of the allocator");
    side->log = traced_log(file->trace, &file->arena);
    return side->log.devices ||
           fail_at(err, STEPTIME_INPUT, str_of(file->path), -1, "tells no allocation that has a size");
}

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    struct side *side = arena_alloc(&file->arena, sizeof *side);
    const bool good = file->trace ? read_trace(file, side, err) : read_snapshot(file, side, err);
    if (!good) {
        memory_log_free(&side->log);
        return false;
    }
    file->result = side;
    side->accounts = arena_array(&file->arena, side->log.devices, sizeof *side->accounts);
    for (uint32_t i = 0; i < side->log.devices; i++)
        memory_account_of(&side->log, (uint16_t)i, &file->arena, &side->accounts[i]);
    return true;
}

/* Devices of which nothing is known are left out, unless nothing is known of any. */
static bool says_something(const struct memory_account *account)
{
    return account->allocations || account->frees || account->peak > 0 || account->reserved_peak > 0;
}

static uint32_t gather(const struct inputs *inputs, bool all, struct memory_told *told)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->taken; i++) {
        const struct side *side = inputs->at[i]->result;
        for (uint32_t k = 0; k < side->log.devices; k++)
            if (all || says_something(&side->accounts[k]))
                told[count++] =
                    (struct memory_told){inputs->taken > 1 ? str_of(inputs->at[i]->path) : S(""), side->accounts[k]};
    }
    return count;
}

static bool show(const struct call *call, const struct inputs *inputs, struct arena *arena, struct steptime_error *err)
{
    struct report *report = report_new(arena, S("memory"));
    uint32_t most = 0;
    inputs_tell(inputs, report);
    for (uint32_t i = 0; i < inputs->taken; i++) {
        const struct side *side = inputs->at[i]->result;
        most += side->log.devices;
        if (side->broken.len)
            report_warning(report, str_of(inputs->at[i]->path), -1, str_copy(arena, side->broken));
        if (side->log.texts_cut)
            report_warning(report, str_of(inputs->at[i]->path), -1,
                           str_printf(arena, "%llu texts are longer than 64 KiB and are read that far",
                                      (unsigned long long)side->log.texts_cut));
    }
    struct memory_told *told = arena_array(arena, most, sizeof *told);
    uint32_t count = gather(inputs, false, told);
    if (!count)
        count = gather(inputs, true, told);
    if (!count)
        return fail(err, STEPTIME_INPUT, "the recording names no device");
    memory_show(told, count, report);
    return output_report(call, report, err) && inputs_whole(inputs, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct inputs inputs = {0};
    struct inputs_asked asked = {.take = take, .made = is_snapshot, .apart = true};
    if (!call_argument_count(call))
        return fail(err, STEPTIME_USAGE, "memory wants a trace with profile_memory, or a snapshot of the allocator"),
               STEPTIME_USAGE;
    if (!output_check(call, err))
        return err->code;
    const bool good = call_inputs(call, &asked, &inputs, err) && show(call, &inputs, &arena, err);
    for (uint32_t i = 0; i < inputs.taken; i++)
        memory_log_free(&((struct side *)inputs.at[i]->result)->log);
    inputs_close(&inputs);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"rank", 0, "R", NULL, "Look at these ranks only: 3, 0,4 or 0..7."},
    {"threads", 0, "N", NULL, "Read so many files at once. Default: one a core."},
    {0},
};

const struct command command_memory = {
    .name = "memory",
    .arguments = "TRACE|SNAPSHOT|DIR...",
    .brief = "which line filled the GPU: peak, categories, fragmentation, leaks",
    .about =
        "Says how much an allocator held at most, which lines of the program and which kinds of tensors filled it then, how "
        "the reserved memory is cut up, which line leaves something behind step by step, and what was asked for when memory "
        "ran out.\n\nIt reads traces recorded with profile_memory=True, and snapshots that "
        "torch.cuda.memory._dump_snapshot() wrote ('steptime record' writes both). A snapshot is a pickle; it is read as "
        "data, and nothing in it is ever run.\n\nThe tables: memory_lines, memory_categories, memory_leaks, memory_layout, "
        "out_of_memory, memory_steps, memory_devices, memory_timeline.",
    .examples = "steptime memory snapshot.pickle|which line filled the GPU\n"
                "steptime memory trace.memory.json.gz|the same of a trace with profile_memory\n"
                "steptime memory --format html -o memory.html snapshot.pickle|with the memory over time as a chart\n"
                "steptime memory --format csv --table memory_lines snapshot.pickle|all lines, as CSV",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
