/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "estimator.h"
#include "history.h"

static const struct column_spec columns[] = {
    {"rule", "rule", UNIT_NONE, 0, "of the finding; all: of all together"},
    {"predicted_trials", "trials", UNIT_COUNT, 0, "rewrites that were predicted and timed"},
    {"told", "above noise", UNIT_COUNT, 0, "of them: the measured saving, or loss, stands above noise (95 %)"},
    {"median_ratio", "predicted by measured", UNIT_NONE, 0, "median over those above noise"},
    {"median_relative_error", "off by", UNIT_NONE, 0,
     "median over those above noise of |predicted - measured| by |measured|"},
    {"mean_error", "mean error", UNIT_NONE, COLUMN_DETAIL, "mean of |predicted - measured|, as a part of the step"},
    {"median_error", "median error", UNIT_NONE, 0, "median of |predicted - measured|, as a part of the step"},
    {"bias", "bias", UNIT_NONE, 0,
     "mean of predicted - measured, as a part of the step; above 0: too much is promised"},
    {"signs_right", "signs right", UNIT_COUNT, 0, "of those above noise: predicted to save and saved, or neither"},
    {"intervals", "intervals", UNIT_COUNT, COLUMN_DETAIL, "predictions that have one"},
    {"covered", "covered", UNIT_COUNT, 0, "of them: predicted and measured intervals (95 %) meet"},
    {0},
};

static struct cell known_or_null(double value)
{
    return isnan(value) ? cell_null() : cell_real(value);
}

static void show_row(struct table *table, const struct estimator_error *error)
{
    table_row(table);
    table_text(table, error->rule.len ? error->rule : S("all"));
    table_int(table, error->count);
    table_int(table, error->told);
    table_cell(table, known_or_null(error->ratio));
    table_cell(table, known_or_null(error->relative));
    table_real(table, error->mean);
    table_cell(table, known_or_null(error->median));
    table_real(table, error->bias);
    table_int(table, error->signs);
    table_int(table, error->intervals);
    table_int(table, error->covered);
}

str estimator_text(const struct estimator_error *error, struct arena *arena)
{
    if (!error->count)
        return S("Nothing was both predicted and timed: nothing can be said of the predictions.");
    if (!error->told)
        return str_printf(
            arena,
            "%u predictions, in the median off by %.2g %% of a step; no measured saving stands above noise, so "
            "no sign can be judged.",
            error->count, 100 * error->median);
    return str_printf(
        arena,
        "%u predictions, in the median off by %.2g %% of a step, of those above noise by %.0f %% of what was "
        "measured; bias %+.2g %% of a step; signs right in %u of %u; intervals meet in %u of %u.",
        error->count, 100 * error->median, 100 * error->relative, 100 * error->bias, error->signs, error->told,
        error->covered, error->intervals);
}

static const struct trial **all_trials(const struct history *history, struct arena *arena, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < history->count; i++)
        *count += history->at[i].manifest.result.count;
    const struct trial **const trials = arena_array(arena, *count, sizeof *trials);
    uint32_t at = 0;
    for (uint32_t i = 0; i < history->count; i++)
        for (uint32_t k = 0; k < history->at[i].manifest.result.count; k++)
            trials[at++] = &history->at[i].manifest.result.trials[k];
    return trials;
}

void history_show(const struct history *history, struct report *report)
{
    struct arena *const arena = report_arena(report);
    uint32_t count, rows;
    const struct trial *const *const trials = all_trials(history, arena, &count);
    const struct estimator_error *const errors = estimator_errors(trials, count, arena, &rows);
    struct section *const section = report_section(report, "history", "Predicted against measured");
    const struct estimator_error none = {.rule = S("")};
    section_text(section, estimator_text(rows ? &errors[rows - 1] : &none, arena));
    section_value(section, "runs", "runs of tune", UNIT_COUNT, cell_int(history->count));
    section_value(section, "all_trials", "trials in them", UNIT_COUNT, cell_int(count));
    struct table *const table = section_table(section, "estimator", "");
    table_columns(table, columns);
    for (uint32_t i = 0; i < rows; i++)
        show_row(table, &errors[i]);
    for (uint32_t i = 0; i < history->unused_count; i++)
        report_warning(report, S(""), -1, history->unused[i]);
}
