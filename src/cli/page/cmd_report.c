/* SPDX-License-Identifier: Apache-2.0 */
/* Traces as one page: what bounds a step, what to do, a timeline of all events, and the tables behind it. */
#include <unistd.h>

#include "base/error.h"
#include "cli/program/call.h"
#include "cli/program/output.h"
#include "cli/program/reading.h"
#include "page_take.h"
#include "page_views.h"
#include "timeline_part.h"

/* ---- the words ---- */

static bool check(const struct call *call, struct steptime_error *err)
{
    if (!call_argument_count(call))
        return fail(err, STEPTIME_USAGE, "report takes a trace, or several");
    if (!call_text(call, "output") && isatty(STDOUT_FILENO))
        return fail(err, STEPTIME_USAGE, "a terminal cannot show the page: name a file, as in -o report.html");
    if (call->sink)
        return fail(err, STEPTIME_USAGE, "report writes a page; the library has its numbers from 'summary'");
    return true;
}

/* ---- reading ---- */

struct making {
    const struct call *call;
    struct page_source source;
};

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    struct making *making = context;
    struct page_source *source = making->source.asked ? &making->source : NULL;
    struct page_taken *taken = file->result = arena_alloc(&file->arena, sizeof *taken);
    page_take(file->trace, file->rank, call_selection(making->call), !file->trace->info.is_alone, source, &file->arena,
              taken);
    return true;
}

/* ---- showing ---- */

struct all {
    const struct page_taken **traces;
    const struct page_trace **timelines;
    uint32_t count;
};

static struct all all_of(const struct inputs *inputs, struct arena *arena)
{
    const uint32_t count = inputs->taken;
    struct all all = {arena_array(arena, count, sizeof *all.traces), arena_array(arena, count, sizeof *all.timelines),
                      count};
    for (uint32_t i = 0; i < count; i++) {
        all.traces[i] = inputs->at[i]->result;
        all.timelines[i] = &all.traces[i]->timeline;
    }
    return all;
}

static bool write_page(const struct call *call, const struct all *all, const struct report *report,
                       struct steptime_error *err)
{
    struct timeline_part part;
    timeline_part_open(all->timelines, all->count, &part);
    const struct render_options options = {
        .table = S(""), .rows = 20, .version = S(STEPTIME_VERSION), .part = &part.part};
    struct writer *out = writer_open(call_text(call, "output"), err);
    bool good = out != NULL;
    if (good && !report_render(report, S("html"), &options, out, err)) {
        writer_abandon(out);
        good = false;
    } else if (good)
        good = writer_close(out, err);
    timeline_part_close(&part);
    return good;
}

static void close_taken(struct inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++)
        if (inputs->files[i].result) {
            struct page_taken *taken = inputs->files[i].result;
            page_trace_free(&taken->timeline);
            page_memory_free(&taken->memory);
        }
}

static bool answer(const struct making *making, struct inputs *inputs, struct arena *arena, struct steptime_error *err)
{
    struct report *report = report_new(arena, S("report"));
    const struct all all = all_of(inputs, arena);
    inputs_tell(inputs, report);
    page_views_show(all.traces, all.count, report);
    page_source_show(&making->source, report);
    inputs_tell_trust(inputs, report);
    if (!write_page(making->call, &all, report, err))
        return false;
    output_tell_warnings(report);
    return inputs_whole(inputs, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct inputs inputs = {0};
    struct making making = {.call = call};
    bool good = check(call, err) && page_source_open(call, &making.source, err);
    struct inputs_asked asked = {.context = &making, .take = take, .in_order = making.source.asked};
    good = good && call_inputs(call, &asked, &inputs, err) && answer(&making, &inputs, &arena, err);
    close_taken(&inputs);
    page_source_close(&making.source);
    inputs_close(&inputs);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"output", 'o', "FILE", NULL,
     "Write the page to FILE. It is replaced when all is done, or untouched, and must not be one of the inputs."},
    {"source", 0, "PATH", NULL,
     "The program that the traces are of, a file or a folder: what 'lint --trace' finds in it stands among the findings, with its line, "
     "what it costs, its events and what to write instead. May be given several times."},
    {0},
};

const struct command command_report = {
    .name = "report",
    .arguments = "TRACE|DIR...",
    .brief = "one page: the verdict, what to do first, all events on a timeline",
    .about =
        "Writes one HTML file that needs nothing else: no network, no server. It begins with what bounds a step and the proof, "
        "the three things to do first and the step as a bar. Then comes a timeline of all threads, streams and ranks, to zoom "
        "and to search, with the critical path, the events of each finding and arrows from launches to device work; and the "
        "tables of 'summary', 'ops' and 'kernels'.\n\n"
        "All events are in the file, packed: where the packed trace has 70 kB or more, the page is smaller. --steps chooses the steps of the "
        "numbers; the timeline always has all. doc/report.md says how the page is used and what it leaves out.",
    .examples =
        "steptime report -o report.html trace.json.gz|one trace\n"
        "steptime report -o job.html ranks/|all ranks of a job, on one timeline\n"
        "steptime report --source src/ -o report.html trace.json.gz|with the lines of the program that it is of",
    .shared = SHARED_TRACE,
    .options = options,
    .run = run,
};
