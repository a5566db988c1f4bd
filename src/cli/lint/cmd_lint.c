/* SPDX-License-Identifier: Apache-2.0 */
/* The antipatterns of data movement in Python source. */
#include "lint/lint.h"

#include <stdio.h>

#include "base/error.h"
#include "cli/program/call.h"
#include "fix_write.h"
#include "lint/baseline.h"
#include "lint_dry.h"
#include "lint_traces.h"
#include "piped.h"
#include "report/explain.h"
#include "cli/program/output.h"
#include "cli/program/progress.h"

struct work {
    struct arena arena;
    struct progress progress;
    bool begun;
    struct piped piped;
    int64_t threads;
    struct lint lint;
    struct lint_traces traces;
    struct lint_dry dry;
    const char *const *paths;
    uint32_t path_count;
};

static void begin(void *context, uint32_t files)
{
    struct work *work = context;
    progress_begin(&work->progress, "files", files, 0, &work->arena);
    work->begun = true;
}

static bool fail_on_of_call(const struct call *call, const struct lint *lint, enum fail_on *fail_on)
{
    const char *word = call_text(call, "fail-on");
    *fail_on = lint->fail_on;
    return !word || fail_on_of(str_of(word), fail_on);
}

/* Of what the caller looks at: all findings, or those at the line of --explain. */
static bool worst_of_call(const struct call *call, const struct lint *lint, enum level *worst)
{
    const char *word = call_text(call, "explain");
    str file;
    int64_t line;
    if (!word || !explain_place(str_of(word), &file, &line))
        return lint_worst(lint, worst);
    return lint_worst_at(lint, explain_is_file, file, line, worst);
}

/* Whether something was found that the caller wants to fail on. */
static bool is_judged(const struct call *call, const struct lint *lint)
{
    enum fail_on fail_on;
    enum level worst;
    if (!fail_on_of_call(call, lint, &fail_on) || fail_on == FAIL_ON_NEVER || !worst_of_call(call, lint, &worst))
        return false;
    return (int)worst >= (int)fail_on;
}

static bool check_call(const struct call *call, struct work *work, struct steptime_error *err)
{
    work->paths = lint_dry_paths(call, &work->arena, &work->path_count);
    if (!work->path_count)
        return fail(err, STEPTIME_USAGE, "which files? Name Python files, notebooks, or folders: 'steptime lint .'");
    if (!call_count(call, "threads", 1, 1024, 0, &work->threads, err) || !output_check(call, err) ||
        !piped_read(call, &work->arena, &work->piped, err) || !lint_dry_check(call, &work->arena, &work->dry, err))
        return false;
    if (!call_flag(call, "fix"))
        return true;
    if (work->piped.is)
        return fail(err, STEPTIME_USAGE,
                    "--fix writes files: of standard input 'steptime fix --write -' gives the text");
    return output_takes_text(call, err);
}

static struct lint_options options_of(const struct call *call, struct work *work)
{
    return (struct lint_options){
        .paths = work->paths,
        .path_count = work->path_count,
        .select = call_text(call, "select"),
        .ignore = call_text(call, "ignore"),
        .config = call_text(call, "config"),
        .output = call_text(call, "output"),
        .baseline = call_text(call, "write-baseline"),
        .unused = call_flag(call, "unused-ignores"),
        .threads = (unsigned)work->threads,
        .standard_input = work->piped.is ? &work->piped.file : NULL,
        .begin = begin,
        .context = work,
        .done = &work->progress.done,
    };
}

static void end_progress(struct work *work)
{
    if (work->begun)
        progress_end(&work->progress);
    work->begun = false;
}

/* --fix: the safe rewrites first, in the files; what is told then is what is left. */
static bool fix_first(const struct call *call, struct work *work, struct steptime_error *err)
{
    const struct fix_options options = {.lint = options_of(call, work)};
    struct fixes fixes;
    uint32_t written = 0;
    bool good = fix_run(&options, &work->arena, &fixes, err);
    end_progress(work);
    good = good && fix_write(&fixes, &written, err);
    if (good)
        fprintf(stderr, "steptime: %u rewrite%s made in %u file%s\n", fixes.safe_count,
                fixes.safe_count == 1 ? "" : "s", written, written == 1 ? "" : "s");
    return good;
}

/* The program is run last: what it comes to is told by lines, and these must be those that were linted. */
static bool lint_paths(const struct call *call, struct work *work, struct steptime_error *err)
{
    if (!check_call(call, work, err) || (call_flag(call, "fix") && !fix_first(call, work, err)))
        return false;
    const struct lint_options options = options_of(call, work);
    const bool good = lint_run(&options, &work->arena, &work->lint, err);
    end_progress(work);
    return good && lint_dry_run(&work->dry, &work->arena, err);
}

/* What was known before does not count; what is written down now is known from now on. */
static bool leave_known(const struct call *call, struct work *work, struct steptime_error *err)
{
    const char *read = call_text(call, "baseline"), *write = call_text(call, "write-baseline");
    if (write && !baseline_write(write, &work->lint, err))
        return false;
    return (!read || baseline_apply(read, &work->lint, err)) && (!write || baseline_apply(write, &work->lint, err));
}

static bool write_report(const struct call *call, struct work *work, struct steptime_error *err)
{
    struct report *report = report_new(&work->arena, S("lint"));
    lint_show(&work->lint, call_flag(call, "proof"), report);
    lint_traces_show(&work->traces, report);
    lint_dry_show(&work->dry, report);
    return output_report(call, report, err);
}

static bool join_dry(struct work *work)
{
    lint_dry_join(&work->dry, &work->lint, &work->arena);
    return true;
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct work work = {0};
    enum steptime_code code = STEPTIME_OK;
    if (!lint_paths(call, &work, err) || !lint_traces_join(call, &work.lint, &work.arena, &work.traces, err) ||
        !join_dry(&work) || !leave_known(call, &work, err) || !write_report(call, &work, err))
        code = err->code;
    else if (!lint_traces_whole(&work.traces, err))
        code = err->code;
    else if (!work.lint.file_count)
        code = STEPTIME_INPUT;
    else if (is_judged(call, &work.lint))
        code = STEPTIME_JUDGED;
    else if (!work.lint.finding_count && work.lint.unparsed_count == work.lint.file_count)
        code = STEPTIME_INPUT; /* that nothing was found says nothing */
    lint_traces_close(&work.traces);
    lint_dry_close(&work.dry);
    lint_release(&work.lint);
    arena_free(&work.arena);
    return code;
}

static const struct option options[] = {
    {"trace", 0, "FILE", NULL,
     "A profiler trace of a run of this source, or a folder of them: findings that it shows get what they cost a step, and what a step would "
     "save. May be given several times; the larger numbers count."},
    {"trace-cpu", 0, "FILE", NULL,
     "A trace of the same program on the CPU alone: functions that take longer with the device are marked."},
    {"dry", 0, "[DEVICE]", NULL,
     "Run the program behind '--' for a few steps without a GPU and without data, as if on DEVICE (H100), and say of each finding "
     "whether its line waits there: a proof, or a note that says why not. Without PATH the folder of the script is read."},
    {"dry-steps", 0, "N", NULL, "Let it make so many steps. Default: 5."},
    {"limit", 0, "SECONDS", NULL, "Wait so long for them. Default: 600."},
    {"python", 0, "PATH", NULL, "The interpreter of a script that is named alone behind '--'. Default: python3."},
    {"fail-on", 0, "LEVEL", "note|warning|error|never",
     "End with exit code 1 when something of this severity or above is found. Default: warning, or as configured."},
    {"fix", 0, NULL, NULL,
     "Make the safe rewrites of warnings in the files first ('steptime fix --write'), then tell what is left."},
    {"baseline", 0, "FILE", NULL,
     "Findings that FILE lists do not count: only new ones are told and judged. It lists rule, file and statement, not "
     "lines, so edits elsewhere in a file do not matter; a statement that changes is new."},
    {"write-baseline", 0, "FILE", NULL,
     "Write what is found to FILE, for --baseline of later runs. Keep it with the source; it is text, one line a statement."},
    {"select", 0, "RULES", NULL, "Only these rules: ids or names with commas, or the beginning of ids (ST4)."},
    {"ignore", 0, "RULES", NULL, "Not these rules."},
    {"config", 0, "FILE", NULL,
     "Take [tool.steptime] of this file. Default: the nearest pyproject.toml above each path that has one."},
    {"stdin-filename", 0, "NAME", NULL,
     "With '-' in the place of a path: what the text from standard input is called in findings, and where its configuration "
     "is looked for. It takes the place of a file of this name."},
    {"proof", 0, NULL, NULL,
     "Show below each finding what it rests on: device (why the value lies there), pace (why it runs each training step) and "
     "gain (what the change spares), each with the lines that show it. '--explain FILE:LINE' shows one alone."},
    {"unused-ignores", 0, NULL, NULL, "Name the comments that suppress nothing."},
    {"threads", 0, "N", NULL, "Work on so many files at once. Default: one a core."},
    {0},
};

const struct command command_lint = {
    .name = "lint",
    .arguments = "PATH... [-- COMMAND...]",
    .brief = "what in Python training code makes the device wait for the host",
    .about =
        "Reads Python files and notebooks, and those below folders, as one program: which values lie on the device, what runs in each "
        "training step, what moves between host and device. Names each place where data moves that need not, or the "
        "host waits for the device, and says what to write instead. 'steptime rules' lists what it knows, 'steptime "
        "fix' rewrites what it can.\n\n"
        "A warning rests on three links: the value lies on the device, the line runs in each training step, and the "
        "change spares something. Where one is missing it is a note that names it: an evaluation, a gate (every k-th "
        "step), a device that is only likely, a value that the host needs. --proof shows the links.\n\n"
        "With --trace a finding is confirmed, or seen in its function, with two numbers a step: how long the host was "
        "blocked, and what a step would save at most.\n\n"
        "With --dry the program itself is the judge, without a device: its own code runs with its own options, its tensors have "
        "shapes and no values (see 'steptime price'), and each line that would wait is seen, with what was queued before it. A "
        "finding whose line waits in the steps is proven; one whose line waits for an empty device, or to which the steps do not "
        "come, is a note. Waits that no rule finds are told, too.\n\n"
        "A comment '# steptime: ignore[ST401] reason' at the end of a line, or alone on the line above, silences a rule "
        "there, and so does '# noqa: ST401' at the end of a line ('# noqa' all of them); [tool.steptime] in pyproject.toml selects and ignores rules, excludes paths and names helpers that "
        "move data.\n\n"
        "The cells of a notebook are one program, in their order; a finding in it has cell and line. Magics are passed "
        "over, and so are cells of other languages. What code hosts read (sarif, github) has the lines of the file.\n\n"
        "Exit code 1: something was found at or above --fail-on.",
    .examples = "steptime lint train.py|one file\n"
                "steptime lint --trace trace.json.gz src/|what each finding costs, the costliest first\n"
                "steptime lint --dry src/ -- python train.py --batch 32|what its steps wait for, without a GPU\n"
                "steptime lint --select ST4,ST6 src/|two families, in a folder\n"
                "steptime lint --format github .|annotations in a workflow of GitHub Actions\n"
                "steptime lint --fix train.py|safe rewrites in the file, then what is left\n"
                "steptime lint --write-baseline .steptime-baseline src/|what is there today is known ...\n"
                "steptime lint --baseline .steptime-baseline src/|... and from now on new findings count\n"
                "steptime lint --stdin-filename train.py - <train.py|a text that an editor holds\n"
                "steptime lint --format sarif -o lint.sarif .|for a code host or an editor",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
