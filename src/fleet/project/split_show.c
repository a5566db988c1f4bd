/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "split.h"
#include "split_rows.h"
#include "fleet/step/cluster_show.h"
#include "fleet/population/population_show.h"
#include "row_stream.h"
#include "fleet/table/table_show.h"
#include "fleet/population/weights.h"

static const char *const part_ids[PARTS] = {"input_share", "compute_bound_share", "memory_bound_share", "weight_share",
                                            "bubble_share"};
static const char *const part_titles[PARTS] = {"input", "compute-bound", "memory-bound", "weights", "bubble"};

/* The bubble is shown where there is one. */
static int parts_shown(const struct split *split)
{
    return population_mean(split->by_architecture, POPULATION_ALL, SHARE_OF_PART + PART_BUBBLE, WEIGHT_JOB) > 0
               ? PARTS
               : PART_BUBBLE;
}

/* ---- head ---- */

static str percent(struct arena *arena, double share)
{
    return isnan(share) ? S("-") : str_printf(arena, "%.3g %%", 100 * share);
}

static str summary_text(const struct split *split, struct arena *arena)
{
    const struct population *all = split->by_architecture;
    str share[WEIGHTS];
    for (int i = 0; i < WEIGHTS; i++)
        share[i] = percent(arena, population_mean(all, POPULATION_ALL, SHARE_OF_PART + PART_WEIGHT, (enum weight)i));
    return str_printf(
        arena,
        "Weights and gradients on their way take %.*s of a step in the mean over jobs, %.*s over GPUs, and "
        "%.*s over GPU-time.",
        (int)share[0].len, share[0].at, (int)share[1].len, share[1].at, (int)share[2].len, share[2].at);
}

static void show_measured(const struct split *split, struct section *section)
{
    const struct split_sums *sums = &split->sums;
    if (!sums->measured)
        return;
    struct population *all = split->by_architecture;
    section_value(section, "measured", "measured jobs", UNIT_COUNT, cell_int((int64_t)sums->measured));
    section_value(section, "error", "modelled step, off by (mean)", UNIT_RATIO,
                  cell_real(population_mean(all, POPULATION_ALL, ERROR_RATIO, WEIGHT_JOB)));
    section_value(section, "median_error", "(median)", UNIT_RATIO,
                  cell_real(population_quantile(all, POPULATION_ALL, ERROR_RATIO, WEIGHT_JOB, 0.5)));
    section_value(section, "bias", "(signed)", UNIT_RATIO, cell_real(sums->signed_error / (double)sums->measured));
    section_value(section, "mfu", "model FLOPs utilisation, by GPU-time", UNIT_RATIO,
                  cell_real(population_mean(all, POPULATION_ALL, MFU, WEIGHT_GPU_TIME)));
    section_value(section, "program_goodput", "roofline's ideal over measured step, by GPU-time", UNIT_RATIO,
                  cell_real(population_mean(all, POPULATION_ALL, PROGRAM_GOODPUT, WEIGHT_GPU_TIME)));
}

static void show_productive(const struct split *split, struct section *section)
{
    const double mean = population_mean(split->by_architecture, POPULATION_ALL, PRODUCTIVE, WEIGHT_GPU_TIME);
    if (!isnan(mean))
        section_value(section, "productive", "productive over wall time, by GPU-time", UNIT_RATIO, cell_real(mean));
}

static void show_head(const struct split *split, const struct split_asked *asked, const struct job_table_result *told,
                      struct report *report)
{
    const struct split_sums *sums = &split->sums;
    struct population *all = split->by_architecture;
    struct section *section = report_section(report, "fleet", "Where the time of a step goes");
    if (population_count(all, POPULATION_ALL, STEP_MS))
        section_text(section, summary_text(split, report_arena(report)));
    else if (sums->jobs)
        section_text(section,
                     S("No job tells what it computes and moves, nor how long a step takes: what follows is who "
                       "there is, not where time goes."));
    if (sums->too_fast)
        section_text(section,
                     str_printf(report_arena(report),
                                "%llu measured steps are shorter than their arithmetic takes at the hardware's "
                                "peak: other hardware, another precision or another unit. They are not in the "
                                "mean of utilisation.",
                                (unsigned long long)sums->too_fast));
    if (sums->without_duration && sums->without_duration < sums->jobs)
        section_text(section,
                     str_printf(report_arena(report),
                                "%llu of the jobs have no duration_s: by GPU-time they weigh as one step of theirs.",
                                (unsigned long long)sums->without_duration));
    section_value(section, "jobs", "jobs", UNIT_COUNT, cell_int((int64_t)sums->jobs));
    section_value(section, "cnodes", "cNodes", UNIT_COUNT, cell_count(sums->cnodes));
    section_value(section, "dropped", "rows dropped", UNIT_COUNT, cell_int((int64_t)told->dropped.count));
    section_value(section, "hardware", "hardware", UNIT_NONE,
                  cell_text(asked->cluster ? asked->cluster->name : S("of each job's row")));
    section_value(section, "step_ms", "step, median job", UNIT_MS,
                  cell_real(population_quantile(all, POPULATION_ALL, STEP_MS, WEIGHT_JOB, 0.5)));
    section_value(section, "quantile_error", "quantiles off by at most", UNIT_RATIO,
                  cell_real(population_is_exact(all) ? 0 : POPULATION_ERROR));
    show_measured(split, section);
    show_productive(split, section);
}

/* ---- shares ---- */

static void put_shares(struct table *table, const struct population *population, uint32_t group, int parts)
{
    for (int by = 0; by < WEIGHTS; by++) {
        table_row(table);
        table_text(table, group_word(population, group));
        table_text(table, weight_word((enum weight)by));
        table_int(table, (int64_t)population_count(population, group, STEP_MS));
        for (int part = 0; part < parts; part++)
            table_real(table, population_mean(population, group, SHARE_OF_PART + (uint32_t)part, (enum weight)by));
    }
}

static const struct column_spec share_columns_2[] = {
    {"by", "by", UNIT_NONE, COLUMN_WORDS, "what a job weighs: 1, its GPUs, or its GPU-time"},
    {"jobs", "jobs", UNIT_COUNT, 0, "jobs"},
    {0},
};

static void share_columns(struct table *table, const char *group, int parts)
{
    table_column(table, (struct column_spec){"group", group, UNIT_NONE, COLUMN_WIDE, "group of jobs"});
    table_columns(table, share_columns_2);
    for (int part = 0; part < parts; part++)
        table_column(table, (struct column_spec){part_ids[part], part_titles[part], UNIT_RATIO,
                                                 part == PART_WEIGHT ? COLUMN_BAR : 0,
                                                 "weighted mean of the part's share of the step"});
}

static void show_shares(const struct population *population, int parts, struct section *section, const char *id,
                        const char *title)
{
    struct table *table = section_table(section, id, "");
    share_columns(table, title, parts);
    put_shares(table, population, POPULATION_ALL, parts);
    for (uint32_t i = 0; i < population_group_count(population); i++)
        put_shares(table, population, i, parts);
}

static void show_mix(const struct split *split, struct report *report)
{
    static const char *const ids[WEIGHTS] = {"job", "gpu", "gpu_time"};
    static const char *const titles[WEIGHTS] = {"by job", "by GPU", "by GPU-time"};
    struct section *section = report_section(report, "mix", "The parts of all steps together");
    struct table *table = section_table(section, "mix", "");
    table_column(table, (struct column_spec){"part", "part", UNIT_NONE, 0, "part of the step"});
    for (int by = 0; by < WEIGHTS; by++)
        table_column(table, (struct column_spec){ids[by], titles[by], UNIT_RATIO, COLUMN_BAR,
                                                 "mean of the part's share of the step, jobs weighed so"});
    for (int part = 0; part < parts_shown(split); part++) {
        table_row(table);
        table_text(table, str_of(part_titles[part]));
        for (int by = 0; by < WEIGHTS; by++)
            table_real(table, population_mean(split->by_architecture, POPULATION_ALL, SHARE_OF_PART + (uint32_t)part,
                                              (enum weight)by));
    }
    section_page_figure(section, "mix_by_job", FIGURE_BAR, "mix", "part", "job");
    section_page_figure(section, "mix_by_gpu", FIGURE_BAR, "mix", "part", "gpu");
    section_page_figure(section, "mix_by_gpu_time", FIGURE_BAR, "mix", "part", "gpu_time");
}

/* ---- who there is ---- */

static void put_crowd(struct table *table, const struct population *population, uint32_t group)
{
    table_row(table);
    table_text(table, group_word(population, group));
    table_int(table, (int64_t)population_count(population, group, CNODES));
    for (int by = 0; by < WEIGHTS; by++) {
        const double all = population_weight(population, POPULATION_ALL, CNODES, (enum weight)by);
        table_real(table, all > 0 ? population_weight(population, group, CNODES, (enum weight)by) / all : NAN);
    }
    table_real(table, population_mean(population, group, CNODES, WEIGHT_JOB));
}

static const struct column_spec crowd_columns[] = {
    {"jobs", "jobs", UNIT_COUNT, COLUMN_SUM, "jobs"},
    {"job_share", "of the jobs", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "the group's share of all jobs"},
    {"gpu_share", "of the GPUs", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "the group's share of all GPUs"},
    {"gpu_time_share", "of GPU-time", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "the group's share of all GPU-time"},
    {"mean_cnodes", "cNodes, mean", UNIT_NONE, 0, "mean of the computing nodes of its jobs"},
    {0},
};

static void show_crowd(const struct population *population, const char *id, const char *title, struct report *report)
{
    struct section *section = report_section(report, id, str_printf(report_arena(report), "Jobs by %s", title).at);
    struct table *table = section_table(section, id, "");
    table_column(table, (struct column_spec){"group", title, UNIT_NONE, COLUMN_WIDE, "group of jobs"});
    table_columns(table, crowd_columns);
    for (uint32_t i = 0; i < population_group_count(population); i++)
        put_crowd(table, population, i);
}

/* ---- bottlenecks ---- */

static double weight_of(const double longest[PARTS][WEIGHTS], int by)
{
    double sum = 0;
    for (int part = 0; part < PARTS; part++)
        sum += longest[part][by];
    return sum;
}

static void put_bottleneck(struct table *table, enum architecture architecture, const double longest[PARTS][WEIGHTS],
                           int by, int parts)
{
    const double sum = weight_of(longest, by);
    table_row(table);
    table_text(table, architecture_word(architecture));
    table_text(table, weight_word((enum weight)by));
    for (int part = 0; part < parts; part++)
        table_real(table, sum > 0 ? longest[part][by] / sum : NAN);
}

static const struct column_spec bottlenecks_columns[] = {
    {"architecture", "architecture", UNIT_NONE, 0, "training architecture of the jobs"},
    {"by", "by", UNIT_NONE, COLUMN_WORDS, "what a job weighs: 1, its GPUs, or its GPU-time"},
    {0},
};

static void show_bottlenecks(const struct split *split, struct report *report)
{
    const int parts = parts_shown(split);
    struct section *section = report_section(report, "bottlenecks", "The longest part of the step");
    struct table *table = section_table(section, "bottlenecks", "");
    table_columns(table, bottlenecks_columns);
    for (int part = 0; part < parts; part++)
        table_column(table, (struct column_spec){part_ids[part], part_titles[part], UNIT_RATIO, COLUMN_BAR,
                                                 "share of the weight of jobs whose longest part it is"});
    for (int i = 0; i < ARCHITECTURES; i++)
        for (int by = 0; by < WEIGHTS; by++)
            if (weight_of(split->sums.longest[i], WEIGHT_JOB) > 0)
                put_bottleneck(table, (enum architecture)i, split->sums.longest[i], by, parts);
}

/* ---- distributions ---- */

static const struct shown_value shown[] = {
    {SHARE_OF_PART + PART_INPUT, "input", "input", UNIT_RATIO, 1},
    {SHARE_OF_PART + PART_COMPUTE_BOUND, "compute_bound", "compute-bound", UNIT_RATIO, 1},
    {SHARE_OF_PART + PART_MEMORY_BOUND, "memory_bound", "memory-bound", UNIT_RATIO, 1},
    {SHARE_OF_PART + PART_WEIGHT, "weight", "weights", UNIT_RATIO, 1},
    {SHARE_OF_PART + PART_BUBBLE, "bubble", "pipeline bubble", UNIT_RATIO, 1},
    {STEP_MS, "step_ms", "step, ms", UNIT_NONE, NAN},
    {CNODES, "cnodes", "cNodes", UNIT_COUNT, NAN},
    {MFU, "mfu", "model FLOPs utilisation", UNIT_RATIO, NAN},
    {PROGRAM_GOODPUT, "program_goodput", "ideal over measured step", UNIT_RATIO, NAN},
    {PRODUCTIVE, "productive", "productive over wall time", UNIT_RATIO, NAN},
    {ERROR_RATIO, "error", "error of the modelled step", UNIT_RATIO, NAN},
};

static void show_distributions(const struct split *split, struct report *report)
{
    struct section *section = report_section(report, "distributions", "Jobs by the share that each part takes");
    population_show_curves(split->by_architecture, shown, PART_BUBBLE, section, report_arena(report));
    population_show_quantiles(split->by_architecture, shown, sizeof shown / sizeof *shown, "quantiles", section);
    if (split->by_group)
        population_show_quantiles(split->by_group, shown, sizeof shown / sizeof *shown, "group_quantiles", section);
}

/* What is told of jobs whose steps are known. */
static void show_steps(const struct split *split, struct report *report)
{
    show_mix(split, report);
    struct section *section = report_section(report, "shares", "Parts of the step by architecture");
    show_shares(split->by_architecture, parts_shown(split), section, "shares", "architecture");
    if (split->by_group) {
        section = report_section(report, "groups", "Parts of the step by group");
        show_shares(split->by_group, parts_shown(split), section, "groups", "group");
    }
    show_bottlenecks(split, report);
    show_distributions(split, report);
}

void split_show(struct split *split, const struct split_asked *asked, const struct job_table_result *told,
                struct report *report)
{
    show_head(split, asked, told, report);
    table_show_dropped(asked->table.path, told, report);
    if (!split->sums.jobs)
        return;
    show_crowd(split->by_architecture, "architectures", "architecture", report);
    if (split->by_group)
        show_crowd(split->by_group, "group_jobs", "group", report);
    if (asked->cluster)
        cluster_show(asked->cluster, "hardware", "What the jobs are taken to run on", report);
    const bool stepped = population_count(split->by_architecture, POPULATION_ALL, STEP_MS) > 0;
    if (stepped)
        show_steps(split, report);
    if (stepped && split->rows.spool)
        split_rows_show(split->rows.spool, report_section(report, "jobs", "Jobs"), report);
}
