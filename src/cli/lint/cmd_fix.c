/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites what lint finds: as a diff, or in the files. */
#include "lint/fix.h"

#include <stdio.h>

#include "base/error.h"
#include "cli/program/call.h"
#include "fix_write.h"
#include "lint_traces.h"
#include "piped.h"
#include "cli/program/output.h"
#include "cli/program/progress.h"
#include "cli/program/reading.h"

struct work {
    const struct call *call;
    struct arena arena;
    struct progress progress;
    bool begun;
    struct lint_traces traces;
    struct piped piped;
    struct fixes fixes;
};

static void begin(void *context, uint32_t files)
{
    struct work *work = context;
    progress_begin(&work->progress, "files", files, 0, &work->arena);
    work->begun = true;
}

/* With a trace the costliest finding goes first, where two would change the same place. */
static bool rank(void *context, struct lint *lint, struct steptime_error *err)
{
    struct work *work = context;
    return lint_traces_join(work->call, lint, &work->arena, &work->traces, err);
}

/* Standard input cannot be written back: what becomes of it is the output, and there is room for one. */
static bool is_clear(const struct call *call, const struct piped *piped, struct steptime_error *err)
{
    if (piped->is && call_flag(call, "write") && call->argument_count > 1)
        return fail(err, STEPTIME_USAGE, "--write with '-': the fixed text is the output; name no other files");
    return true;
}

static bool make_fixes(struct work *work, struct steptime_error *err)
{
    const struct call *call = work->call;
    int64_t threads;
    if (!call_argument_count(call))
        return fail(err, STEPTIME_USAGE, "which files? Name Python files, notebooks, or folders: 'steptime fix .'");
    if (call_flag(call, "diff") && call_flag(call, "write"))
        return fail(err, STEPTIME_USAGE, "--diff and --write: show the changes, or make them?");
    if (!call_count(call, "threads", 1, 1024, 0, &threads, err) || !piped_read(call, &work->arena, &work->piped, err) ||
        !is_clear(call, &work->piped, err))
        return false;
    const struct fix_options options = {
        .lint = {.paths = call->arguments,
                 .path_count = call->argument_count,
                 .select = call_text(call, "select"),
                 .ignore = call_text(call, "ignore"),
                 .config = call_text(call, "config"),
                 .threads = (unsigned)threads,
                 .standard_input = work->piped.is ? &work->piped.file : NULL,
                 .begin = begin,
                 .context = work,
                 .done = &work->progress.done},
        .unsafe = call_flag(call, "unsafe"),
        .notes = call_flag(call, "notes"),
        .ready = rank,
        .context = work,
    };
    const bool good = fix_run(&options, &work->arena, &work->fixes, err);
    if (work->begun)
        progress_end(&work->progress);
    return good;
}

/* ---- what comes of it ---- */

static bool show_diff(const struct call *call, const struct fixes *fixes, struct steptime_error *err)
{
    struct buf diff = {0};
    for (uint32_t i = 0; i < fixes->file_count; i++)
        fix_diff(&fixes->files[i], &diff);
    const bool good = output_text(buf_str(&diff), call, err);
    buf_free(&diff);
    return good;
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void say_remarks(const struct fixes *fixes)
{
    struct arena scratch = {0};
    for (uint32_t i = 0; i < fixes->remark_count; i++) {
        const struct lint_remark *remark = &fixes->remarks[i];
        const str path = str_printable(&scratch, remark->path), message = str_printable(&scratch, remark->message);
        const str cell = remark->cell ? str_printf(&scratch, "cell %u:", remark->cell) : S("");
        fprintf(stderr, "steptime: %.*s:%.*s%lld: %.*s\n", (int)path.len, path.at, (int)cell.len, cell.at,
                (long long)remark->line, (int)message.len, message.at);
    }
    arena_free(&scratch);
}

static void say_what_was_done(const struct fixes *fixes, uint32_t files, bool written)
{
    const uint32_t made = fixes->safe_count + fixes->unsafe_count;
    fprintf(stderr, "steptime: %u rewrite%s in %u file%s%s", made, plural(made), files, plural(files),
            !made     ? ""
            : written ? ""
                      : "; 'steptime fix --write' makes them");
    if (fixes->unsafe_count)
        fprintf(stderr, "; %u unsafe: see 'steptime verify'", fixes->unsafe_count);
    if (fixes->left_notes)
        fprintf(stderr, "; %u of notes with --notes", fixes->left_notes);
    if (fixes->left_unsafe)
        fprintf(stderr, "; %u more with --unsafe", fixes->left_unsafe);
    if (fixes->left_unmade)
        fprintf(stderr, "; %u could not be made%s", fixes->left_unmade,
                fixes->stopped ? " in 12 rounds: run it again" : "");
    fputc('\n', stderr);
}

static bool is_json(const struct call *call)
{
    return str_eq(call_str(call, "format", "diff"), S("json"));
}

static bool show_report(struct work *work, struct steptime_error *err)
{
    struct report *report = report_new(&work->arena, S("fix"));
    fix_show(&work->fixes, report);
    return output_json(work->call, report, err);
}

/* The text that came by standard input as it is now, changed or not. */
static bool hand_back(const struct work *work, struct steptime_error *err)
{
    const struct fixes *fixes = &work->fixes;
    return output_text(fixes->file_count ? fixes->files[0].after : work->piped.file.text, work->call, err);
}

static bool put_out(struct work *work, uint32_t *files, struct steptime_error *err)
{
    const struct call *call = work->call;
    const bool write = call_flag(call, "write"), json = is_json(call);
    if (write && work->piped.is && !json)
        return hand_back(work, err);
    if (write && !work->piped.is && !fix_write(&work->fixes, files, err))
        return false;
    return json ? show_report(work, err) : write || show_diff(call, &work->fixes, err);
}

static bool finish(struct work *work, struct steptime_error *err)
{
    const struct fixes *fixes = &work->fixes;
    uint32_t files = fixes->file_count;
    if (!is_json(work->call))
        say_remarks(fixes);
    if (work->traces.count)
        say_inputs(&work->traces.inputs, NULL);
    const bool good = put_out(work, &files, err);
    say_what_was_done(fixes, files, call_flag(work->call, "write"));
    return good;
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct work work = {.call = call};
    const bool good = make_fixes(&work, err) && finish(&work, err) && lint_traces_whole(&work.traces, err);
    lint_traces_close(&work.traces);
    arena_free(&work.arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"diff", 0, NULL, NULL, "Print the changes as a unified diff, and change nothing. This is the default."},
    {"write", 0, NULL, NULL,
     "Change the files. Each is replaced whole, and left as it is when it changed since it was read."},
    {"notes", 0, NULL, NULL,
     "Rewrite notes too: what runs in an evaluation, behind a gate or at set-up, or is only likely on the device. Without "
     "it warnings alone are rewritten. Files of tests are never."},
    {"format", 0, "FORMAT", "diff|json",
     "What to print: the diff (the default), or JSON for editors and scripts: each rewrite, the edits as ranges of the "
     "file with the text that takes their place, the rules they belong to, safe or unsafe, and the diff. With --write it "
     "tells what was written."},
    {"stdin-filename", 0, "NAME", NULL,
     "With '-' in the place of a path: what the text from standard input is called, and where its configuration is looked "
     "for. With --write the fixed text goes to standard output."},
    {"unsafe", 0, NULL, NULL,
     "Make those rewrites too that may change random streams, what autograd does, the order of additions, or the keys of "
     "a state_dict. The diff names the reason of each."},
    {"trace", 0, "FILE", NULL,
     "A profiler trace of a run of this source, or a folder of them: where two rewrites would change the same place, the one that saves more "
     "goes first."},
    {"select", 0, "RULES", NULL, "Only these rules: ids or names with commas, or the beginning of ids (ST4)."},
    {"ignore", 0, "RULES", NULL, "Not these rules."},
    {"config", 0, "FILE", NULL,
     "Take [tool.steptime] of this file. Default: the nearest pyproject.toml above each path that has one."},
    {"threads", 0, "N", NULL, "Work on so many files at once. Default: one a core."},
    {0},
};

const struct command command_fix = {
    .name = "fix",
    .arguments = "PATH...",
    .brief = "rewrite what lint finds, as a diff or in the files",
    .about =
        "Finds what 'steptime lint' finds and rewrites what has a rewrite: few bytes, formatting and comments kept. "
        "Prints a diff that 'git apply' and 'patch -p1' take, or changes the files (--write). What is changed is parsed "
        "again; a rewrite that would break the file is not made.\n\n"
        "A safe rewrite leaves the losses of a run on the CPU as they are, to the last bit. An unsafe one may change "
        "them (--unsafe), and the diff says by what. 'steptime verify' compares the two.\n\n"
        "In a notebook the lines of its cells change, and nothing else of the file.\n\n"
        "Warnings are rewritten; notes with --notes; tests never. Rewrites go on until none is left, so a second run "
        "changes nothing. A comment '# steptime: ignore[ST401]' or '# noqa: ST401' keeps a line as it is.",
    .examples = "steptime fix train.py|what would change\n"
                "steptime fix src/ >fix.diff; git apply fix.diff|look before it is done\n"
                "steptime fix --write src/|safe rewrites, in the files\n"
                "steptime fix --unsafe --write --select ST1,ST2 model.py|two families, whatever they change\n"
                "steptime fix --format json train.py|ranges and texts, for an editor\n"
                "steptime fix --write --stdin-filename train.py - <train.py|a filter: the fixed text is the output\n"
                "steptime fix --trace trace.json.gz src/|the costliest first",
    .options = options,
    .run = run,
};
