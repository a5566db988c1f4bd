/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "child/child.h"
#include "child/folder.h"
#include "syntax/rewrite.h"
#include "tuner.h"

const char *const copy_names[COPIES] = {"before", "kept", "trial"};

void tuner_tell(const struct tuner *tuner, str what)
{
    if (tuner->options->tell)
        tuner->options->tell(what);
}

static int64_t spent_ns(const struct tuner *tuner)
{
    return tuner->spent_before_ns + clock_ns() - tuner->began_ns;
}

bool tuner_is_late(const struct tuner *tuner)
{
    return tuner->options->budget_ns && spent_ns(tuner) > tuner->options->budget_ns;
}

bool tuner_save(struct tuner *tuner, struct steptime_error *err)
{
    tuner->manifest->spent_ns = spent_ns(tuner);
    return manifest_write(tuner->manifest, err);
}

enum { NS_PER_S = 1000000000 };

/* "40 s", "12 min" */
static str in_time(double ns, struct arena *arena)
{
    const double seconds = ns / NS_PER_S;
    return seconds < 120 ? str_printf(arena, "%.0f s", seconds) : str_printf(arena, "%.0f min", seconds / 60);
}

const char *tuner_time_left(const struct tuner *tuner, uint32_t trials)
{
    double ns = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < tuner->result->count; i++)
        if (tuner->result->trials[i].took_ns > 0) {
            ns += (double)tuner->result->trials[i].took_ns;
            count++;
        }
    if (!count)
        return "";
    const str one = in_time(ns / count, tuner->arena), all = in_time(ns / count * trials, tuner->arena);
    return trials < 2 ? str_printf(tuner->arena, " (about %s)", one.at).at
                      : str_printf(tuner->arena, " (about %s each, %s in all)", one.at, all.at).at;
}

/* ---- the copies ---- */

/* Anew each time: what a run that was killed left in them is not known. */
static bool make_copies(struct tuner *tuner, struct steptime_error *err)
{
    const str root = tuner->manifest->root;
    tuner_tell(tuner, str_printf(tuner->arena, "copying %.*s", (int)root.len, root.at));
    for (int copy = 0; copy < COPIES; copy++) {
        const char *const folder = tuner->options->folder;
        const str to = str_printf(tuner->arena, "%s/%s", folder, copy_names[copy]);
        tuner->trees[copy] = (struct tree){root, to, str_of(folder)};
        folder_remove(to.at);
        if (!tree_copy(&tuner->trees[copy], tuner->options->most_copied, err))
            return false;
    }
    return true;
}

/* Before any copy is touched: what was copied then is still there as it was. */
static bool is_same_source(struct tuner *tuner, struct steptime_error *err)
{
    const struct manifest *const manifest = tuner->manifest;
    const struct sources now = sources_again(&manifest->sources, manifest->root, tuner->arena);
    return sources_are_same(&manifest->sources, &now, manifest->root, err);
}

/* The source as it was copied first, and as it is copied now: there may be new files. */
static bool know_sources(struct tuner *tuner, struct steptime_error *err)
{
    struct manifest *const manifest = tuner->manifest;
    struct sources now;
    if (!sources_list(tuner->trees[COPY_BEFORE].to.at, tuner->arena, &now, err))
        return false;
    if (manifest->sources.count)
        return sources_are_same(&manifest->sources, &now, manifest->root, err);
    manifest->sources = now;
    return tuner_save(tuner, err);
}

/* ---- the script in a copy ---- */

/* The script's word names the copy's; so does every other word that is a path of the tree. */
static const char *word_in(const struct tuner *tuner, const char *word, enum copy copy)
{
    char *const real = strchr(word, '/') || str_ends(str_of(word), S(".py")) ? realpath(word, NULL) : NULL;
    const str path = real ? tree_path(&tuner->trees[copy], str_of(real), tuner->arena) : S("");
    const bool moves = real && !str_eq(path, str_of(real));
    free(real);
    return moves ? path.at : word;
}

static struct verify_script script_in(const struct tuner *tuner, enum copy copy)
{
    const char *const *argv = tuner->options->argv;
    uint32_t count = 0;
    while (argv[count])
        count++;
    const char **words = arena_array(tuner->arena, count + 1, sizeof *words);
    words[0] = argv[0]; /* an interpreter of the tree's own environment is not copied */
    for (uint32_t i = 1; i < count; i++)
        words[i] = word_in(tuner, argv[i], copy);
    const str folder = tree_path(&tuner->trees[copy], str_of(tuner->options->here), tuner->arena);
    const str settings[COPIES] = {
        [COPY_BEFORE] = S(""), [COPY_KEPT] = tuner->settings, [COPY_TRIAL] = tuner->trial_settings};
    return (struct verify_script){str_of(copy_names[copy]), words, folder.at, str_z(tuner->arena, settings[copy])};
}

/* The versions of the first run; those of a later one must be the same. */
static bool know_versions(struct tuner *tuner, const struct record *record, struct steptime_error *err)
{
    struct manifest *const manifest = tuner->manifest;
    if (!manifest->torch.len) {
        manifest->python = record->python;
        manifest->torch = record->torch;
        manifest->device = record->device;
    }
    if (str_eq(manifest->torch, record->torch) && str_eq(manifest->python, record->python))
        return true;
    tuner->is_elsewhere = true;
    return fail(err, STEPTIME_INPUT,
                "this is PyTorch %.*s on Python %.*s, and what was measured is of %.*s on %.*s: begin anew",
                (int)record->torch.len, record->torch.at, (int)record->python.len, record->python.at,
                (int)manifest->torch.len, manifest->torch.at, (int)manifest->python.len, manifest->python.at);
}

static struct verify_options verify_options_of(const struct tuner *tuner, const struct comparison *comparison)
{
    const struct tune_options *const options = tuner->options;
    return (struct verify_options){
        .scripts = {script_in(tuner, comparison->before), script_in(tuner, comparison->after)},
        .seeds = &options->seed,
        .seed_count = 1,
        .steps = options->steps,
        .warmup = options->warmup,
        .repeat = comparison->repeat,
        .limit_ns = options->limit_ns,
        .processor = options->processor,
        .tolerance = comparison->tolerance,
        .other_training = comparison->other_training,
    };
}

bool tuner_compare(struct tuner *tuner, const struct comparison *comparison, struct verify_result *result,
                   struct steptime_error *err)
{
    const struct verify_options asked = verify_options_of(tuner, comparison);
    return verify_run(&asked, tuner->arena, result, err) && know_versions(tuner, &result->first[VERIFY_BEFORE], err);
}

bool tuner_look(struct tuner *tuner, struct record *record, struct steptime_error *err)
{
    const struct comparison itself = {.before = COPY_KEPT, .after = COPY_KEPT};
    const struct verify_options asked = verify_options_of(tuner, &itself);
    return verify_look(&asked, tuner->arena, record, err) && know_versions(tuner, record, err);
}

void tuner_take_means(struct tuner *tuner, struct verify_result *result, double scale)
{
    for (uint32_t i = 0; i < result->pace_count; i++) {
        result->paces[VERIFY_BEFORE][i] = pace_mean(&result->paces[VERIFY_BEFORE][i], 1, tuner->arena);
        result->paces[VERIFY_AFTER][i] = pace_mean(&result->paces[VERIFY_AFTER][i], scale, tuner->arena);
    }
}

/* ---- the trace ---- */

/* What is recorded lies in the copy in which the next rewrite is tried, whose paths the trace then has. */
static bool record_now(struct tuner *tuner, struct steptime_error *err)
{
    struct manifest *const manifest = tuner->manifest;
    struct verify_script script = script_in(tuner, COPY_TRIAL);
    script.name = tuner->options->script;
    const str below = str_printf(tuner->arena, "recorded%s%s", manifest->result.kept ? "-" : "",
                                 manifest->result.kept ? str_printf(tuner->arena, "%u", manifest->result.kept).at : "");
    const str to = str_printf(tuner->arena, "%s/%.*s", tuner->options->folder, (int)below.len, below.at);
    str trace = S("");
    folder_remove(to.at); /* of a run that was killed */
    if (mkdir(to.at, 0777))
        return fail_at(err, STEPTIME_OUTPUT, to, -1, "cannot be made: %s", strerror(errno));
    if (!tuner->options->record(&script, to.at, tuner->arena, &trace, err))
        return false;
    if (trace.len)
        manifest->trace = str_from(trace, strlen(tuner->options->folder) + 1);
    manifest->trace_kept = manifest->result.kept;
    return true;
}

static bool is_recorded(struct tuner *tuner, struct steptime_error *err)
{
    if (tuner->manifest->phase >= TUNE_RECORDED)
        return true;
    tuner_tell(tuner, S("recording the script"));
    if (!record_now(tuner, err))
        return false;
    if (!tuner->manifest->trace.len)
        tuner_tell(tuner, S("no trace of it: rewrites are tried in the order of the files, and nothing is predicted"));
    tuner->manifest->phase = TUNE_RECORDED;
    return tuner_save(tuner, err);
}

/* What a rewrite takes away changes what the next one can save. Where there is no trace there will be none of this either. */
bool tuner_record(struct tuner *tuner, struct steptime_error *err)
{
    struct manifest *const manifest = tuner->manifest;
    if (!manifest->trace.len || manifest->trace_kept == manifest->result.kept || tuner_is_late(tuner))
        return true;
    tuner_tell(tuner, S("recording what was kept"));
    return record_now(tuner, err) && tuner_save(tuner, err);
}

/* ---- does it train the same twice? ---- */

static str first_difference(const struct tuner *tuner, const struct loss_comparison *losses)
{
    if (losses->first == COMPARE_NONE)
        return str_printf(tuner->arena, "it has %u losses, then %u", losses->before_count, losses->after_count);
    return str_printf(tuner->arena, "loss %lld is %.9g, then %.9g", (long long)losses->first + 1, losses->before,
                      losses->after);
}

/* With the line that draws the first different number, where one is seen. */
static str why_restless(struct tuner *tuner, const struct loss_comparison *losses)
{
    const str what = first_difference(tuner, losses);
    const struct comparison itself = {.before = COPY_BEFORE, .after = COPY_BEFORE};
    const struct verify_options asked = verify_options_of(tuner, &itself);
    struct draw_difference draws;
    tuner_tell(tuner, S("it does not: running it twice more, to see which line draws the first different number"));
    verify_draws(&asked, tuner->arena, &draws);
    if (!draws.ran)
        return str_printf(tuner->arena, "%.*s. Which line draws the first different number could not be seen",
                          (int)what.len, what.at);
    if (!draws.found)
        return str_printf(
            tuner->arena,
            "%.*s. All %u numbers that it was seen to draw by chance are alike, so it is something else: the "
            "clock, the order of a set or of files, threads, or a generator of its own",
            (int)what.len, what.at, draws.draws);
    const str place = tree_origin(&tuner->trees[COPY_BEFORE], draws.first.place, tuner->arena);
    return str_printf(tuner->arena,
                      "%.*s. The first different number is drawn at %.*s, by %.*s, behind %u that are alike: no seed "
                      "governs it",
                      (int)what.len, what.at, (int)place.len, place.at, (int)draws.first.what.len, draws.first.what.at,
                      draws.draws);
}

/* A script that differs from itself gives no verdict on anything. */
static bool is_steady(struct tuner *tuner, struct steptime_error *err)
{
    struct verify_result result;
    if (tuner->manifest->phase >= TUNE_STEADY)
        return true;
    tuner_tell(tuner, S("running the script twice: does it train the same with one seed?"));
    const struct comparison twice = {.before = COPY_BEFORE, .after = COPY_KEPT};
    if (!tuner_compare(tuner, &twice, &result, err))
        return false;
    const struct loss_comparison *const losses = &result.checks[0].losses;
    if (!result.good)
        return fail_at(err, STEPTIME_INPUT, tuner->options->script, -1,
                       "differs from itself with one seed: %s, so no change of it can be tested",
                       why_restless(tuner, losses).at);
    const struct record *const run = &result.first[VERIFY_BEFORE];
    sources_mark_loaded(&tuner->manifest->sources, tuner->trees[COPY_BEFORE].to.at, run->files, run->file_count);
    tuner->manifest->phase = TUNE_STEADY;
    return tuner_save(tuner, err);
}

/* ---- the whole ---- */

/* What saves time once in many steps is in the whole. */
static bool is_by_mean(const struct tune_result *result)
{
    for (uint32_t i = 0; i < result->count; i++)
        if (result->trials[i].outcome == TRIED_KEPT && result->trials[i].by_mean)
            return true;
    return false;
}

static bool measure_all(struct tuner *tuner, struct steptime_error *err)
{
    struct tune_result *const result = tuner->result;
    struct verify_result all;
    if (tuner->manifest->phase >= TUNE_MEASURED)
        return true;
    if (result->kept || result->settings_kept) {
        const struct comparison whole = {COPY_BEFORE, COPY_KEPT, tuner->options->repeat + 2, tuner->options->tolerance,
                                         false};
        tuner_tell(tuner, str_printf(tuner->arena, "measuring all that was kept against the script as it is%s",
                                     tuner_time_left(tuner, 1)));
        if (!tuner_compare(tuner, &whole, &all, err))
            return false;
        if (is_by_mean(result))
            tuner_take_means(tuner, &all, 1);
        const struct pace *const before = all.paces[VERIFY_BEFORE], *const after = all.paces[VERIFY_AFTER];
        const struct loss_comparison *const losses = &all.checks[0].losses;
        result->total = pace_compare(before, after, all.pace_count);
        result->before_ns = pace_summarise(before, all.pace_count).p50_ns;
        result->after_ns = pace_summarise(after, all.pace_count).p50_ns;
        result->equal = losses->equal == losses->before_count && losses->before_count == losses->after_count;
    }
    tuner->manifest->phase = TUNE_MEASURED;
    return tuner_save(tuner, err);
}

static void take_diff(struct tuner *tuner)
{
    struct buf diff = {0};
    kept_diff(&tuner->kept, tuner->manifest->root, &diff);
    tuner->result->folder = tuner->options->folder;
    tuner->result->root = tuner->manifest->root;
    tuner->result->diff = str_copy(tuner->arena, buf_str(&diff));
    tuner->result->file_count = tuner->kept.count;
    tuner->result->files = arena_array(tuner->arena, tuner->kept.count, sizeof *tuner->result->files);
    if (tuner->kept.count)
        memcpy(tuner->result->files, tuner->kept.at, tuner->kept.count * sizeof *tuner->kept.at);
    buf_free(&diff);
}

/* ---- from where it stands ---- */

/* Room for all trials, without those that there was no time for: there may be now. */
static void reopen_trials(struct manifest *manifest, struct arena *arena)
{
    struct trial *const trials = arena_array(arena, TUNE_MOST_TRIALS, sizeof *trials);
    uint32_t count = 0;
    for (uint32_t i = 0; i < manifest->result.count; i++)
        if (manifest->result.trials[i].outcome != TRIED_NOT)
            trials[count++] = manifest->result.trials[i];
    manifest->result.trials = trials;
    manifest->result.count = count;
}

bool tune_run(struct manifest *manifest, struct arena *arena, struct steptime_error *err)
{
    struct tuner tuner = {
        .manifest = manifest,
        .options = &manifest->options,
        .result = &manifest->result,
        .arena = arena,
        .began_ns = clock_ns(),
        .spent_before_ns = manifest->spent_ns,
        .settings = S(""),
        .trial_settings = S(""),
    };
    reopen_trials(manifest, arena);
    child_hear_interrupts();
    const bool good = is_same_source(&tuner, err) && make_copies(&tuner, err) && know_sources(&tuner, err) &&
                      trials_remake(&tuner, err) && is_recorded(&tuner, err) && is_steady(&tuner, err) &&
                      trials_run(&tuner, err) && settings_run(&tuner, err) && measure_all(&tuner, err);
    child_stop_hearing();
    take_diff(&tuner);
    kept_free(&tuner.kept);
    return good;
}

bool tune_write(const struct tune_result *result, struct arena *arena, struct steptime_error *err)
{
    for (uint32_t i = 0; i < result->file_count; i++) {
        const struct rewritten *const file = &result->files[i];
        if (!rewrite_file(str_z(arena, file->path), file->before, file->after, err))
            return false;
    }
    return true;
}
