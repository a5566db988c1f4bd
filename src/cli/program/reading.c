/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include <stdio.h>

#include "base/error.h"
#include "call.h"
#include "progress.h"
#include "spare.h"

enum { MOST_SAID = 50 };

struct reading {
    const struct call *call;
    struct progress progress;
    struct arena arena;
};

static bool spare(void *context, const char *path, struct steptime_error *err)
{
    const struct reading *reading = context;
    return outputs_spare(reading->call, path, err);
}

static struct inputs_counters begin(void *context, uint32_t files, int64_t packed_bytes)
{
    struct reading *reading = context;
    progress_begin(&reading->progress, "traces", files, packed_bytes, &reading->arena);
    return (struct inputs_counters){reading->progress.bytes, &reading->progress.done};
}

static void end(void *context)
{
    struct reading *reading = context;
    progress_end(&reading->progress);
}

static bool take_options(const struct call *call, struct inputs_asked *asked, struct steptime_error *err)
{
    int64_t threads;
    if (!(call->command->shared & (SHARED_TRACE | SHARED_TRACE_ALL_STEPS)))
        return true;
    if (!call_count(call, "threads", 1, 256, 0, &threads, err))
        return false;
    asked->threads = (unsigned)threads;
    asked->ranks = call_text(call, "rank");
    if (!asked->steps)
        asked->steps = call_selection(call);
    return true;
}

void say_inputs(const struct inputs *inputs, const struct steptime_error *err)
{
    struct arena scratch = {0};
    struct report *report = report_new(&scratch, S(""));
    inputs_tell(inputs, report);
    const str last = err ? error_line(&scratch, err) : S("");
    const uint32_t count = report_warning_count(report);
    for (uint32_t i = 0; i < count && i < MOST_SAID; i++) {
        const str line = str_printable(&scratch, report_warning_line(report, i, &scratch));
        if (!str_eq(line, last))
            fprintf(stderr, "steptime: %.*s\n", (int)line.len, line.at);
    }
    if (count > MOST_SAID)
        fprintf(stderr, "steptime: %u more warnings\n", count - MOST_SAID);
    arena_free(&scratch);
}

bool call_inputs(const struct call *call, struct inputs_asked *asked, struct inputs *inputs, struct steptime_error *err)
{
    struct reading reading = {.call = call};
    const struct inputs_watch watch = {&reading, spare, begin, end};
    *inputs = (struct inputs){0};
    if (!take_options(call, asked, err))
        return false;
    if (!asked->paths) {
        asked->paths = call->arguments;
        asked->count = call->argument_count;
    }
    asked->watch = &watch;
    const bool good = inputs_read(asked, inputs, err);
    asked->watch = NULL;
    if (!good && inputs->count)
        say_inputs(inputs, err);
    arena_free(&reading.arena);
    return good;
}
