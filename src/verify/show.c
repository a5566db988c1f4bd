/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "verify.h"

struct shown {
    const struct verify_options *options;
    const struct verify_result *result;
    struct report *report;
    struct arena *arena;
};

static const char *side_word(enum verify_side side)
{
    return side == VERIFY_BEFORE ? "before" : "after";
}

/* ---- is it the same? ---- */

struct losses_of_all {
    uint64_t compared, equal;
    double worst;
};

static struct losses_of_all all_losses(const struct verify_result *result)
{
    struct losses_of_all all = {0};
    for (uint32_t i = 0; i < result->check_count; i++) {
        const struct loss_comparison *losses = &result->checks[i].losses;
        all.compared += losses->before_count < losses->after_count ? losses->before_count : losses->after_count;
        all.equal += losses->equal;
        all.worst = fmax(all.worst, losses->worst);
    }
    return all;
}

static const char *verdict_of(const struct verify_result *result)
{
    if (!result->good)
        return "different";
    const struct losses_of_all all = all_losses(result);
    bool equal = all.equal == all.compared;
    for (uint32_t i = 0; i < result->check_count; i++)
        equal = equal && result->checks[i].saved.equal == result->checks[i].saved.before_count;
    return equal ? "equal" : "close";
}

static str verdict_text(const struct shown *shown)
{
    const struct losses_of_all all = all_losses(shown->result);
    const str verdict = str_of(verdict_of(shown->result));
    const unsigned long long compared = all.compared, equal = all.equal;
    const char *seeds = shown->result->check_count == 1 ? "seed" : "seeds";
    if (str_eq(verdict, S("equal")))
        return str_printf(shown->arena, "The same: %llu losses with %u %s are equal to the last bit.", compared,
                          shown->result->check_count, seeds);
    if (str_eq(verdict, S("close")))
        return str_printf(shown->arena,
                          "Within the tolerance: of %llu losses with %u %s %llu are equal to the last bit, and none is "
                          "further off than %.3g of its value.",
                          compared, shown->result->check_count, seeds, equal, all.worst);
    return S("Not the same: see the findings.");
}

static void show_verdict(const struct shown *shown)
{
    const struct losses_of_all all = all_losses(shown->result);
    const struct record *first = &shown->result->first[VERIFY_BEFORE];
    struct section *section = report_section(shown->report, "same", "Is it the same training?");
    section_text(section, verdict_text(shown));
    section_value(section, "verdict", "verdict", UNIT_NONE, cell_text(str_of(verdict_of(shown->result))));
    section_value(section, "losses", "losses compared", UNIT_COUNT, cell_int((int64_t)all.compared));
    section_value(section, "equal_losses", "equal to the last bit", UNIT_COUNT, cell_int((int64_t)all.equal));
    section_value(section, "seeds", "seeds", UNIT_COUNT, cell_int(shown->result->check_count));
    section_value(section, "torch", "PyTorch", UNIT_NONE, cell_text_or_null(first->torch));
    section_value(section, "device", "device", UNIT_NONE, cell_text(first->device.len ? first->device : S("cpu")));
}

static const struct column_spec losses_columns[] = {
    {"seed", "seed", UNIT_NONE, 0, "the seed"},
    {"before_losses", "losses before", UNIT_COUNT, 0, "losses of the script before"},
    {"after_losses", "after", UNIT_COUNT, 0, "losses of the script after; other numbers are a difference"},
    {"equal_losses", "equal", UNIT_COUNT, 0, "pairs that are equal to the last bit"},
    {"worst_relative", "most off", UNIT_NONE, COLUMN_DETAIL,
     "greatest |a - b| / max(|a|, |b|) of a pair; null where one of them is not finite"},
    {"first_step", "first that differs", UNIT_NONE, 0, "the first pair that does not agree, counted from 1"},
    {"before", "before", UNIT_NONE, COLUMN_DETAIL, "value of the script before in that pair"},
    {"after", "after", UNIT_NONE, COLUMN_DETAIL, "value of the script after in that pair"},
    {"relative", "relative difference", UNIT_NONE, COLUMN_DETAIL, "relative difference of that pair"},
    {0},
};

static void show_losses(const struct shown *shown)
{
    struct section *section = report_section(shown->report, "same", "");
    struct table *table = section_table(section, "losses", "");
    table_columns(table, losses_columns);
    for (uint32_t i = 0; i < shown->result->check_count; i++) {
        const struct verify_check *check = &shown->result->checks[i];
        const struct loss_comparison *losses = &check->losses;
        const bool differs = losses->first != COMPARE_NONE;
        table_row(table);
        table_int(table, check->seed);
        table_int(table, losses->before_count);
        table_int(table, losses->after_count);
        table_int(table, losses->equal);
        table_real(table, losses->worst);
        table_cell(table, differs ? cell_int(losses->first + 1) : cell_null());
        table_cell(table, differs ? cell_real(losses->before) : cell_null());
        table_cell(table, differs ? cell_real(losses->after) : cell_null());
        table_cell(table, differs ? cell_real(losses->relative) : cell_null());
    }
}

static const struct column_spec saved_columns[] = {
    {"seed", "seed", UNIT_NONE, 0, "the seed"},
    {"before_tensors", "tensors before", UNIT_COUNT, 0, "tensors and numbers saved by the script before"},
    {"after_tensors", "after", UNIT_COUNT, 0, "tensors and numbers saved by the script after"},
    {"equal_tensors", "equal", UNIT_COUNT, 0, "pairs with the same place, size and bits"},
    {"worst_relative", "most off", UNIT_NONE, COLUMN_DETAIL,
     "greatest |a - b| / max(|a|, |b|) of a pair; null where one of them is not finite"},
    {"first_tensor", "first that differs", UNIT_NONE, COLUMN_WIDE, "the place of the first pair that does not agree"},
    {0},
};

static void show_saved(const struct shown *shown)
{
    struct section *section = report_section(shown->report, "same", "");
    struct table *table = section_table(section, "saved", "What is saved");
    table_columns(table, saved_columns);
    for (uint32_t i = 0; i < shown->result->check_count; i++) {
        const struct saved_comparison *saved = &shown->result->checks[i].saved;
        table_row(table);
        table_int(table, shown->result->checks[i].seed);
        table_int(table, saved->before_count);
        table_int(table, saved->after_count);
        table_int(table, saved->equal);
        table_real(table, saved->worst);
        table_cell(table, cell_text_or_null(saved->first));
    }
}

/* ---- how much faster? ---- */

static const struct column_spec pace_columns_2[] = {
    {"steps", "steps", UNIT_COUNT, 0, "steps behind the warm-up"},
    {"p10_ns", "p10", UNIT_NS, 0, "10th percentile of their times"},
    {"p50_ns", "p50", UNIT_NS, 0, "median of their times"},
    {"p90_ns", "p90", UNIT_NS, 0, "90th percentile of their times"},
    {"mean_ns", "mean", UNIT_NS, 0, "mean of their times"},
    {0},
};

static void pace_columns(struct table *table)
{
    table_columns(table, pace_columns_2);
}

static void pace_cells(struct table *table, const struct pace_summary *summary)
{
    table_int(table, (int64_t)summary->steps);
    table_real(table, summary->p10_ns);
    table_real(table, summary->p50_ns);
    table_real(table, summary->p90_ns);
    table_real(table, summary->mean_ns);
}

static const struct column_spec scripts_columns[] = {
    {"script", "script", UNIT_NONE, 0, "before or after"},
    {"file", "file", UNIT_NONE, COLUMN_WIDE, "as named on the command line, or the command"},
    {"runs", "runs", UNIT_COUNT, 0, "timed runs"},
    {0},
};

static void show_scripts(const struct shown *shown, struct section *section)
{
    struct table *table = section_table(section, "scripts", "A step of each");
    table_columns(table, scripts_columns);
    pace_columns(table);
    for (int side = 0; side < VERIFY_SIDES; side++) {
        const struct pace_summary summary = pace_summarise(shown->result->paces[side], shown->result->pace_count);
        table_row(table);
        table_text(table, str_of(side_word((enum verify_side)side)));
        table_text(table, shown->options->scripts[side].name);
        table_int(table, summary.runs);
        pace_cells(table, &summary);
    }
}

static const struct column_spec runs_columns[] = {
    {"repetition", "repetition", UNIT_NONE, 0, "of the run, counted from 1"},
    {"script", "script", UNIT_NONE, 0, "before or after"},
    {0},
};

static void show_runs(const struct shown *shown, struct section *section)
{
    struct table *table = section_table(section, "runs", "Each run");
    table_json_only(table);
    table_columns(table, runs_columns);
    pace_columns(table);
    for (uint32_t i = 0; i < shown->result->pace_count; i++)
        for (int side = 0; side < VERIFY_SIDES; side++) {
            const struct pace_summary summary = pace_summarise(&shown->result->paces[side][i], 1);
            table_row(table);
            table_int(table, i + 1);
            table_text(table, str_of(side_word((enum verify_side)side)));
            pace_cells(table, &summary);
        }
}

void verify_show_tables(struct report *report)
{
    struct section *const section = report_section(report, "same", "");
    table_columns(section_table(section, "losses", ""), losses_columns);
    table_columns(section_table(section, "saved", ""), saved_columns);
    struct table *const scripts = section_table(section, "scripts", ""), *const runs =
                                                                             section_table(section, "runs", "");
    table_columns(scripts, scripts_columns);
    pace_columns(scripts);
    table_columns(runs, runs_columns);
    pace_columns(runs);
}

/* What would tell: repetitions, and how many steps more that is. */
static str more_text(const struct shown *shown, const struct pace_ratio *ratio)
{
    const uint32_t runs = shown->result->pace_count;
    const uint64_t steps = pace_summarise(shown->result->paces[VERIFY_BEFORE], runs).steps;
    if (!ratio->would_tell)
        return S("No number of runs that is worth waiting for would tell so small a difference from this noise.");
    return str_printf(shown->arena, "About %llu more steps of each would, four times of five: --repeat %u.",
                      (unsigned long long)(steps * (ratio->would_tell - runs) / runs + 1), ratio->would_tell);
}

static str pace_text(const struct shown *shown, const struct pace_ratio *ratio)
{
    if (ratio->verdict == PACE_UNKNOWN)
        return str_printf(shown->arena,
                          "%.2f times as fast, step by step, in one pair of runs; how runs vary it does not show: see "
                          "--repeat.",
                          ratio->paired);
    if (ratio->verdict == PACE_NOISY)
        return str_printf(shown->arena,
                          "Too noisy to tell: step by step between %.2f and %.2f times as fast (95 %%). %s", ratio->low,
                          ratio->high, more_text(shown, ratio).at);
    return str_printf(shown->arena,
                      "%.2f times as fast, step by step; between %.2f and %.2f with 95 %% confidence, over %u pairs of "
                      "runs.",
                      ratio->paired, ratio->low, ratio->high, shown->result->pace_count);
}

static str pace_word(const struct pace_ratio *ratio)
{
    static const char *const words[] = {
        [PACE_FASTER] = "faster", [PACE_SLOWER] = "slower", [PACE_NOISY] = "too noisy", [PACE_UNKNOWN] = "unknown"};
    return str_of(words[ratio->verdict]);
}

static str clock_word(bool processor)
{
    return processor ? S("processor time") : S("the clock");
}

static struct pace_ratio show_pace(const struct shown *shown)
{
    const struct verify_result *result = shown->result;
    const struct pace_ratio ratio =
        pace_compare(result->paces[VERIFY_BEFORE], result->paces[VERIFY_AFTER], result->pace_count);
    struct section *section = report_section(shown->report, "pace", "How much faster is it?");
    section_text(section, pace_text(shown, &ratio));
    const bool has_interval = ratio.verdict != PACE_UNKNOWN;
    section_value(section, "clock", "timed by", UNIT_NONE, cell_text(clock_word(shown->options->processor)));
    section_value(section, "pace_verdict", "the second is", UNIT_NONE, cell_text(pace_word(&ratio)));
    section_value(section, "paired", "times as fast, paired", UNIT_NONE, cell_real(ratio.paired));
    section_value(section, "paired_low", "at least (95 %)", UNIT_NONE,
                  has_interval ? cell_real(ratio.low) : cell_null());
    section_value(section, "paired_high", "at most (95 %)", UNIT_NONE,
                  has_interval ? cell_real(ratio.high) : cell_null());
    section_value(section, "ratio", "by the medians", UNIT_NONE, cell_real(ratio.ratio));
    section_value(section, "ratio_of_means", "by the means", UNIT_NONE, cell_real(ratio.of_means));
    section_value(section, "ratio_p10", "p10 of step pairs", UNIT_NONE, cell_real(ratio.p10));
    section_value(section, "ratio_p90", "p90 of step pairs", UNIT_NONE, cell_real(ratio.p90));
    show_scripts(shown, section);
    show_runs(shown, section);
    return ratio;
}

/* ---- findings ---- */

static void say(const struct shown *shown, const char *rule, enum severity severity, int64_t seed, str message)
{
    const struct finding finding = {
        .id = str_printf(shown->arena, "%s-seed%lld", rule, (long long)seed),
        .rule = str_of(rule),
        .severity = severity,
        .message = message,
        .file = shown->options->scripts[VERIFY_AFTER].name,
        .per_step_host_blocked_ns = -1,
        .per_step_saving_ns = -1,
    };
    report_finding(shown->report, &finding);
}

static void say_losses(const struct shown *shown, const struct verify_check *check)
{
    const struct loss_comparison *losses = &check->losses;
    const char *by_itself =
        shown->result->first_is_restless ? " The script before differs from itself with the same seed as well." : "";
    if (losses->first != COMPARE_NONE)
        say(shown, "VF101", SEVERITY_ERROR, check->seed,
            str_printf(shown->arena,
                       "With seed %lld loss %lld is %.9g before and %.9g after: off by %.3g of its value.%s",
                       (long long)check->seed, (long long)losses->first + 1, losses->before, losses->after,
                       losses->relative, by_itself));
    if (losses->before_count != losses->after_count)
        say(shown, "VF102", SEVERITY_ERROR, check->seed,
            str_printf(shown->arena, "With seed %lld there are %u losses before and %u after.", (long long)check->seed,
                       losses->before_count, losses->after_count));
}

static void say_saved(const struct shown *shown, const struct verify_check *check)
{
    const struct saved_comparison *saved = &check->saved;
    if (!saved->agree)
        say(shown, "VF103", SEVERITY_ERROR, check->seed,
            saved->first.len
                ? str_printf(shown->arena, "With seed %lld the saved %.*s differs: off by %.3g of a value.",
                             (long long)check->seed, (int)saved->first.len, saved->first.at, saved->worst)
                : str_printf(shown->arena, "With seed %lld %u tensors are saved before and %u after.",
                             (long long)check->seed, saved->before_count, saved->after_count));
}

static void say_pace(const struct shown *shown, const struct pace_ratio *ratio)
{
    if (ratio->verdict == PACE_SLOWER)
        say(shown, "VF201", SEVERITY_WARNING, shown->options->seeds[0],
            str_printf(shown->arena,
                       "It is slower: a step after takes %.2f times as long as one before (%.2f to %.2f, 95 %%).",
                       1 / ratio->paired, 1 / ratio->high, 1 / ratio->low));
}

void verify_show(const struct verify_options *options, const struct verify_result *result, struct report *report)
{
    const struct shown shown = {options, result, report, report_arena(report)};
    report_words(report, verify_words);
    show_verdict(&shown);
    show_losses(&shown);
    if (options->saved)
        show_saved(&shown);
    for (uint32_t i = 0; i < result->check_count; i++) {
        say_losses(&shown, &result->checks[i]);
        say_saved(&shown, &result->checks[i]);
    }
    if (result->seeds_have_no_effect)
        report_warning(report, options->scripts[VERIFY_BEFORE].name, -1,
                       S("its losses are the same with every seed: it seeds itself. Hand it the seed: {seed} in its "
                         "arguments stands for it"));
    if (!result->pace_count)
        return;
    const struct pace_ratio ratio = show_pace(&shown);
    say_pace(&shown, &ratio);
}
