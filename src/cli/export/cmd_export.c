/* SPDX-License-Identifier: Apache-2.0 */
/* Traces for Perfetto, with what was found in them drawn in. */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/program/call.h"
#include "cli/program/reading.h"
#include "export_marks.h"
#include "io/pack.h"

/* ---- the words ---- */

static bool check(const struct call *call, struct steptime_error *err)
{
    const char *file = call_text(call, "output");
    if (!call_argument_count(call))
        return fail(err, STEPTIME_USAGE, "export takes a trace, or several");
    if (!file && isatty(STDOUT_FILENO))
        return fail(err, STEPTIME_USAGE, "a terminal cannot show the file: name one, as in -o trace.pftrace.gz");
    if (call->sink)
        return fail(err, STEPTIME_USAGE, "export writes a file, and has no report");
    return true;
}

/* ---- reading ---- */

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    const struct call *call = context;
    struct export_marks *marks = file->result = arena_alloc(&file->arena, sizeof *marks);
    file->keep = true;
    if (!call_flag(call, "plain"))
        export_marks_of(file->trace, &file->arena, marks);
    return true;
}

static struct perfetto_trace *traces_of(const struct inputs *inputs, struct arena *arena)
{
    struct perfetto_trace *traces = arena_array(arena, inputs->taken, sizeof *traces);
    for (uint32_t i = 0; i < inputs->taken; i++) {
        const struct export_marks *marks = inputs->at[i]->result;
        traces[i] =
            (struct perfetto_trace){inputs->at[i]->trace, inputs->at[i]->rank, marks->tracks, marks->track_count};
    }
    return traces;
}

/* ---- writing ---- */

static void put_plain(void *context, str bytes)
{
    writer_put(context, bytes);
}

static void put_packed(void *context, str bytes)
{
    pack_put(context, bytes);
}

static bool write_file(const struct call *call, const struct inputs *inputs, struct arena *arena,
                       struct perfetto_counts *counts, struct steptime_error *err)
{
    const char *file = call_text(call, "output");
    struct writer *out = writer_open(file, err);
    if (!out)
        return false;
    const struct perfetto_trace *traces = traces_of(inputs, arena);
    if (file && str_ends(str_of(file), S(".gz"))) {
        struct packer *packer = pack_gzip(out);
        *counts = perfetto_write(traces, inputs->taken, put_packed, packer);
        pack_close(packer);
    } else {
        *counts = perfetto_write(traces, inputs->taken, put_plain, out);
    }
    return writer_close(out, err);
}

static void say(const struct perfetto_counts *counts)
{
    if (counts->shortened)
        fprintf(
            stderr,
            "steptime: %llu slices overlap more than 15 others on their lane, and are shown shorter than they are\n",
            (unsigned long long)counts->shortened);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct inputs inputs = {0};
    struct inputs_asked asked = {.context = (void *)call, .take = take};
    struct perfetto_counts counts = {0};
    bool good = check(call, err) && call_inputs(call, &asked, &inputs, err);
    if (good) {
        say_inputs(&inputs, NULL);
        good = write_file(call, &inputs, &arena, &counts, err) && inputs_whole(&inputs, err);
        say(&counts);
    }
    inputs_close(&inputs);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"output", 'o', "FILE", NULL,
     "Write to FILE; packed where its name ends in .gz. It is replaced when all is done, or untouched, and must not be one of "
     "the inputs."},
    {"plain", 0, NULL, NULL,
     "Without the critical path and the findings: of a large trace they take most of the time."},
    {0},
};

const struct command command_export = {
    .name = "export",
    .arguments = "TRACE|DIR...",
    .brief = "traces for Perfetto, with steps, critical path and findings drawn in",
    .about =
        "Writes one file that ui.perfetto.dev opens: threads, streams and ranks as tracks, arrows from launches to device work "
        "and from forward to backward operators, allocated memory as a counter, and of each rank its steps, its critical path "
        "and the events of its findings as tracks of their own. The format is Perfetto's protocol buffers, a small part of the "
        "size of JSON.\n\n"
        "Traces are written whole. Several come into one file, on one clock where all of them tell the time of day. Slices carry 'event', the "
        "number by which all other commands name them (Python frames do not). doc/exports.md lists what becomes what, and the "
        "other exports: JSON, CSV, SARIF.",
    .examples = "steptime export -o trace.pftrace.gz trace.json.gz|one trace\n"
                "steptime export -o job.pftrace.gz ranks/|all ranks of a job on one clock",
    .shared = SHARED_TRACE_ALL_STEPS,
    .options = options,
    .run = run,
};
