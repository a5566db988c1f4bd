/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites, one after the other: made in a copy, measured, kept or taken back. */
#include "base/clock.h"
#include "base/error.h"
#include "child/child.h"
#include "syntax/rewrite.h"
#include "tuner.h"

enum { MOST_REPEAT = 12 };

static struct rewrites_options where_of(const struct tuner *tuner)
{
    const struct tune_options *const options = tuner->options;
    const str trace = tuner->manifest->trace;
    return (struct rewrites_options){
        .tree = tuner->trees[COPY_TRIAL].to.at,
        .unsafe = options->unsafe,
        .notes = options->notes,
        .trace = trace.len ? str_printf(tuner->arena, "%s/%.*s", options->folder, (int)trace.len, trace.at).at : NULL,
    };
}

struct prediction trial_predicted(const struct trial *trial)
{
    struct prediction predicted = trial->rewrite.predicted;
    if (!(trial->step_ns > 0) || !(predicted.step_ns > 0))
        return predicted;
    const double scale = trial->step_ns / predicted.step_ns;
    predicted.ns *= scale;
    predicted.low_ns *= scale;
    predicted.high_ns *= scale;
    predicted.step_ns = trial->step_ns;
    return predicted;
}

/* ---- what became of one ---- */

static void judge(struct trial *trial, const struct verify_result *result)
{
    static const enum outcome outcomes[] = {[PACE_FASTER] = TRIED_KEPT,
                                            [PACE_SLOWER] = TRIED_SLOWER,
                                            [PACE_NOISY] = TRIED_NO_GAIN,
                                            [PACE_UNKNOWN] = TRIED_NO_GAIN};
    if (!result->good) {
        trial->outcome = TRIED_DIFFERS;
        return;
    }
    trial->pace = pace_compare(result->paces[VERIFY_BEFORE], result->paces[VERIFY_AFTER], result->pace_count);
    trial->step_ns = pace_summarise(result->paces[VERIFY_BEFORE], result->pace_count).p50_ns;
    trial->repetitions = result->pace_count;
    trial->outcome = outcomes[trial->pace.verdict];
}

static bool measure_once(struct tuner *tuner, struct trial *trial, int64_t repeat, struct steptime_error *err)
{
    const struct comparison asked = {
        .before = COPY_KEPT,
        .after = COPY_TRIAL,
        .repeat = repeat,
        .tolerance = trial->rewrite.kind == FIX_SAFE ? (struct tolerance){0} : tuner->options->tolerance,
        .other_training = trial->other_training,
    };
    struct verify_result result;
    if (!tuner_compare(tuner, &asked, &result, err))
        return false;
    if (trial->by_mean)
        tuner_take_means(tuner, &result, trial->scale);
    judge(trial, &result);
    return true;
}

/* Once more, with as many runs as would tell, where that is not too many. */
static bool measure(struct tuner *tuner, struct trial *trial, struct steptime_error *err)
{
    const int64_t repeat = tuner->options->repeat;
    if (!measure_once(tuner, trial, repeat, err))
        return false;
    const int64_t more = trial->pace.verdict == PACE_NOISY ? trial->pace.would_tell : 0;
    if (trial->outcome != TRIED_NO_GAIN || more <= repeat || more > MOST_REPEAT || tuner_is_late(tuner))
        return true;
    tuner_tell(tuner, str_printf(tuner->arena, "too noisy to tell: once more, %lld runs of each", (long long)more));
    return measure_once(tuner, trial, more, err);
}

bool trial_measure(struct tuner *tuner, struct trial *trial, struct steptime_error *err)
{
    struct steptime_error why = {.offset = -1};
    if (measure(tuner, trial, &why))
        return true;
    if (child_interrupted() || tuner->is_elsewhere || why.code == STEPTIME_OUTPUT) {
        *err = why;
        return false;
    }
    trial->outcome = TRIED_FAILED;
    trial->why = error_line(tuner->arena, &why);
    return true;
}

/* A gain that so few runs do not tell from noise is another thing than none. */
static const char *words_of_noise(const struct tuner *tuner, const struct trial *trial)
{
    const struct pace_ratio *const pace = &trial->pace;
    if (pace->verdict != PACE_NOISY)
        return "dropped: no gain";
    return str_printf(tuner->arena,
                      "dropped: %.2f times as fast, which %lld runs of each do not tell from noise (%.2f to %.2f)",
                      pace->paired, (long long)trial->repetitions, pace->low, pace->high)
        .at;
}

void trial_tell(const struct tuner *tuner, const struct trial *trial)
{
    const double percent = (trial->pace.paired - 1) * 100;
    const char *said = words_of_noise(tuner, trial);
    if (trial->outcome == TRIED_KEPT)
        said = str_printf(tuner->arena, "kept: %.1f %% faster", percent).at;
    else if (trial->outcome == TRIED_FAILED)
        said = "dropped: the script fails with it";
    else if (trial->outcome == TRIED_DIFFERS)
        said = "dropped: other losses";
    else if (trial->outcome == TRIED_SLOWER)
        said = str_printf(tuner->arena, "dropped: %.1f %% slower", (1 / trial->pace.paired - 1) * 100).at;
    else if (trial->outcome == TRIED_OTHER)
        said = str_printf(tuner->arena, "%.1f %% more samples a second; other training, so not kept", percent).at;
    const str what = trial->setting.len ? trial->setting : trial->id;
    tuner_tell(tuner, str_printf(tuner->arena, "%.*s %s", (int)what.len, what.at, said));
}

/* ---- keeping ---- */

/* The hash of what the copy that is kept now holds. */
static void note_after(struct tuner *tuner, struct trial *trial, str path)
{
    struct sources *const after = &trial->after;
    const str below = str_from(path, tuner->manifest->root.len + 1);
    after->at = arena_one_more(tuner->arena, after->at, after->count, sizeof *after->at);
    after->at[after->count++] =
        (struct source_file){below, source_hash(tuner->trees[COPY_KEPT].to, below, tuner->arena), true};
}

bool trial_keep(struct tuner *tuner, struct trial *trial, const struct rewritten_files *files,
                struct steptime_error *err)
{
    trial->after.count = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        struct rewritten file = files->at[i];
        file.path = tree_origin(&tuner->trees[COPY_TRIAL], file.path, tuner->arena);
        const str kept = tree_path(&tuner->trees[COPY_KEPT], file.path, tuner->arena);
        if (!rewrite_file(kept.at, file.before, file.after, err))
            return false;
        kept_add(&tuner->kept, &file, tuner->arena);
        note_after(tuner, trial, file.path);
    }
    return true;
}

static bool make_again(struct tuner *tuner, const struct trial *trial, struct rewritten_files *files,
                       struct steptime_error *err)
{
    const struct rewrites_options where = where_of(tuner);
    const char *why;
    struct rewrite there = trial->rewrite;
    if (trial->setting.len)
        return setting_make(tuner, trial, files, &why, err);
    there.path = tree_path(&tuner->trees[COPY_TRIAL], there.path, tuner->arena);
    if (!there.rule)
        return fail(err, STEPTIME_INPUT, "the rule %.*s is not known any more: begin anew", (int)trial->id.len,
                    trial->id.at);
    return rewrite_make(&where, &there, tuner->arena, files, err);
}

static bool remake_one(struct tuner *tuner, struct trial *trial, struct steptime_error *err)
{
    const struct sources before = trial->after;
    struct rewritten_files files;
    trial->after = (struct sources){0};
    if (!make_again(tuner, trial, &files, err) || !trial_keep(tuner, trial, &files, err))
        return false;
    bool same = files.count > 0 && trial->after.count == before.count;
    for (uint32_t i = 0; same && i < before.count; i++)
        same = str_eq(before.at[i].sha256, trial->after.at[i].sha256);
    return same ||
           fail_at(err, STEPTIME_INPUT, trial->rewrite.path, -1,
                   "%.*s, which was kept, is not made as it was then: begin anew", (int)trial->id.len, trial->id.at);
}

/* All but settings that no file holds. */
static bool changed_files(const struct trial *trial)
{
    return trial->outcome == TRIED_KEPT && (!trial->setting.len || trial->after.count > 0);
}

bool trials_remake(struct tuner *tuner, struct steptime_error *err)
{
    for (uint32_t i = 0; i < tuner->result->count; i++)
        if (changed_files(&tuner->result->trials[i]) && !remake_one(tuner, &tuner->result->trials[i], err))
            return false;
    settings_remake(tuner);
    return true;
}

/* ---- one trial ---- */

/* Paths of what is tried are of the trial's tree, paths of those that were tried of the user's. */
static struct trial trial_of(const struct tuner *tuner, const struct rewrite *rewrite, enum outcome outcome)
{
    struct trial trial = {.id = str_of(rewrite->rule->id),
                          .rewrite = *rewrite,
                          .outcome = outcome,
                          .why = S(""),
                          .setting = S(""),
                          .loader = -1,
                          .scale = 1};
    trial.rewrite.path = tree_origin(&tuner->trees[COPY_TRIAL], rewrite->path, tuner->arena);
    return trial;
}

/* What the script never imports no run of it can measure. */
static bool may_run(const struct tuner *tuner, const struct rewrite *rewrite)
{
    const str copy = tuner->trees[COPY_TRIAL].to;
    if (!str_starts(rewrite->path, copy) || rewrite->path.len <= copy.len)
        return true;
    return sources_may_run(&tuner->manifest->sources, str_from(rewrite->path, copy.len + 1));
}

static bool was_tried(const struct tuner *tuner, const struct rewrite *rewrite)
{
    const struct trial trial = trial_of(tuner, rewrite, TRIED_NOT);
    for (uint32_t i = 0; i < tuner->result->count; i++)
        if (rewrite_is(&tuner->result->trials[i].rewrite, &trial.rewrite))
            return true;
    return false;
}

/* False with *err where nothing can be said of it: it was interrupted, or files cannot be written. */
static bool try_one(struct tuner *tuner, const struct rewrite *rewrite, struct trial *trial, struct steptime_error *err)
{
    const struct rewrites_options where = where_of(tuner);
    struct rewritten_files files;
    if (!rewrite_make(&where, rewrite, tuner->arena, &files, err))
        return false;
    if (!files.count)
        return true;
    if (!trial_measure(tuner, trial, err))
        return false;
    trial_tell(tuner, trial);
    return trial->outcome == TRIED_KEPT ? trial_keep(tuner, trial, &files, err)
                                        : rewrite_undo(&files, tuner->arena, err);
}

/* It counts once its result is in the manifest. */
static bool try_next(struct tuner *tuner, const struct rewrite *rewrite, uint32_t left, struct steptime_error *err)
{
    struct tune_result *const result = tuner->result;
    struct trial trial = trial_of(tuner, rewrite, TRIED_UNMADE);
    const int64_t begin_ns = clock_ns();
    const str root = tuner->manifest->root;
    const str path =
        str_starts(trial.rewrite.path, root) ? str_from(trial.rewrite.path, root.len + 1) : trial.rewrite.path;
    tuner_tell(tuner,
               str_printf(tuner->arena, "trying %s at %.*s:%lld, the first of %u that are left%s", rewrite->rule->id,
                          (int)path.len, path.at, (long long)rewrite->line, left, tuner_time_left(tuner, left)));
    if (!try_one(tuner, rewrite, &trial, err))
        return false;
    trial.took_ns = clock_ns() - begin_ns;
    result->trials[result->count++] = trial;
    if (trial.outcome == TRIED_KEPT) {
        result->kept++;
        tuner->manifest->phase = TUNE_STEADY;   /* the whole is another one than may have been measured */
        tuner->manifest->settings_done = false; /* and what it waits for */
    }
    return tuner_save(tuner, err);
}

/* ---- all of them ---- */

static struct rewrite *next_untried(const struct tuner *tuner, const struct rewrites *rewrites)
{
    for (uint32_t i = 0; i < rewrites->count; i++)
        if (may_run(tuner, &rewrites->at[i]) && !was_tried(tuner, &rewrites->at[i]))
            return &rewrites->at[i];
    return NULL;
}

static uint32_t count_untried(const struct tuner *tuner, const struct rewrites *rewrites)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rewrites->count; i++)
        count += may_run(tuner, &rewrites->at[i]) && !was_tried(tuner, &rewrites->at[i]);
    return count;
}

static void leave_untried(struct tuner *tuner, const struct rewrites *rewrites)
{
    struct tune_result *const result = tuner->result;
    for (uint32_t i = 0; i < rewrites->count && result->count < TUNE_MOST_TRIALS; i++)
        if (may_run(tuner, &rewrites->at[i]) && !was_tried(tuner, &rewrites->at[i]))
            result->trials[result->count++] = trial_of(tuner, &rewrites->at[i], TRIED_NOT);
}

/* A rewrite may make another one possible, so after each that is kept the source is looked at again. */
bool trials_run(struct tuner *tuner, struct steptime_error *err)
{
    struct rewrites rewrites;
    for (;;) {
        if (!tuner_record(tuner, err))
            return false;
        const struct rewrites_options where = where_of(tuner);
        if (!rewrites_find(&where, tuner->arena, &rewrites, err))
            return false;
        tuner->result->unsafe_left = rewrites.unsafe_left;
        tuner->result->by_hand = rewrites.by_hand;
        if (rewrites.by_hand.rule)
            tuner->result->by_hand.path = tree_origin(&tuner->trees[COPY_TRIAL], rewrites.by_hand.path, tuner->arena);
        const struct rewrite *const next = next_untried(tuner, &rewrites);
        if (!next || tuner->result->count == TUNE_MOST_TRIALS)
            return true;
        if (tuner_is_late(tuner)) {
            leave_untried(tuner, &rewrites);
            return tuner_save(tuner, err);
        }
        if (!try_next(tuner, next, count_untried(tuner, &rewrites), err))
            return false;
    }
}
