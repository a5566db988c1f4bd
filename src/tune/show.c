/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "estimator.h"

const char *const outcome_words[OUTCOMES + 1] = {
    [TRIED_KEPT] = "kept",
    [TRIED_SLOWER] = "slower",
    [TRIED_NO_GAIN] = "no gain above noise",
    [TRIED_DIFFERS] = "other losses",
    [TRIED_FAILED] = "fails",
    [TRIED_UNMADE] = "could not be made",
    [TRIED_NOT] = "no time left",
    [TRIED_OTHER] = "other training, not kept",
};

static const struct column_spec trials_columns[] = {
    {"rule", "rule", UNIT_NONE, 0, "the rule of the finding; of --try the setting"},
    {"place", "place", UNIT_NONE, COLUMN_WIDE,
     "file, below the root of what is tuned, and line of the finding when it was tried; of a setting where its loader or "
     "optimizer is made"},
    {"kind", "kind", UNIT_NONE, 0, "safe: no loss may change by a bit; unsafe: within the tolerance"},
    {"predicted_ns", "predicted", UNIT_NS, 0,
     "what the trace says that a step saves, of the step before; null where it says nothing"},
    {"predicted_low_ns", "at least", UNIT_NS, COLUMN_DETAIL, "95 % interval of that; null of a trace with a device"},
    {"predicted_high_ns", "at most", UNIT_NS, COLUMN_DETAIL, "95 % interval of that; null of a trace with a device"},
    {"measured_ns", "measured", UNIT_NS, 0,
     "what a step saved: the median step before, less the same over times_as_fast"},
    {"measured_low_ns", "at least", UNIT_NS, COLUMN_DETAIL, "95 % interval of that"},
    {"measured_high_ns", "at most", UNIT_NS, COLUMN_DETAIL, "95 % interval of that"},
    {"times_as_fast", "times as fast", UNIT_NONE, 0, "the step with it, paired, as verify measures it"},
    {"low", "at least", UNIT_NONE, 0, "95 % interval of that"},
    {"high", "at most", UNIT_NONE, 0, "95 % interval of that"},
    {"outcome", "outcome", UNIT_NONE, 0, "kept: it is faster by more than noise; else why not"},
    {0},
};

static struct cell real_or_null(double value)
{
    return value > 0 ? cell_real(value) : cell_null();
}

static struct cell known_or_null(double value)
{
    return isnan(value) ? cell_null() : cell_real(value);
}

static str outcome_text(const struct trial *trial, struct arena *arena)
{
    const char *const word = outcome_words[trial->outcome];
    return trial->why.len ? str_printf(arena, "%s: %.*s", word, (int)trial->why.len, trial->why.at) : str_of(word);
}

/* Below the root. */
static str place_text(const struct tune_result *result, const struct rewrite *rewrite, struct arena *arena)
{
    const str root = result->root;
    const bool below = root.len && str_starts(rewrite->path, root) && rewrite->path.len > root.len;
    const str path = below ? str_from(rewrite->path, root.len + 1) : rewrite->path;
    return rewrite->line ? str_printf(arena, "%.*s:%lld", (int)path.len, path.at, (long long)rewrite->line) : path;
}

static void show_trial(const struct tune_result *result, const struct trial *trial, struct table *table,
                       struct arena *arena)
{
    const struct rewrite *const rewrite = &trial->rewrite;
    const bool timed = trial->pace.paired > 0;
    table_row(table);
    table_text(table, trial->setting.len ? trial->setting : trial->id);
    table_text(table, place_text(result, rewrite, arena));
    table_text(table, rewrite->kind == FIX_SAFE ? S("safe") : S("unsafe"));
    const struct prediction predicted = trial_predicted(trial);
    table_cell(table, known_or_null(predicted.ns));
    table_cell(table, known_or_null(predicted.low_ns));
    table_cell(table, known_or_null(predicted.high_ns));
    table_cell(table, timed ? cell_real(trial_saved_ns(trial, trial->pace.paired)) : cell_null());
    table_cell(table, trial->pace.low > 0 ? cell_real(trial_saved_ns(trial, trial->pace.low)) : cell_null());
    table_cell(table, trial->pace.high > 0 ? cell_real(trial_saved_ns(trial, trial->pace.high)) : cell_null());
    table_cell(table, real_or_null(trial->pace.paired));
    table_cell(table, real_or_null(trial->pace.low));
    table_cell(table, real_or_null(trial->pace.high));
    table_text(table, outcome_text(trial, arena));
}

static bool ran_out(const struct tune_result *result)
{
    for (uint32_t i = 0; i < result->count; i++)
        if (result->trials[i].outcome == TRIED_NOT)
            return true;
    return result->settings_left;
}

/* What a person does next. */
static str next_text(const struct tune_result *result, struct arena *arena)
{
    const struct rewrite *const by_hand = &result->by_hand;
    if (ran_out(result))
        return str_printf(arena, "Time ran out: 'steptime tune --resume %s --budget ...' tries the others.",
                          result->folder);
    if (result->file_count && !result->written)
        return str_printf(
            arena,
            "Next: look at %s/tune.diff; 'steptime tune --resume %s --write' puts it into your files, with nothing "
            "run again.",
            result->folder, result->folder);
    if (result->unsafe_left || result->settings_unsafe)
        return str_printf(
            arena,
            "Next: %u more %s%s may change results within rounding, or random streams: --unsafe tries them, "
            "against --rtol.",
            result->unsafe_left + result->settings_unsafe, result->unsafe_left ? "rewrite" : "setting",
            result->unsafe_left + result->settings_unsafe == 1 ? "" : "s");
    if (by_hand->rule)
        return str_printf(arena, "Next, by hand: %s (%s) would save about %.2g ms of a step of %.3g: %.*s.",
                          place_text(result, by_hand, arena).at, by_hand->rule->id, by_hand->predicted.ns / 1e6,
                          by_hand->predicted.step_ns / 1e6, (int)by_hand->message.len, by_hand->message.at);
    if (result->written)
        return S("Next: commit what was written.");
    return S(
        "Next: 'steptime summary' of the trace in the folder says what bounds the step, since moving data does not.");
}

static uint32_t count_rewrites(const struct tune_result *result)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->count; i++)
        count += !result->trials[i].setting.len;
    return count;
}

/* "2 of 5 rewrites and 1 of 3 settings" */
static str counts_text(const struct tune_result *result, struct arena *arena)
{
    const uint32_t rewrites = count_rewrites(result), settings = result->count - rewrites;
    const str first = str_printf(arena, "%u of %u rewrites", result->kept, rewrites);
    const str second = str_printf(arena, "%u of %u settings", result->settings_kept, settings);
    if (!settings)
        return first;
    return rewrites ? str_printf(arena, "%s and %s", first.at, second.at) : second;
}

static str total_text(const struct tune_result *result, struct arena *arena)
{
    const char *const counts = counts_text(result, arena).at;
    if (!result->count)
        return S("There is nothing to rewrite: lint finds no data movement that it can mend.");
    if (!result->kept && !result->settings_kept)
        return str_printf(
            arena, "%s kept: none that was tried makes the step faster by more than noise; nothing changes.", counts);
    return str_printf(arena,
                      "%s kept: the step is %.2f times as fast (%.2f to %.2f, 95 %%), %.3g ms instead of "
                      "%.3g; the losses are %s.",
                      counts, result->total.paired, result->total.low, result->total.high, result->after_ns / 1e6,
                      result->before_ns / 1e6, result->equal ? "equal to the last bit" : "equal within the tolerance");
}

/* ---- settings ---- */

/* A later one of the same name and loader holds. */
static bool is_superseded(const struct tune_result *result, uint32_t i)
{
    const struct trial *const trial = &result->trials[i];
    for (uint32_t k = i + 1; k < result->count; k++)
        if (result->trials[k].outcome == TRIED_KEPT && result->trials[k].loader == trial->loader &&
            result->trials[k].setting.len && str_eq(result->trials[k].id, trial->id))
            return true;
    return false;
}

/* "num_workers=2 in the loader of train.py:12" */
static str setting_text(const struct tune_result *result, const struct trial *trial, struct arena *arena)
{
    const str where = trial->rewrite.line ? place_text(result, &trial->rewrite, arena) : S("a library");
    return str_printf(arena, "%.*s in the %s that %s makes", (int)trial->setting.len, trial->setting.at,
                      trial->loader < 0 ? "optimizer" : "loader", where.at);
}

/* Of those that a file holds, or of the others. */
static str kept_settings(const struct tune_result *result, bool in_files, struct arena *arena)
{
    str all = S("");
    for (uint32_t i = 0; i < result->count; i++) {
        const struct trial *const trial = &result->trials[i];
        if (trial->setting.len && trial->outcome == TRIED_KEPT && (trial->after.count > 0) == in_files &&
            !is_superseded(result, i))
            all = str_printf(arena, "%s%s%s", all.at, all.len ? "; " : "", setting_text(result, trial, arena).at);
    }
    return all;
}

static void show_kept_settings(const struct tune_result *result, struct section *section, struct arena *arena)
{
    const str inside = kept_settings(result, true, arena), outside = kept_settings(result, false, arena);
    if (inside.len)
        section_text(section, str_printf(arena, "Settings that pay, in the diff: %s.", inside.at));
    if (outside.len)
        section_text(section,
                     str_printf(arena, "Settings that pay, which no file of yours holds yet: write %s.", outside.at));
}

static void show_settings(const struct tune_result *result, struct section *section, struct arena *arena)
{
    show_kept_settings(result, section, arena);
    if (result->settings_unseen)
        section_text(section,
                     S("Steps wait for a loader. What its workers change the time of processors does not show: "
                       "try it without --processor-time."));
    section_value(section, "settings_tried", "settings", UNIT_COUNT, cell_int(result->count - count_rewrites(result)));
    section_value(section, "settings_kept", "of these, kept", UNIT_COUNT, cell_int(result->settings_kept));
}

/* How far off the predictions of this run were. */
static void show_estimator(const struct tune_result *result, struct section *section, struct arena *arena)
{
    const struct trial **const trials = arena_array(arena, result->count, sizeof *trials);
    for (uint32_t i = 0; i < result->count; i++)
        trials[i] = &result->trials[i];
    const struct estimator_error error = estimator_error_of(trials, result->count, S(""));
    section_value(section, "predicted_trials", "predicted and timed", UNIT_COUNT, cell_int(error.count));
    section_value(section, "median_error", "predictions off by, of a step", UNIT_NONE, known_or_null(error.median));
    section_value(section, "bias", "their bias, of a step", UNIT_NONE,
                  error.count ? cell_real(error.bias) : cell_null());
    if (error.count)
        section_text(section, estimator_text(&error, arena));
}

void tune_show(const struct tune_result *result, bool processor, struct report *report)
{
    struct arena *const arena = report_arena(report);
    struct section *const section = report_section(report, "tune", "What was tried");
    section_text(section, total_text(result, arena));
    if (processor)
        section_text(section,
                     S("Steps were timed by the processor time of the process, not by the clock: waits and other "
                       "processes, as workers of a loader, are not in it."));
    section_value(section, "tried", "rewrites", UNIT_COUNT, cell_int(count_rewrites(result)));
    section_value(section, "kept", "kept", UNIT_COUNT, cell_int(result->kept));
    section_value(section, "times_as_fast", "times as fast", UNIT_NONE, real_or_null(result->total.paired));
    section_value(section, "low", "at least (95 %)", UNIT_NONE, real_or_null(result->total.low));
    section_value(section, "high", "at most (95 %)", UNIT_NONE, real_or_null(result->total.high));
    section_value(section, "before_ns", "a step before", UNIT_NS, real_or_null(result->before_ns));
    section_value(section, "after_ns", "a step after", UNIT_NS, real_or_null(result->after_ns));
    show_settings(result, section, arena);
    show_estimator(result, section, arena);
    section_text(section, next_text(result, arena));
    struct table *const table = section_table(section, "trials", "");
    table_columns(table, trials_columns);
    for (uint32_t i = 0; i < result->count; i++)
        show_trial(result, &result->trials[i], table, arena);
}

void tune_show_tables(struct report *report)
{
    table_columns(section_table(report_section(report, "tune", ""), "trials", ""), trials_columns);
}
