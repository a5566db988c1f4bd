/* SPDX-License-Identifier: Apache-2.0 */
/* From a training script to a faster one that trains the same. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/real.h"
#include "child/child.h"
#include "child/folder.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "io/writer.h"
#include "new_folder.h"
#include "record/record.h"
#include "training.h"
#include "tune/history.h"
#include "tune/manifest.h"

enum { NS_PER_S = 1000000000 };

static const struct option options[] = {
    {"write", 0, NULL, NULL,
     "Put what was kept into your files. Without it they stay as they are, and the diff lies in the folder."},
    {"unsafe", 0, NULL, NULL, "Try those rewrites too that may change results; losses must agree within --rtol then."},
    {"notes", 0, NULL, NULL, "Try the rewrites of notes too."},
    {"try", 0, NULL, NULL,
     "Then try settings that a bare run suggests, without a change of any file: workers of the loader that steps wait for, "
     "prefetch_factor, persistent_workers, pin_memory on a GPU; with --unsafe optimizers with fused=True. They are told, "
     "not written."},
    {"write-settings", 0, NULL, NULL,
     "As --try and --write, and a setting that is kept is written too, as an argument of the call that makes the loader or "
     "the optimizer: it is tried as that change of the source, and is in the diff."},
    {"try-batch", 0, NULL, NULL,
     "As --try, and twice the batch: samples a second are compared, as the training is another one; it is never kept."},
    {"rtol", 0, "X", NULL, "Losses may differ by this part of their value with --unsafe. Default: 1e-5."},
    {"folder", 0, "DIR", NULL,
     "Where copies, trace and diff lie. Default: steptime-tune-NAME here, with a number where that is taken."},
    {"resume", 0, "DIR", NULL,
     "Go on with the run whose folder this is, from the last trial that was done, however it ended."},
    {"history", 0, NULL, NULL,
     "What was predicted against what was measured, by rule, over all runs whose folders lie below the DIRs (default: here)."},
    {"budget", 0, "TIME", NULL, "Begin no trial after this time: 600s, 10m, 2h. Default: none."},
    {"seed", 0, "N", NULL, "The seed of random, numpy and torch before the script's own code runs. Default: 0."},
    {"steps", 0, "N", NULL, "End a run after so many steps of its optimizer; 0 lets it run to its end. Default: 40."},
    {"warmup", 0, "N", NULL, "So many steps at the start of a run count for no time. Default: 5."},
    {"repeat", 0, "N", NULL, "Timed runs of each, in turns; more where that would tell. Default: 4."},
    {"processor-time", 0, NULL, NULL,
     "Time steps by what the process spends on processors, not by the wall clock: steadier on a busy machine, and blind to "
     "waits and to what other processes do, as workers of a loader."},
    {"timeout", 0, "S", NULL, "A run that takes longer has failed. Default: 600 seconds."},
    {"copy-limit", 0, "MB", NULL, "The source is copied three times; more than this is refused. Default: 1000."},
    {"python", 0, "PATH", NULL, "The interpreter of a script that is named alone. Default: python3."},
    {0},
};

struct work {
    struct arena arena;
    struct manifest manifest;
    int lock; /* the folder, while this run works in it; -1 */
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

static bool numbers_of(const struct call *call, struct tune_options *to, struct steptime_error *err)
{
    int64_t timeout_s, megabytes;
    double rtol;
    if (!call_count(call, "seed", 0, UINT32_MAX, 0, &to->seed, err) ||
        !call_count(call, "steps", 0, UINT32_MAX, 40, &to->steps, err) ||
        !call_count(call, "warmup", 0, UINT32_MAX, 5, &to->warmup, err) ||
        !call_count(call, "repeat", 2, 1000, 4, &to->repeat, err) ||
        !call_count(call, "timeout", 1, 1000000, 600, &timeout_s, err) ||
        !call_count(call, "copy-limit", 1, 1000000, 1000, &megabytes, err) ||
        !training_real(call, "rtol", 1e-5, &rtol, err) || !duration_of(call_text(call, "budget"), &to->budget_ns, err))
        return false;
    to->limit_ns = timeout_s * NS_PER_S;
    to->most_copied = megabytes * 1000000;
    to->unsafe = call_flag(call, "unsafe");
    to->notes = call_flag(call, "notes");
    to->processor = call_flag(call, "processor-time");
    to->try_batch = call_flag(call, "try-batch");
    to->write_settings = call_flag(call, "write-settings");
    to->try_settings = call_flag(call, "try") || to->try_batch || to->write_settings;
    to->tolerance.relative = to->unsafe ? rtol : 0;
    return true;
}

/* ---- the command that trains ---- */

/* Absolute, in the arena; "" with errno where there is none. */
static str real_path(const char *path, struct arena *arena)
{
    char *const real = realpath(path, NULL);
    const str copy = real ? str_copy(arena, str_of(real)) : S("");
    free(real);
    return copy;
}

/* "shop.train": shop/train.py, else shop/train/__main__.py. */
static str module_path(const char *module, struct arena *arena)
{
    char *const path = (char *)str_copy(arena, str_of(module)).at;
    for (char *c = path; *c; c++)
        *c = *c == '.' ? '/' : *c;
    const str file = str_printf(arena, "%s.py", path);
    return access(file.at, R_OK) ? str_printf(arena, "%s/__main__.py", path) : file;
}

static bool script_of(const struct call *call, struct tune_options *to, struct arena *arena, struct steptime_error *err)
{
    str script = S("");
    to->argv = training_words(call, arena, err);
    if (!to->argv)
        return false;
    for (const char *const *word = to->argv; *word && !script.len; word++) {
        if (str_ends(str_of(*word), S(".py")))
            script = str_of(*word);
        else if (!strcmp(*word, "-m") && word[1])
            script = module_path(word[1], arena);
    }
    if (!script.len)
        return fail(err, STEPTIME_USAGE,
                    "which of these words is the script? tune takes python SCRIPT.py or python -m MODULE");
    to->script = real_path(script.at, arena);
    return to->script.len || fail_at(err, STEPTIME_INPUT, script, -1, "%s", strerror(errno));
}

/* ---- the folder ---- */

/* A child that was about to start holds the lock of a run that was killed a moment longer. */
static bool lock_soon(int folder)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int tries = 0; tries < 20; tries++, nanosleep(&pause, NULL))
        if (!flock(folder, LOCK_EX | LOCK_NB))
            return true;
    return false;
}

/* Of two runs in one folder the second is refused. */
static bool lock_folder(struct work *work, const char *folder, struct steptime_error *err)
{
    work->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work->lock < 0)
        return fail_at(err, STEPTIME_INPUT, str_of(folder), -1, "%s", strerror(errno));
    return lock_soon(work->lock) ||
           fail_at(err, STEPTIME_INPUT, str_of(folder), -1, "another steptime tune is at work there");
}

static bool begin_anew(const struct call *call, struct work *work, struct steptime_error *err)
{
    struct tune_options to = {.here = real_path(".", &work->arena).at};
    if (!numbers_of(call, &to, err) || !script_of(call, &to, &work->arena, err))
        return false;
    const str name = record_name(to.argv, &work->arena);
    const str usual = str_printf(&work->arena, "steptime-tune-%.*s", (int)name.len, name.at);
    to.folder = new_folder(call_text(call, "folder"), usual, "--folder", FOLDER_NEW, &work->arena, err);
    if (!to.folder || !lock_folder(work, to.folder, err))
        return false;
    work->manifest = manifest_new(&to, &work->arena);
    return manifest_write(&work->manifest, err);
}

/* ---- going on ---- */

/* What was asked for is in the manifest; only what to do with the result may be said anew, and how long. */
static bool asks_nothing_else(const struct call *call, struct steptime_error *err)
{
    static const char *const others[] = {"unsafe", "notes",          "rtol",   "folder",    "seed",
                                         "steps",  "warmup",         "repeat", "timeout",   "copy-limit",
                                         "python", "processor-time", "try",    "try-batch", "write-settings"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (call_text(call, others[i]) || call_flag(call, others[i]))
            return fail(err, STEPTIME_USAGE, "--resume goes on as it was asked to: not with --%s", others[i]);
    return !call_argument_count(call) ||
           fail(err, STEPTIME_USAGE, "--resume knows the command: nothing stands behind the folder");
}

static void tell_where_it_stands(struct work *work)
{
    const struct manifest *const manifest = &work->manifest;
    const str others = surroundings_set(&manifest->surroundings, &work->arena);
    if (others.len)
        training_say(str_printf(&work->arena, "with the environment of then: %.*s", (int)others.len, others.at));
    training_say(str_printf(&work->arena, "going on: %u of its trials are done, %u kept", manifest->result.count,
                            manifest->result.kept));
}

static bool go_on(const struct call *call, struct work *work, struct steptime_error *err)
{
    struct manifest *const manifest = &work->manifest;
    const str folder = real_path(call_text(call, "resume"), &work->arena);
    if (!asks_nothing_else(call, err))
        return false;
    if (!folder.len)
        return fail_at(err, STEPTIME_INPUT, str_of(call_text(call, "resume")), -1, "%s", strerror(errno));
    if (!lock_folder(work, folder.at, err) || !manifest_read(folder.at, &work->arena, manifest, err))
        return false;
    if (call_text(call, "budget") && !duration_of(call_text(call, "budget"), &manifest->options.budget_ns, err))
        return false;
    if (!str_eq(manifest->steptime, S(STEPTIME_VERSION)))
        return fail_at(err, STEPTIME_INPUT, folder, -1, "is of steptime %.*s, this is %s: begin anew",
                       (int)manifest->steptime.len, manifest->steptime.at, STEPTIME_VERSION);
    tell_where_it_stands(work);
    return true;
}

/* ---- the run ---- */

static bool ended_well(const struct verify_script *script, struct foreground_end end, struct steptime_error *err)
{
    if (!end.signal && !end.code)
        return true;
    return fail_at(err, STEPTIME_INPUT, script->name, -1, "ended with %s %d while it was recorded",
                   end.signal ? "signal" : "exit code", end.signal ? end.signal : end.code);
}

/* In the folder that the script is to run in; paths of this program are absolute by now. */
static bool record_there(const struct record_options *to, const char *folder, struct arena *arena,
                         struct record_result *result, struct steptime_error *err)
{
    const int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = back >= 0 && !chdir(folder);
    if (!good)
        fail_at(err, STEPTIME_INPUT, str_of(folder), -1, "%s", strerror(errno));
    good = good && record_run(to, arena, result, err);
    good = (back >= 0 && !fchdir(back)) && good;
    if (back >= 0)
        close(back);
    return good;
}

static bool record(const struct verify_script *script, const char *folder, struct arena *arena, str *trace,
                   struct steptime_error *err)
{
    struct record_result result;
    const struct record_options to = {
        .argv = script->argv,
        .name = record_name(script->argv, arena),
        .to = folder,
        .wait = 10,
        .warmup = 2,
        .steps = 10,
        .stop = true,
        .quiet = true,
        .tell = training_say,
    };
    if (!record_there(&to, script->folder, arena, &result, err) || !ended_well(script, result.end, err))
        return false;
    *trace = result.count ? result.at[0].path : S("");
    return true;
}

static bool save_diff(const struct manifest *manifest, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct writer *const out = writer_open(str_printf(&scratch, "%s/tune.diff", manifest->options.folder).at, err);
    if (out)
        writer_put(out, manifest->result.diff);
    arena_free(&scratch);
    return out && writer_close(out, err);
}

/* What is kept goes into the user's files. */
static bool is_to_be_written(const struct call *call)
{
    return call_flag(call, "write") || call_flag(call, "write-settings");
}

static void tell_next(const struct call *call, const struct manifest *manifest)
{
    struct arena scratch = {0};
    const struct tune_result *const result = &manifest->result;
    if (result->file_count && is_to_be_written(call))
        training_say(
            str_printf(&scratch, "written: %u file%s", result->file_count, result->file_count == 1 ? "" : "s"));
    else if (result->file_count)
        training_say(str_printf(&scratch,
                                "your files are as they were; 'git apply %s/tune.diff' or --write makes it so",
                                manifest->options.folder));
    arena_free(&scratch);
}

/* In the folder where the command is to run; paths of this command line are of the folder that this returns to. */
static bool run_there(const struct call *call, struct work *work, struct steptime_error *err)
{
    struct manifest *const manifest = &work->manifest;
    const int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    manifest->options.tell = training_say;
    manifest->options.record = record;
    bool good = !chdir(manifest->options.here) ||
                fail_at(err, STEPTIME_INPUT, str_of(manifest->options.here), -1, "%s", strerror(errno));
    good = good && tune_run(manifest, &work->arena, err) && save_diff(manifest, err) &&
           (!is_to_be_written(call) || tune_write(&manifest->result, &work->arena, err));
    good = (back >= 0 && !fchdir(back)) && good;
    if (back >= 0)
        close(back);
    return good;
}

static bool history(const struct call *call, struct work *work, struct steptime_error *err)
{
    static const char *const others[] = {"write",      "unsafe", "notes", "rtol",      "folder",        "resume",
                                         "budget",     "seed",   "steps", "warmup",    "repeat",        "timeout",
                                         "copy-limit", "python", "try",   "try-batch", "write-settings"};
    struct history found;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (call_text(call, others[i]) || call_flag(call, others[i]))
            return fail(err, STEPTIME_USAGE, "--history only reads: not with --%s", others[i]);
    const uint32_t count = call_argument_count(call);
    const char **const folders = arena_array(&work->arena, count + (size_t)1, sizeof *folders);
    folders[0] = ".";
    for (uint32_t i = 0; i < count; i++)
        folders[i] = call_argument(call, i);
    if (!output_check(call, err) || !history_find(folders, count ? count : 1, &work->arena, &found, err))
        return false;
    struct report *const report = report_new(&work->arena, str_of(call->command->name));
    history_show(&found, report);
    return output_report(call, report, err);
}

static bool tune(const struct call *call, struct work *work, struct steptime_error *err)
{
    if (call_flag(call, "history"))
        return history(call, work, err);
    if (!output_check(call, err) || !(call_text(call, "resume") ? go_on(call, work, err) : begin_anew(call, work, err)))
        return false;
    if (!run_there(call, work, err)) {
        if (child_interrupted() || err->code == STEPTIME_OUTPUT)
            training_say(str_printf(&work->arena, "'steptime tune --resume %s' goes on where this stopped",
                                    work->manifest.options.folder));
        return false;
    }
    struct report *report = report_new(&work->arena, str_of(call->command->name));
    work->manifest.result.written = work->manifest.result.file_count && is_to_be_written(call);
    tune_show(&work->manifest.result, work->manifest.options.processor, report);
    const bool good = output_report(call, report, err);
    tell_next(call, &work->manifest);
    return good;
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct work work = {.lock = -1};
    const bool done = tune(call, &work, err);
    if (work.lock >= 0)
        close(work.lock);
    return training_end(&work.arena, done ? STEPTIME_OK : err->code);
}

const struct command command_tune = {
    .name = "tune",
    .arguments = "[--] COMMAND... | --history [DIR...]",
    .brief = "from a training script to a faster one that trains the same",
    .about =
        "Records the script, finds what moves data between CPU and GPU for nothing, and tries the rewrites one by one in "
        "a copy of the source: both train with the same seed, their losses are compared, and their steps are timed in "
        "turns, bare. A rewrite is kept only where the losses agree to the last bit and the step is faster by more than "
        "noise (95 % confidence). What is gone may make another place wait, so the source is looked at again after each "
        "that is kept. With --try settings follow, which hold for the runs alone (with --write-settings for your files, too). In the end all that was kept is measured against the script as it is.\n\n"
        "Your files stay as they are: the diff lies in the folder, --write makes it so. What the script writes while it is "
        "tried lies in the copies.",
    .examples =
        "steptime tune -- python train.py --epochs 1|what is worth it here, and the diff\n"
        "steptime tune --write -- python train.py|and make it so\n"
        "steptime tune --resume steptime-tune-train|goes on where a run was stopped or killed\n"
        "steptime tune --try -- python train.py|workers and other settings of the loader, too, where steps wait for it\n"
        "steptime tune --history runs|how far off the predictions of all runs below this folder were\n"
        "steptime tune --unsafe --budget 10m -- python train.py|those too that may change results, for ten minutes",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .list = tune_show_tables,
    .options = options,
    .run = run,
};
