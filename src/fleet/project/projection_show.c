/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fleet/step/cluster_show.h"
#include "fleet/population/population_show.h"
#include "projection.h"
#include "projection_rows.h"
#include "fleet/table/table_show.h"
#include "fleet/population/weights.h"

static double over(double sum, double weight)
{
    return weight > 0 ? sum / weight : NAN;
}

/* ---- head ---- */

static void say_obstacles(const struct projection_sums *sums, struct section *section, struct arena *arena)
{
    for (int i = OBSTACLE_NONE + 1; i < OBSTACLES; i++)
        if (sums->obstacles[i])
            section_text(section,
                         str_printf(arena, "%llu jobs cannot go there: %.*s.", (unsigned long long)sums->obstacles[i],
                                    (int)obstacle_word((enum obstacle)i).len, obstacle_word((enum obstacle)i).at));
}

static void say_summary(struct projection *projection, const struct projection_words *words, struct section *section,
                        struct arena *arena)
{
    struct population *all = projection->by_architecture;
    section_text(
        section,
        str_printf(arena,
                   "On %.*s %.3g %% of the jobs are faster. The mean speed-up of all is %.3g times, the median "
                   "%.3g; of %.3g %% one cNode alone is faster.",
                   (int)words->target.len, words->target.at,
                   100 * population_above(all, POPULATION_ALL, SPEEDUP, WEIGHT_JOB, 1),
                   population_mean(all, POPULATION_ALL, SPEEDUP, WEIGHT_JOB),
                   population_quantile(all, POPULATION_ALL, SPEEDUP, WEIGHT_JOB, 0.5),
                   100 * population_above(all, POPULATION_ALL, CNODE_SPEEDUP, WEIGHT_JOB, 1)));
}

static void show_head(struct projection *projection, const struct projection_words *words,
                      const struct job_table_result *told, struct report *report)
{
    struct population *all = projection->by_architecture;
    const struct projection_sums *sums = &projection->sums;
    struct section *section = report_section(report, "projection", "What jobs would gain elsewhere");
    const uint64_t there = sums->obstacles[OBSTACLE_NONE];
    if (there)
        say_summary(projection, words, section, report_arena(report));
    say_obstacles(sums, section, report_arena(report));
    section_value(section, "target", "to", UNIT_NONE, cell_text(words->target));
    section_value(section, "jobs", "jobs", UNIT_COUNT, cell_int((int64_t)sums->jobs));
    section_value(section, "projected", "projected", UNIT_COUNT, cell_int((int64_t)there));
    section_value(section, "dropped", "rows dropped", UNIT_COUNT, cell_int((int64_t)told->dropped.count));
    section_value(section, "sped_up", "jobs sped up", UNIT_RATIO,
                  cell_real(there ? population_above(all, POPULATION_ALL, SPEEDUP, WEIGHT_JOB, 1) : NAN));
    section_value(section, "cnode_sped_up", "jobs of which a cNode is sped up", UNIT_RATIO,
                  cell_real(there ? population_above(all, POPULATION_ALL, CNODE_SPEEDUP, WEIGHT_JOB, 1) : NAN));
    section_value(section, "mean_speedup", "mean speed-up", UNIT_NONE,
                  cell_real(population_mean(all, POPULATION_ALL, SPEEDUP, WEIGHT_JOB)));
    section_value(section, "median_speedup", "median speed-up", UNIT_NONE,
                  cell_real(population_quantile(all, POPULATION_ALL, SPEEDUP, WEIGHT_JOB, 0.5)));
    section_value(section, "quantile_error", "quantiles off by at most", UNIT_RATIO,
                  cell_real(population_is_exact(all) ? 0 : POPULATION_ERROR));
}

/* ---- speed-ups ---- */

static void put_speedups(struct table *table, struct population *population, uint32_t group)
{
    static const double q[] = {0.1, 0.5, 0.9};
    for (int by = 0; by < WEIGHTS; by++) {
        const enum weight weight = (enum weight)by;
        table_row(table);
        table_text(table, group_word(population, group));
        table_text(table, weight_word(weight));
        table_int(table, (int64_t)population_count(population, group, SPEEDUP));
        table_real(table, population_above(population, group, SPEEDUP, weight, 1));
        table_real(table, population_mean(population, group, SPEEDUP, weight));
        for (int i = 0; i < 3; i++)
            table_real(table, population_quantile(population, group, SPEEDUP, weight, q[i]));
        table_real(table, population_above(population, group, CNODE_SPEEDUP, weight, 1));
        table_real(table, population_mean(population, group, CNODE_SPEEDUP, weight));
    }
}

static const struct column_spec speedups_columns[] = {
    {"by", "by", UNIT_NONE, COLUMN_WORDS, "what a job weighs: 1, its GPUs, or its GPU-time"},
    {"jobs", "jobs", UNIT_COUNT, 0, "jobs"},
    {"sped_up", "sped up", UNIT_RATIO, COLUMN_BAR, "share of the projected jobs whose speed-up is above 1"},
    {"mean", "mean speed-up", UNIT_NONE, 0, "weighted mean of the speed-ups"},
    {"p10", "10 %", UNIT_NONE, 0, "speed-up at or below which 10 % of the weight lies"},
    {"p50", "median", UNIT_NONE, 0, "the same of 50 %"},
    {"p90", "90 %", UNIT_NONE, 0, "the same of 90 %"},
    {"cnode_sped_up", "cNode sped up", UNIT_RATIO, 0, "share of the projected jobs whose step is shorter there"},
    {"cnode_mean", "its mean", UNIT_NONE, 0, "weighted mean of step here / there"},
    {0},
};

static void show_speedups(struct population *population, struct section *section, const char *id, const char *title)
{
    struct table *table = section_table(section, id, "");
    table_column(table, (struct column_spec){"group", title, UNIT_NONE, COLUMN_WIDE, "group of jobs"});
    table_columns(table, speedups_columns);
    const uint32_t groups = population_group_count(population);
    if (groups != 1)
        put_speedups(table, population, POPULATION_ALL);
    for (uint32_t i = 0; i < groups; i++)
        put_speedups(table, population, i);
}

static const struct column_spec bottlenecks_columns[] = {
    {"here", "here", UNIT_NONE, COLUMN_WORDS, "the longest part of the step here"},
    {"there", "there", UNIT_NONE, COLUMN_WORDS, "the longest part there"},
    {"jobs", "jobs", UNIT_COUNT, COLUMN_SUM, "jobs"},
    {"share", "of all", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "of all projected jobs"},
    {0},
};

static void show_bottlenecks(const struct projection_sums *sums, struct report *report)
{
    struct section *section = report_section(report, "bottlenecks", "The longest part of the step, here and there");
    struct table *table = section_table(section, "bottlenecks", "");
    table_columns(table, bottlenecks_columns);
    for (int before = 0; before < PARTS; before++)
        for (int after = 0; after < PARTS; after++) {
            if (sums->before_after[before][after] == 0)
                continue;
            table_row(table);
            table_text(table, part_word((enum part)before));
            table_text(table, part_word((enum part)after));
            table_int(table, (int64_t)sums->before_after[before][after]);
            table_real(table, sums->before_after[before][after] / (double)sums->obstacles[OBSTACLE_NONE]);
        }
}

/* ---- the curve of speed-ups ---- */

static const struct column_spec speedup_curve_columns[] = {
    {"share", "share of the jobs", UNIT_RATIO, 0, "of all projected jobs"},
    {"speedup", "speed-up", UNIT_NONE, 0, "speed-up at or below which this share of the jobs lies"},
    {"cnode_speedup", "of a cNode", UNIT_NONE, 0, "the same of step here / there"},
    {0},
};

static void show_curve(struct population *all, struct report *report)
{
    enum { STEPS = 50 };
    struct section *section = report_section(report, "distribution", "Jobs in order of their speed-up");
    struct table *table = section_table(section, "speedup_curve", "");
    table_columns(table, speedup_curve_columns);
    for (int i = 0; i <= STEPS; i++) {
        const double q = (double)i / STEPS;
        table_row(table);
        table_real(table, q);
        table_real(table, population_quantile(all, POPULATION_ALL, SPEEDUP, WEIGHT_JOB, q));
        table_real(table, population_quantile(all, POPULATION_ALL, CNODE_SPEEDUP, WEIGHT_JOB, q));
    }
    table_json_only(table);
    section_figure(section, "speedup_curve", FIGURE_LINE, "speedup_curve", "share", "speedup");
    section_page_figure(section, "cnode_speedup_curve", FIGURE_LINE, "speedup_curve", "share", "cnode_speedup");
    static const struct shown_value shown[] = {
        {SPEEDUP, "speedup", "speed-up", UNIT_NONE, NAN},
        {CNODE_SPEEDUP, "cnode_speedup", "speed-up of a cNode", UNIT_NONE, NAN},
        {BEFORE_MS, "step_ms", "step, ms", UNIT_NONE, NAN},
        {AFTER_MS, "projected_ms", "step there, ms", UNIT_NONE, NAN},
        {AFTER_SHARE + PART_INPUT, "input", "input there", UNIT_RATIO, 1},
        {AFTER_SHARE + PART_COMPUTE_BOUND, "compute_bound", "compute-bound there", UNIT_RATIO, 1},
        {AFTER_SHARE + PART_MEMORY_BOUND, "memory_bound", "memory-bound there", UNIT_RATIO, 1},
        {AFTER_SHARE + PART_WEIGHT, "weight", "weights there", UNIT_RATIO, 1},
    };
    population_show_quantiles(all, shown, sizeof shown / sizeof *shown, "quantiles", section);
}

/* ---- sweeps and sensitivity ---- */

/* Of all architectures together. */
static struct point_sums sum_of_point(const struct projection *projection, uint32_t point)
{
    struct point_sums sum = {0};
    for (int i = 0; i < ARCHITECTURES; i++) {
        const struct point_sums *at = &projection->points[point * ARCHITECTURES + (uint32_t)i];
        sum.jobs += at->jobs;
        for (int by = 0; by < WEIGHTS; by++) {
            sum.weight[by] += at->weight[by];
            sum.speedup[by] += at->speedup[by];
            sum.faster[by] += at->faster[by];
        }
    }
    return sum;
}

static const char *arena_words(struct arena *arena, const char *format, str key)
{
    return str_printf(arena, format, (int)key.len, key.at).at;
}

static const struct column_spec sweep_columns[] = {
    {"jobs", "jobs", UNIT_COUNT, 0, "jobs"},
    {"mean", "mean speed-up", UNIT_NONE, 0, "weighted mean of the speed-ups"},
    {"mean_gpu", "by GPU", UNIT_NONE, 0, "mean of the speed-ups by GPU"},
    {"mean_gpu_time", "by GPU-time", UNIT_NONE, 0, "mean of the speed-ups by GPU-time"},
    {"sped_up", "jobs sped up", UNIT_RATIO, COLUMN_BAR, "share of the projected jobs whose speed-up is above 1"},
    {0},
};

static void show_sweep(const struct projection *projection, const struct projection_sweep *sweep, struct report *report)
{
    struct arena *arena = report_arena(report);
    const char *id = arena_words(arena, "sweep_%.*s", sweep->key);
    struct section *section = report_section(report, id, arena_words(arena, "Along %.*s", sweep->key));
    struct table *table = section_table(section, id, "");
    table_column(table, (struct column_spec){"given", arena_words(arena, "%.*s", sweep->key), UNIT_NONE, 0,
                                             "the value as the sweep gives it"});
    table_column(table, (struct column_spec){"value", arena_words(arena, "%.*s, as given", sweep->key), UNIT_NONE,
                                             COLUMN_DETAIL, "the value as a number"});
    table_columns(table, sweep_columns);
    for (uint32_t i = 0; i < sweep->count; i++) {
        const struct point_sums sum = sum_of_point(projection, sweep->first + i);
        table_row(table);
        table_text(table, sweep->texts[i]);
        table_real(table, sweep->values[i]);
        table_int(table, (int64_t)sum.jobs);
        for (int by = 0; by < WEIGHTS; by++)
            table_real(table, over(sum.speedup[by], sum.weight[by]));
        table_real(table, over(sum.faster[WEIGHT_JOB], sum.weight[WEIGHT_JOB]));
    }
    section_figure(section, arena_words(arena, "sweep_%.*s_mean", sweep->key), FIGURE_LINE, id, "value", "mean");
    section_page_figure(section, arena_words(arena, "sweep_%.*s_gpu_time", sweep->key), FIGURE_LINE, id, "value",
                        "mean_gpu_time");
}

static void put_sensitivity(const struct projection *projection, uint32_t first, int architecture, struct table *table)
{
    double speedup[RESOURCES], most = 1;
    str word = S("none");
    for (int i = 0; i < RESOURCES; i++) {
        const struct point_sums *sums =
            &projection->points[(first + (uint32_t)i) * ARCHITECTURES + (uint32_t)architecture];
        speedup[i] = over(sums->speedup[WEIGHT_JOB], sums->weight[WEIGHT_JOB]);
        if (speedup[i] > most) {
            most = speedup[i];
            word = resource_word((enum resource)i);
        }
    }
    table_row(table);
    table_text(table, architecture_word((enum architecture)architecture));
    for (int i = 0; i < RESOURCES; i++)
        table_real(table, speedup[i]);
    table_text(table, word);
}

static const struct column_spec sensitivity_columns[] = {
    {"architecture", "architecture", UNIT_NONE, 0, "training architecture of the jobs"},
    {"flops", "arithmetic", UNIT_NONE, 0, "mean speed-up with arithmetic twice as fast"},
    {"memory", "GPU memory", UNIT_NONE, 0, "mean speed-up with the memory of the GPU twice as fast"},
    {"pcie", "PCIe", UNIT_NONE, 0, "mean speed-up with the link to the host twice as fast"},
    {"nvlink", "GPU links", UNIT_NONE, 0, "mean speed-up with the links between GPUs twice as fast"},
    {"ethernet", "network", UNIT_NONE, 0, "mean speed-up with the network twice as fast"},
    {"most", "most sensitive to", UNIT_NONE, COLUMN_WORDS, "the resource with the largest of them"},
    {0},
};

static void show_sensitivity(const struct projection *projection, uint32_t first, struct report *report)
{
    struct section *section =
        report_section(report, "sensitivity", "Mean speed-up of each architecture, were one resource twice as fast");
    struct table *table = section_table(section, "sensitivity", "");
    table_columns(table, sensitivity_columns);
    for (int i = 0; i < ARCHITECTURES; i++)
        if (projection->points[first * ARCHITECTURES + (uint32_t)i].jobs)
            put_sensitivity(projection, first, i, table);
}

void projection_show(struct projection *projection, const struct projection_asked *asked,
                     const struct projection_words *words, const struct job_table_result *told, struct report *report)
{
    show_head(projection, words, told, report);
    table_show_dropped(asked->table.path, told, report);
    if (projection->sums.obstacles[OBSTACLE_NONE]) {
        struct section *section = report_section(report, "speedups", "Speed-up by architecture");
        show_speedups(projection->by_architecture, section, "speedups", "architecture");
        if (projection->by_group)
            show_speedups(projection->by_group, report_section(report, "groups", "By group"), "groups", "group");
        show_bottlenecks(&projection->sums, report);
        show_curve(projection->by_architecture, report);
    }
    for (uint32_t i = 0; i < words->sweep_count; i++)
        show_sweep(projection, &words->sweeps[i], report);
    if (asked->here.cluster)
        cluster_show(asked->here.cluster, "hardware_here", "What the jobs are taken to run on here", report);
    if (asked->points[0].cluster)
        cluster_show(asked->points[0].cluster, "hardware_there", "and there", report);
    if (words->resources && projection->sums.jobs)
        show_sensitivity(projection, words->resources, report);
    if (projection->rows.spool)
        projection_rows_show(projection->rows.spool, report_section(report, "jobs", "Jobs"), report);
}
