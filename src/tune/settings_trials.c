/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings, one after the other, behind the rewrites: the script is run once and looked at, the first setting that this suggests
 * is tried beside what was kept, and where it is kept the script is looked at again. Sources of the copies stay as they are,
 * unless it was asked for that what is kept is written: then the setting is a change of the trial's copy, as a rewrite is.
 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "child/child.h"
#include "lint/read_file.h"
#include "setting_edit.h"
#include "settings.h"
#include "syntax/rewrite.h"
#include "tuner.h"

enum { MOST_SOURCE = 1 << 26 };

/* ---- words for the script's interpreter ---- */

static str with_words(const struct tuner *tuner, str words, str more, int64_t loader)
{
    const str of = loader < 0 ? S("") : str_printf(tuner->arena, "%lld.", (long long)loader);
    return str_printf(tuner->arena, "%.*s%s%.*s%.*s", (int)words.len, words.at, words.len ? " " : "", (int)of.len,
                      of.at, (int)more.len, more.at);
}

void settings_remake(struct tuner *tuner)
{
    tuner->settings = S("");
    for (uint32_t i = 0; i < tuner->result->count; i++) {
        const struct trial *const trial = &tuner->result->trials[i];
        if (trial->setting.len && trial->outcome == TRIED_KEPT && !trial->after.count)
            tuner->settings = with_words(tuner, tuner->settings, trial->setting, trial->loader);
    }
    tuner->trial_settings = tuner->settings;
}

static bool was_tried(const void *context, str words, int64_t loader)
{
    const struct tune_result *const result = ((const struct tuner *)context)->result;
    for (uint32_t i = 0; i < result->count; i++)
        if (str_eq(result->trials[i].setting, words) && result->trials[i].loader == loader)
            return true;
    return false;
}

static struct setting_asks asks_of(const struct tuner *tuner)
{
    return (struct setting_asks){
        .unsafe = tuner->options->unsafe,
        .batch = tuner->options->try_batch,
        .waits_unseen = tuner->options->processor,
        .on_device = tuner->manifest->device.len > 0,
        .processors = tuner->manifest->processors,
        .was_tried = was_tried,
        .context = tuner,
    };
}

/* ---- one trial ---- */

/* "FILE:LINE" of a copy, as the user's path and the line. The script stands for what is made elsewhere. */
static void place_trial(const struct tuner *tuner, str place, struct trial *trial)
{
    const char *const colon = place.len ? memrchr(place.at, ':', place.len) : NULL;
    trial->rewrite.path = tuner->options->script;
    trial->rewrite.line = 0;
    if (!colon || !str_int(str_from(place, (size_t)(colon - place.at) + 1), &trial->rewrite.line))
        return;
    const str path = {place.at, (size_t)(colon - place.at)};
    trial->rewrite.path = tree_origin(&tuner->trees[COPY_KEPT], path, tuner->arena);
}

static struct trial trial_of(const struct tuner *tuner, const struct setting *setting)
{
    struct trial trial = {
        .id = str_of(setting->name),
        .setting = setting->words,
        .loader = setting->loader,
        .rewrite = {.kind = setting->kind,
                    .line_text = setting->words,
                    .message = S(""),
                    .predicted = setting->predicted},
        .outcome = TRIED_NOT,
        .why = S(""),
        .by_mean = setting->loader >= 0,
        .other_training = setting->other_training,
        .scale = setting->scale,
    };
    place_trial(tuner, setting->place, &trial);
    return trial;
}

bool setting_make(struct tuner *tuner, const struct trial *trial, struct rewritten_files *files, const char **why,
                  struct steptime_error *err)
{
    struct arena *const arena = tuner->arena;
    struct setting_edit edit = {.path = tree_path(&tuner->trees[COPY_TRIAL], trial->rewrite.path, arena),
                                .line = trial->rewrite.line,
                                .words = trial->setting,
                                .of_loader = trial->loader >= 0};
    *files = (struct rewritten_files){0};
    *why = "it is not made in a file of the source";
    if (!edit.line || !str_starts(edit.path, tuner->trees[COPY_TRIAL].to))
        return true;
    if (!read_file(arena, str_z(arena, edit.path), MOST_SOURCE, &edit.before, err))
        return false;
    if (!setting_edit_make(&edit, arena)) {
        *why = edit.why;
        return true;
    }
    *why = NULL;
    files->at = arena_array(arena, 1, sizeof *files->at);
    files->at[files->count++] = (struct rewritten){edit.path, edit.before, edit.after, edit.edits};
    return rewrite_file(str_z(arena, edit.path), edit.before, edit.after, err);
}

/* What workers draw by chance, or the order in which a loader draws, is another one. */
static void explain(struct trial *trial)
{
    if (trial->outcome == TRIED_DIFFERS && trial->loader >= 0)
        trial->why = S("what is drawn for a sample, or in which order, is not the same in workers");
    if (trial->outcome == TRIED_KEPT && trial->other_training)
        trial->outcome = TRIED_OTHER;
}

static void note_kept(struct tuner *tuner)
{
    tuner->result->settings_kept++;
    tuner->manifest->phase = TUNE_STEADY; /* the whole is another one */
    settings_remake(tuner);
}

/* From outside, by words for the interpreter. */
static bool measure_outside(struct tuner *tuner, const struct setting *setting, struct trial *trial,
                            struct steptime_error *err)
{
    tuner->trial_settings = with_words(tuner, tuner->settings, setting->words, setting->loader);
    const bool good = trial_measure(tuner, trial, err);
    tuner->trial_settings = tuner->settings;
    if (good)
        explain(trial);
    return good;
}

/* As a change of the source, which is kept or taken back. */
static bool measure_inside(struct tuner *tuner, struct trial *trial, const struct rewritten_files *files,
                           struct steptime_error *err)
{
    if (!trial_measure(tuner, trial, err))
        return false;
    explain(trial);
    return trial->outcome == TRIED_KEPT ? trial_keep(tuner, trial, files, err) : rewrite_undo(files, tuner->arena, err);
}

static bool measure_setting(struct tuner *tuner, const struct setting *setting, struct trial *trial,
                            struct steptime_error *err)
{
    struct rewritten_files files = {0};
    const char *why = NULL;
    const bool inside = tuner->options->write_settings && !setting->other_training;
    if (inside && !setting_make(tuner, trial, &files, &why, err))
        return false;
    if (files.count)
        return measure_inside(tuner, trial, &files, err);
    if (!measure_outside(tuner, setting, trial, err))
        return false;
    if (why && trial->outcome == TRIED_KEPT)
        trial->why = str_printf(tuner->arena, "not in the diff, as %s", why);
    return true;
}

static bool try_setting(struct tuner *tuner, const struct setting *setting, struct steptime_error *err)
{
    struct trial trial = trial_of(tuner, setting);
    const int64_t begin_ns = clock_ns();
    tuner_tell(tuner, str_printf(tuner->arena, "trying %.*s%s", (int)setting->words.len, setting->words.at,
                                 tuner_time_left(tuner, 1)));
    if (!measure_setting(tuner, setting, &trial, err))
        return false;
    trial_tell(tuner, &trial);
    trial.took_ns = clock_ns() - begin_ns;
    tuner->result->trials[tuner->result->count++] = trial;
    if (trial.outcome == TRIED_KEPT)
        note_kept(tuner);
    return tuner_save(tuner, err);
}

/* ---- all of them ---- */

static void tell_look(const struct tuner *tuner, const struct look *look)
{
    if (!look->has_loader || look->step_ns <= 0)
        return;
    const long long workers = look->loader.workers;
    const double step_ms = look->step_ns / 1e6;
    const str said =
        tuner->options->processor
            ? str_printf(tuner->arena,
                         "a step waits %.3g ms for its loader (%lld workers), and takes %.3g of processors",
                         look->wait_ns / 1e6, workers, step_ms)
            : str_printf(tuner->arena, "a step of %.3g ms waits %.0f %% of it for its loader (%lld workers)", step_ms,
                         100 * look->wait_ns / look->step_ns, workers);
    tuner_tell(tuner, said);
}

static bool look_now(struct tuner *tuner, struct look *look, struct steptime_error *err)
{
    struct record record;
    tuner_tell(tuner, S("looking at loaders and optimizer, in one bare run"));
    if (!tuner_look(tuner, &record, err))
        return false;
    *look = look_of(&record, tuner->options->warmup);
    tell_look(tuner, look);
    return true;
}

static bool finish(struct tuner *tuner, const struct look *look, struct steptime_error *err)
{
    struct tune_result *const result = tuner->result;
    result->settings_unseen = tuner->options->processor && settings_loader_is_slow(look);
    result->settings_unsafe = !tuner->options->unsafe && settings_may_be_fused(look);
    result->settings_left = false;
    tuner->manifest->settings_done = true;
    return tuner_save(tuner, err);
}

bool settings_run(struct tuner *tuner, struct steptime_error *err)
{
    struct look look;
    struct setting setting;
    tuner->result->settings_left = tuner->options->try_settings && !tuner->manifest->settings_done;
    if (!tuner->result->settings_left || tuner_is_late(tuner))
        return true;
    if (!look_now(tuner, &look, err))
        return false;
    for (;;) {
        const struct setting_asks asks = asks_of(tuner);
        const uint32_t kept = tuner->result->settings_kept;
        if (tuner->result->count == TUNE_MOST_TRIALS || !settings_next(&look, &asks, tuner->arena, &setting))
            return finish(tuner, &look, err);
        if (tuner_is_late(tuner)) {
            tuner->result->trials[tuner->result->count++] = trial_of(tuner, &setting);
            return tuner_save(tuner, err);
        }
        if (!try_setting(tuner, &setting, err) || (tuner->result->settings_kept > kept && !look_now(tuner, &look, err)))
            return false;
    }
}
