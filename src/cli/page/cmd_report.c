/* SPDX-License-Identifier: Apache-2.0 */
/* Traces as one page: what bounds a step, what to do, a timeline of all events, and the tables behind it. */
#include <unistd.h>

#include "base/error.h"
#include "breakdown/job/delay_show.h"
#include "breakdown/ranks/ranks_show.h"
#include "cli/program/call.h"
#include "cli/program/output.h"
#include "cli/program/reading.h"
#include "page_take.h"
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

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    const struct call *call = context;
    struct page_taken *taken = file->result = arena_alloc(&file->arena, sizeof *taken);
    page_take(file->trace, file->rank, call_selection(call), !file->trace->info.is_alone, &file->arena, taken);
    return true;
}

/* ---- showing ---- */

struct all {
    const struct summary **summaries;
    const struct kernels **kernels;
    const struct operators **operators;
    const struct page_trace **timelines;
    uint32_t count;
};

static struct all all_of(const struct inputs *inputs, struct arena *arena)
{
    const uint32_t count = inputs->taken;
    struct all all = {arena_array(arena, count, sizeof *all.summaries), arena_array(arena, count, sizeof *all.kernels),
                      arena_array(arena, count, sizeof *all.operators),
                      arena_array(arena, count, sizeof *all.timelines), count};
    for (uint32_t i = 0; i < count; i++) {
        const struct page_taken *taken = inputs->at[i]->result;
        all.summaries[i] = &taken->summary;
        all.kernels[i] = &taken->kernels;
        all.operators[i] = &taken->operators;
        all.timelines[i] = &taken->timeline;
    }
    return all;
}

static void show(const struct all *all, struct report *report)
{
    summary_show(all->summaries, all->count, PAGE_MOST_FINDINGS, (struct again_told){0}, report);
    operators_show(all->operators, all->count, report);
    kernels_show(all->kernels, all->count, report);
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
        if (inputs->files[i].result)
            page_trace_free(&((struct page_taken *)inputs->files[i].result)->timeline);
}

static bool answer(const struct call *call, struct inputs *inputs, struct arena *arena, struct steptime_error *err)
{
    struct report *report = report_new(arena, S("report"));
    const struct all all = all_of(inputs, arena);
    inputs_tell(inputs, report);
    show(&all, report);
    inputs_tell_trust(inputs, report);
    if (!write_page(call, &all, report, err))
        return false;
    output_tell_warnings(report);
    return inputs_whole(inputs, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct inputs inputs = {0};
    struct inputs_asked asked = {.context = (void *)call, .take = take};
    const bool good = check(call, err) && call_inputs(call, &asked, &inputs, err) && answer(call, &inputs, &arena, err);
    close_taken(&inputs);
    inputs_close(&inputs);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"output", 'o', "FILE", NULL,
     "Write the page to FILE. It is replaced when all is done, or untouched, and must not be one of the inputs."},
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
        "All events are in the file, packed: it is about as large as the packed trace. --steps chooses the steps of the "
        "numbers; the timeline always has all. doc/report.md says how the page is used and what it leaves out.",
    .examples = "steptime report -o report.html trace.json.gz|one trace\n"
                "steptime report -o job.html ranks/|all ranks of a job, on one timeline",
    .shared = SHARED_TRACE,
    .options = options,
    .run = run,
};
