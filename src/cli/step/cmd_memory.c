/* SPDX-License-Identifier: Apache-2.0 */
/* Which line filled the memory of a device: from traces with profile_memory, and from snapshots of the allocator. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "cli/program/call.h"
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

/* What is looked at is read again: standard input only where it is a file. A pipe is a trace. */
static bool is_snapshot(const char *path)
{
    const bool is_input = !strcmp(path, "-");
    const off_t begin = is_input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    if (begin < 0)
        return false;
    struct source *source = source_open(path, NULL);
    const bool is = source && snapshot_is(source_head(source, 2));
    source_close(source);
    if (is_input)
        lseek(STDIN_FILENO, begin, SEEK_SET);
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

/* What is not there may stand behind the place where the file breaks off. */
static bool breaks_off(const struct input_file *file, struct steptime_error *err)
{
    int64_t offset = -1;
    for (const struct input_remark *at = file->remarks; at; at = at->next)
        if (at->offset > offset)
            offset = at->offset;
    return fail_at(err, STEPTIME_INPUT, str_of(file->path), offset,
                   "the file breaks off, and what stands before tells no allocations");
}

static bool read_trace(struct input_file *file, struct side *side, struct steptime_error *err)
{
    if (!traced_has(file->trace))
        return file->trace->info.cut
                   ? breaks_off(file, err)
                   : fail_at(
                         err, STEPTIME_INPUT, str_of(file->path), -1,
                         "tells no allocations: record with profile_memory=True, or take a snapshot of the allocator");
    side->log = traced_log(file->trace, &file->arena);
    if (side->log.devices)
        return true;
    return file->trace->info.cut
               ? breaks_off(file, err)
               : fail_at(err, STEPTIME_INPUT, str_of(file->path), -1, "tells no allocation that has a size");
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
    struct memory_common common = memory_common_new(&side->log);
    for (uint32_t i = 0; i < side->log.devices; i++)
        memory_account_of(&common, (uint16_t)i, &file->arena, &side->accounts[i]);
    memory_common_free(&common);
    return true;
}

/* Devices of which nothing is known are left out, unless nothing is known of any. */
static bool says_something(const struct memory_account *account)
{
    return account->allocations || account->frees || account->peak > 0 || account->reserved_peak > 0;
}

static str last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return str_of(slash && slash[1] ? slash + 1 : path);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const str *)a)->at, ((const str *)b)->at);
}

/* What tells the files apart on a screen: their names without folders where no two are alike, else their paths. */
static str *names_of(const struct inputs *inputs, struct arena *arena)
{
    str *names = arena_array(arena, inputs->taken, sizeof *names),
        *sorted = arena_array(arena, inputs->taken, sizeof *sorted);
    bool alike = false;
    for (uint32_t i = 0; i < inputs->taken; i++)
        names[i] = sorted[i] = last_part(inputs->at[i]->path);
    qsort(sorted, inputs->taken, sizeof *sorted, by_text);
    for (uint32_t i = 1; i < inputs->taken; i++)
        alike |= str_eq(sorted[i], sorted[i - 1]);
    for (uint32_t i = 0; alike && i < inputs->taken; i++)
        names[i] = str_of(inputs->at[i]->path);
    return names;
}

static uint32_t gather(const struct inputs *inputs, bool all, const str *names, struct memory_told *told)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->taken; i++) {
        const struct side *side = inputs->at[i]->result;
        for (uint32_t k = 0; k < side->log.devices; k++)
            if (all || says_something(&side->accounts[k]))
                told[count++] = (struct memory_told){.input = inputs->taken > 1 ? str_of(inputs->at[i]->path) : S(""),
                                                     .name = inputs->taken > 1 ? names[i] : S(""),
                                                     .account = side->accounts[k]};
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
    const str *names = names_of(inputs, arena);
    uint32_t count = gather(inputs, false, names, told);
    if (!count)
        count = gather(inputs, true, names, told);
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
    int64_t threads;
    if (!output_check(call, err) || !call_count(call, "threads", 1, 256, 0, &threads, err))
        return err->code;
    asked.ranks = call_text(call, "rank");
    asked.threads = (unsigned)threads;
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
