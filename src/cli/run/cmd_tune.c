/* SPDX-License-Identifier: Apache-2.0 */
/* From a training script to a faster one that trains the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/real.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "io/writer.h"
#include "new_folder.h"
#include "record/record.h"
#include "training.h"
#include "tune/tune.h"

enum { NS_PER_S = 1000000000 };

static const struct option options[] = {
    {"write", 0, NULL, NULL,
     "Put what was kept into your files. Without it they stay as they are, and the diff lies in the folder."},
    {"unsafe", 0, NULL, NULL, "Try those rewrites too that may change results; losses must agree within --rtol then."},
    {"notes", 0, NULL, NULL, "Try the rewrites of notes too."},
    {"rtol", 0, "X", NULL, "Losses may differ by this part of their value with --unsafe. Default: 1e-5."},
    {"folder", 0, "DIR", NULL,
     "Where copies, trace and diff lie. Default: steptime-tune-NAME here, with a number where that is taken."},
    {"budget", 0, "TIME", NULL, "Begin no trial after this time: 600s, 10m, 2h. Default: none."},
    {"seed", 0, "N", NULL, "The seed of random, numpy and torch before the script's own code runs. Default: 0."},
    {"steps", 0, "N", NULL, "End a run after so many steps of its optimizer; 0 lets it run to its end. Default: 40."},
    {"warmup", 0, "N", NULL, "So many steps at the start of a run count for no time. Default: 5."},
    {"repeat", 0, "N", NULL, "Timed runs of each, in turns; more where that would tell. Default: 4."},
    {"timeout", 0, "S", NULL, "A run that takes longer has failed. Default: 600 seconds."},
    {"copy-limit", 0, "MB", NULL, "The source is copied three times; more than this is refused. Default: 1000."},
    {"python", 0, "PATH", NULL, "The interpreter of a script that is named alone. Default: python3."},
    {0},
};

struct work {
    struct arena arena;
    struct record_options record;
    struct tune_options tune;
    double rtol;
};

/* ---- options ---- */

static bool duration_of(const char *text, int64_t *ns, struct steptime_error *err)
{
    static const struct {
        str ending;
        int64_t s;
    } units[] = {{S("s"), 1}, {S("m"), 60}, {S("h"), 3600}};
    double number;
    *ns = 0;
    if (!text)
        return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const str word = str_of(text);
        if (!str_ends(word, units[i].ending) || !real_read((str){word.at, word.len - 1}, &number) || number <= 0)
            continue;
        *ns = (int64_t)(number * (double)units[i].s * NS_PER_S);
        return true;
    }
    return fail(err, STEPTIME_USAGE, "--budget takes a time: 600s, 10m, 2h; not '%s'", text);
}

static bool numbers_of(const struct call *call, struct work *work, struct steptime_error *err)
{
    struct tune_options *const to = &work->tune;
    int64_t timeout_s, megabytes;
    if (!call_count(call, "seed", 0, UINT32_MAX, 0, &to->seed, err) ||
        !call_count(call, "steps", 0, UINT32_MAX, 40, &to->steps, err) ||
        !call_count(call, "warmup", 0, UINT32_MAX, 5, &to->warmup, err) ||
        !call_count(call, "repeat", 2, 1000, 4, &to->repeat, err) ||
        !call_count(call, "timeout", 1, 1000000, 600, &timeout_s, err) ||
        !call_count(call, "copy-limit", 1, 1000000, 1000, &megabytes, err) ||
        !training_real(call, "rtol", 1e-5, &work->rtol, err) ||
        !duration_of(call_text(call, "budget"), &to->budget_ns, err))
        return false;
    to->limit_ns = timeout_s * NS_PER_S;
    to->most_copied = megabytes * 1000000;
    to->unsafe = call_flag(call, "unsafe");
    to->notes = call_flag(call, "notes");
    to->tolerance.relative = to->unsafe ? work->rtol : 0;
    return true;
}

/* ---- the command that trains ---- */

/* "shop.train": shop/train.py, else shop/train/__main__.py. */
static str module_path(const char *module, struct arena *arena)
{
    char *const path = (char *)str_copy(arena, str_of(module)).at;
    for (char *c = path; *c; c++)
        *c = *c == '.' ? '/' : *c;
    const str file = str_printf(arena, "%s.py", path);
    return access(file.at, R_OK) ? str_printf(arena, "%s/__main__.py", path) : file;
}

static bool script_of(const struct call *call, struct work *work, struct steptime_error *err)
{
    str script = S("");
    work->tune.argv = work->record.argv = training_words(call, &work->arena, err);
    if (!work->tune.argv)
        return false;
    work->record.name = record_name(work->tune.argv, &work->arena);
    for (const char *const *word = work->tune.argv; *word && !script.len; word++) {
        if (str_ends(str_of(*word), S(".py")))
            script = str_of(*word);
        else if (!strcmp(*word, "-m") && word[1])
            script = module_path(word[1], &work->arena);
    }
    if (!script.len)
        return fail(err, STEPTIME_USAGE,
                    "which of these words is the script? tune takes python SCRIPT.py or python -m MODULE");
    char *const real = realpath(script.at, NULL);
    if (!real)
        return fail_at(err, STEPTIME_INPUT, script, -1, "%s", strerror(errno));
    work->tune.script = str_copy(&work->arena, str_of(real));
    free(real);
    return true;
}

static bool folder_of(const struct call *call, struct work *work, struct steptime_error *err)
{
    const str name = work->record.name, usual = str_printf(&work->arena, "steptime-tune-%.*s", (int)name.len, name.at);
    work->tune.folder = new_folder(call_text(call, "folder"), usual, "--folder", FOLDER_NEW, &work->arena, err);
    return work->tune.folder != NULL;
}

/* ---- the run ---- */

/* Without a trace rewrites are tried in the order of the files. */
static bool record(struct work *work, struct steptime_error *err)
{
    struct record_result result;
    struct record_options *const to = &work->record;
    to->to = work->tune.folder;
    to->wait = 10, to->warmup = 2, to->steps = 5;
    to->idle_s = to->window_s = 0;
    to->quiet = true;
    to->tell = training_say;
    training_say(S("recording the script as it is"));
    if (!record_run(to, &work->arena, &result, err))
        return false;
    if (result.end.signal || result.end.code)
        return fail_at(err, STEPTIME_INPUT, work->tune.script, -1, "ended with %s %d",
                       result.end.signal ? "signal" : "exit code",
                       result.end.signal ? result.end.signal : result.end.code);
    work->tune.trace = result.count ? result.at[0].path.at : NULL;
    if (!result.count)
        training_say(S("no trace of it: rewrites are tried in the order of the files"));
    return true;
}

static bool save_diff(const struct work *work, const struct tune_result *result, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct writer *const out = writer_open(str_printf(&scratch, "%s/tune.diff", work->tune.folder).at, err);
    if (out)
        writer_put(out, result->diff);
    arena_free(&scratch);
    return out && writer_close(out, err);
}

static void tell_next(const struct call *call, const struct work *work, const struct tune_result *result)
{
    struct arena scratch = {0};
    if (result->kept && call_flag(call, "write"))
        training_say(
            str_printf(&scratch, "written: %u file%s", result->file_count, result->file_count == 1 ? "" : "s"));
    else if (result->kept)
        training_say(str_printf(&scratch,
                                "your files are as they were; 'git apply %s/tune.diff' or --write makes it so",
                                work->tune.folder));
    arena_free(&scratch);
}

static bool tune(const struct call *call, struct work *work, struct steptime_error *err)
{
    struct tune_result result;
    work->tune.tell = training_say;
    if (!numbers_of(call, work, err) || !output_check(call, err) || !script_of(call, work, err) ||
        !folder_of(call, work, err) || !record(work, err) || !tune_run(&work->tune, &work->arena, &result, err) ||
        !save_diff(work, &result, err) || (call_flag(call, "write") && !tune_write(&result, &work->arena, err)))
        return false;
    struct report *report = report_new(&work->arena, str_of(call->command->name));
    tune_show(&work->tune, &result, report);
    const bool good = output_report(call, report, err);
    tell_next(call, work, &result);
    return good;
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct work work = {0};
    const bool done = tune(call, &work, err);
    return training_end(&work.arena, done ? STEPTIME_OK : err->code);
}

const struct command command_tune = {
    .name = "tune",
    .arguments = "[--] COMMAND...",
    .brief = "from a training script to a faster one that trains the same",
    .about =
        "Records the script, finds what moves data between CPU and GPU for nothing, and tries the rewrites one by one in "
        "a copy of the source: both train with the same seed, their losses are compared, and their steps are timed in "
        "turns, bare. A rewrite is kept only where the losses agree to the last bit and the step is faster by more than "
        "noise (95 % confidence). What is gone may make another place wait, so the source is looked at again after each "
        "that is kept. In the end all that was kept is measured against the script as it is.\n\n"
        "Your files stay as they are: the diff lies in the folder, --write makes it so. What the script writes while it is "
        "tried lies in the copies.",
    .examples =
        "steptime tune -- python train.py --epochs 1|what is worth it here, and the diff\n"
        "steptime tune --write -- python train.py|and make it so\n"
        "steptime tune --unsafe --budget 10m -- python train.py|those too that may change results, for ten minutes",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
