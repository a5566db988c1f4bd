/* SPDX-License-Identifier: Apache-2.0 */
#include "tune.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "kept.h"
#include "syntax/rewrite.h"

enum copy { BEFORE, KEPT, TRIAL, COPIES };
static const char *const copy_names[COPIES] = {"before", "kept", "trial"};

enum { MOST_TRIALS = 1000, MOST_REPEAT = 12 };

struct tuner {
    const struct tune_options *options;
    struct arena *arena;
    struct tune_result *result;
    struct tree trees[COPIES];
    struct kept kept; /* paths of the user's tree */
    int64_t until_ns; /* no trial begins later; INT64_MAX */
};

static void tell(const struct tuner *tuner, str what)
{
    if (tuner->options->tell)
        tuner->options->tell(what);
}

/* ---- the copies ---- */

static bool make_copies(struct tuner *tuner, struct steptime_error *err)
{
    const str root = tree_root(tuner->options->script, tuner->arena);
    tell(tuner, str_printf(tuner->arena, "copying %.*s", (int)root.len, root.at));
    for (int copy = 0; copy < COPIES; copy++) {
        const char *const folder = tuner->options->folder;
        tuner->trees[copy] =
            (struct tree){root, str_printf(tuner->arena, "%s/%s", folder, copy_names[copy]), str_of(folder)};
        if (!tree_copy(&tuner->trees[copy], tuner->options->most_copied, err))
            return false;
    }
    return true;
}

/* ---- the script in a copy ---- */

/* The folder where it is run, as the copy has it. */
static const char *folder_in(const struct tuner *tuner, enum copy copy)
{
    char *const here = getcwd(NULL, 0);
    const str there = tree_path(&tuner->trees[copy], str_of(here ? here : "/"), tuner->arena);
    free(here);
    return there.at;
}

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
    return (struct verify_script){str_of(copy_names[copy]), words, folder_in(tuner, copy)};
}

static struct verify_options compared(const struct tuner *tuner, enum copy before, enum copy after, int64_t repeat)
{
    const struct tune_options *const options = tuner->options;
    return (struct verify_options){
        .scripts = {script_in(tuner, before), script_in(tuner, after)},
        .seeds = &options->seed,
        .seed_count = 1,
        .steps = options->steps,
        .warmup = options->warmup,
        .repeat = repeat,
        .limit_ns = options->limit_ns,
        .tolerance = options->tolerance,
    };
}

/* A script that differs from itself gives no verdict on anything. */
static bool is_steady(struct tuner *tuner, struct steptime_error *err)
{
    struct verify_options options = compared(tuner, BEFORE, KEPT, 0);
    struct verify_result result;
    tell(tuner, S("running the script twice: does it train the same with one seed?"));
    options.tolerance = (struct tolerance){0};
    if (!verify_run(&options, tuner->arena, &result, err))
        return false;
    const struct loss_comparison *const losses = &result.checks[0].losses;
    return result.good ||
           fail_at(
               err, STEPTIME_INPUT, tuner->options->script, -1,
               "differs from itself with one seed: loss %lld is %.9g, then %.9g. Something in it draws numbers that "
               "no seed governs, so no change of it can be tested",
               (long long)losses->first + 1, losses->before, losses->after);
}

/* ---- one trial ---- */

/* Its path is of the trial's tree, the path of those that were tried of the user's. */
static bool was_tried(const struct tuner *tuner, const struct rewrite *rewrite)
{
    struct rewrite theirs = *rewrite;
    theirs.path = tree_origin(&tuner->trees[TRIAL], rewrite->path, tuner->arena);
    for (uint32_t i = 0; i < tuner->result->count; i++)
        if (rewrite_is(&tuner->result->trials[i].rewrite, &theirs))
            return true;
    return false;
}

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
    trial->outcome = outcomes[trial->pace.verdict];
}

/* Once more, with as many runs as would tell, where that is not too many. */
static bool measure(struct tuner *tuner, struct trial *trial, struct verify_result *result, struct steptime_error *err)
{
    struct verify_options options = compared(tuner, KEPT, TRIAL, tuner->options->repeat);
    if (trial->rewrite.kind == FIX_SAFE)
        options.tolerance = (struct tolerance){0};
    if (!verify_run(&options, tuner->arena, result, err))
        return false;
    judge(trial, result);
    const int64_t more = trial->pace.verdict == PACE_NOISY ? trial->pace.would_tell : 0;
    if (trial->outcome != TRIED_NO_GAIN || more <= options.repeat || more > MOST_REPEAT || clock_ns() > tuner->until_ns)
        return true;
    options.repeat = more;
    if (!verify_run(&options, tuner->arena, result, err))
        return false;
    judge(trial, result);
    return true;
}

/* Into the copy that is kept, and to the list of what changed in the user's files. */
static bool keep(struct tuner *tuner, const struct rewritten_files *files, struct steptime_error *err)
{
    for (uint32_t i = 0; i < files->count; i++) {
        struct rewritten file = files->at[i];
        file.path = tree_origin(&tuner->trees[TRIAL], file.path, tuner->arena);
        const str kept = tree_path(&tuner->trees[KEPT], file.path, tuner->arena);
        if (!rewrite_file(kept.at, file.before, file.after, err))
            return false;
        kept_add(&tuner->kept, &file, tuner->arena);
    }
    tuner->result->kept++;
    return true;
}

static void tell_outcome(const struct tuner *tuner, const struct trial *trial)
{
    const double percent = (trial->pace.paired - 1) * 100;
    const char *const id = trial->rewrite.rule->id;
    str said;
    if (trial->outcome == TRIED_KEPT)
        said = str_printf(tuner->arena, "%s kept: %.1f %% faster", id, percent);
    else if (trial->outcome == TRIED_FAILED)
        said = str_printf(tuner->arena, "%s dropped: the script fails with it", id);
    else if (trial->outcome == TRIED_DIFFERS)
        said = str_printf(tuner->arena, "%s dropped: other losses", id);
    else
        said = str_printf(tuner->arena, "%s dropped: no gain", id);
    tell(tuner, said);
}

static bool try_one(struct tuner *tuner, const struct rewrites_options *where, const struct rewrite *rewrite,
                    struct steptime_error *err)
{
    struct trial *const trial = &tuner->result->trials[tuner->result->count++];
    struct rewritten_files files;
    struct verify_result result;
    struct steptime_error why = {.offset = -1};
    *trial = (struct trial){.rewrite = *rewrite, .outcome = TRIED_UNMADE};
    trial->rewrite.path = tree_origin(&tuner->trees[TRIAL], rewrite->path, tuner->arena);
    tell(tuner, str_printf(tuner->arena, "trying %s at %.*s:%lld", rewrite->rule->id, (int)trial->rewrite.path.len,
                           trial->rewrite.path.at, (long long)rewrite->line));
    if (!rewrite_make(where, rewrite, tuner->arena, &files, err))
        return false;
    if (!files.count)
        return true;
    if (!measure(tuner, trial, &result, &why)) {
        trial->outcome = TRIED_FAILED;
        trial->why = error_line(tuner->arena, &why);
    }
    tell_outcome(tuner, trial);
    return trial->outcome == TRIED_KEPT ? keep(tuner, &files, err) : rewrite_undo(&files, tuner->arena, err);
}

/* ---- all of them ---- */

static struct rewrite *next_untried(const struct tuner *tuner, const struct rewrites *rewrites)
{
    for (uint32_t i = 0; i < rewrites->count; i++)
        if (!was_tried(tuner, &rewrites->at[i]))
            return &rewrites->at[i];
    return NULL;
}

static void leave_untried(struct tuner *tuner, const struct rewrites *rewrites)
{
    for (uint32_t i = 0; i < rewrites->count && tuner->result->count < MOST_TRIALS; i++)
        if (!was_tried(tuner, &rewrites->at[i])) {
            struct trial *const trial = &tuner->result->trials[tuner->result->count++];
            *trial = (struct trial){.rewrite = rewrites->at[i], .outcome = TRIED_NOT};
            trial->rewrite.path = tree_origin(&tuner->trees[TRIAL], rewrites->at[i].path, tuner->arena);
        }
}

/* A rewrite may make another one possible, so after each that is kept the source is looked at again. */
static bool try_all(struct tuner *tuner, struct steptime_error *err)
{
    const struct tune_options *const options = tuner->options;
    const struct rewrites_options where = {tuner->trees[TRIAL].to.at, options->unsafe, options->notes, options->trace};
    struct rewrites rewrites;
    for (;;) {
        if (!rewrites_find(&where, tuner->arena, &rewrites, err))
            return false;
        const struct rewrite *const next = next_untried(tuner, &rewrites);
        if (!next || tuner->result->count == MOST_TRIALS)
            return true;
        if (clock_ns() > tuner->until_ns) {
            leave_untried(tuner, &rewrites);
            return true;
        }
        if (!try_one(tuner, &where, next, err))
            return false;
    }
}

/* ---- the whole ---- */

static bool measure_all(struct tuner *tuner, struct steptime_error *err)
{
    struct tune_result *const result = tuner->result;
    struct verify_result compared_all;
    if (!result->kept)
        return true;
    tell(tuner, S("measuring all that was kept against the script as it is"));
    const struct verify_options options = compared(tuner, BEFORE, KEPT, tuner->options->repeat + 2);
    if (!verify_run(&options, tuner->arena, &compared_all, err))
        return false;
    const struct pace *const before = compared_all.paces[VERIFY_BEFORE], *const after =
                                                                             compared_all.paces[VERIFY_AFTER];
    const struct loss_comparison *const losses = &compared_all.checks[0].losses;
    result->total = pace_compare(before, after, compared_all.pace_count);
    result->before_ns = pace_summarise(before, compared_all.pace_count).p50_ns;
    result->after_ns = pace_summarise(after, compared_all.pace_count).p50_ns;
    result->equal = losses->equal == losses->before_count && losses->before_count == losses->after_count;
    return true;
}

static void take_diff(struct tuner *tuner)
{
    struct buf diff = {0};
    kept_diff(&tuner->kept, tuner->trees[KEPT].from, &diff);
    tuner->result->diff = str_copy(tuner->arena, buf_str(&diff));
    tuner->result->file_count = tuner->kept.count;
    tuner->result->files = arena_array(tuner->arena, tuner->kept.count, sizeof *tuner->result->files);
    if (tuner->kept.count)
        memcpy(tuner->result->files, tuner->kept.at, tuner->kept.count * sizeof *tuner->kept.at);
    buf_free(&diff);
}

bool tune_run(const struct tune_options *options, struct arena *arena, struct tune_result *result,
              struct steptime_error *err)
{
    *result = (struct tune_result){.trials = arena_array(arena, MOST_TRIALS, sizeof *result->trials)};
    struct tuner tuner = {.options = options, .arena = arena, .result = result};
    tuner.until_ns = options->budget_ns ? clock_ns() + options->budget_ns : INT64_MAX;
    const bool good =
        make_copies(&tuner, err) && is_steady(&tuner, err) && try_all(&tuner, err) && measure_all(&tuner, err);
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
