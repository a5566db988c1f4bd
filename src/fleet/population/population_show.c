/* SPDX-License-Identifier: Apache-2.0 */
#include "population_show.h"

#include "weights.h"

str group_word(const struct population *population, uint32_t group)
{
    if (group == POPULATION_ALL)
        return S("all");
    const str name = population_group(population, group);
    return !name.len ? S("(none)") : str_eq(name, S("all")) ? S("'all'") : name;
}

/* ---- curves ---- */

enum { STEPS = 20 };
static const char *const curve_ids[WEIGHTS] = {"curve_job", "curve_gpu", "curve_gpu_time"};
static const char *const curve_titles[WEIGHTS] = {"jobs, each part's share at or below",
                                                  "GPUs, each part's share at or below",
                                                  "GPU-time, each part's share at or below"};

static void show_curve(struct population *population, const struct shown_value *shown, uint32_t count, enum weight by,
                       struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, curve_ids[by], curve_titles[by]);
    table_column(table, (struct column_spec){"share", "share of the step", UNIT_RATIO, 0, "share of the step"});
    for (uint32_t i = 0; i < count; i++)
        table_column(
            table, (struct column_spec){shown[i].id, shown[i].title, UNIT_RATIO, 0,
                                        "share of the weight of jobs whose part takes at most this share of the step"});
    for (int at = 0; at <= STEPS; at++) {
        const double share = (double)at / STEPS;
        table_row(table);
        table_real(table, share);
        for (uint32_t i = 0; i < count; i++)
            table_real(table, 1 - population_above(population, POPULATION_ALL, shown[i].value, by, share));
    }
    table_json_only(table);
    for (uint32_t i = 0; i < count; i++)
        section_page_figure(section, str_printf(arena, "%s_%s", curve_ids[by], shown[i].id).at, FIGURE_LINE,
                            curve_ids[by], "share", shown[i].id);
}

void population_show_curves(struct population *population, const struct shown_value *shown, uint32_t count,
                            struct section *section, struct arena *arena)
{
    for (int by = 0; by < WEIGHTS; by++)
        show_curve(population, shown, count, (enum weight)by, section, arena);
}

/* ---- quantiles ---- */

static const struct {
    const char *id, *title;
    double q;
} quantiles[] = {{"p05", "5 %", 0.05},  {"p10", "10 %", 0.1}, {"p25", "25 %", 0.25}, {"p50", "median", 0.5},
                 {"p75", "75 %", 0.75}, {"p90", "90 %", 0.9}, {"p95", "95 %", 0.95}, {"p99", "99 %", 0.99}};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

/* Of one value under one weight. */
struct answer {
    double mean, at[QUANTILES];
};

static struct answer answer_of(struct population *population, uint32_t group, uint32_t value, enum weight by)
{
    struct answer answer = {.mean = population_mean(population, group, value, by)};
    for (int i = 0; i < QUANTILES; i++)
        answer.at[i] = population_quantile(population, group, value, by, quantiles[i].q);
    return answer;
}

/* count * WEIGHTS of them; those of values that no row of the group has are not asked for. */
static struct answer *answers_of(struct population *population, uint32_t group, const struct shown_value *shown,
                                 uint32_t count, struct arena *arena)
{
    struct answer *const answers = arena_array(arena, (size_t)count * WEIGHTS, sizeof *answers);
    for (uint32_t i = 0; i < count; i++)
        for (int by = 0; by < WEIGHTS && population_count(population, group, shown[i].value); by++)
            answers[i * WEIGHTS + (uint32_t)by] = answer_of(population, group, shown[i].value, (enum weight)by);
    return answers;
}

static void put_group(struct table *table, const struct population *population, uint32_t group,
                      const struct shown_value *shown, uint32_t count, const struct answer *answers)
{
    for (uint32_t i = 0; i < count; i++)
        for (int by = 0; by < WEIGHTS && population_count(population, group, shown[i].value); by++) {
            const struct answer *const answer = &answers[i * WEIGHTS + (uint32_t)by];
            table_row(table);
            table_text(table, group_word(population, group));
            table_text(table, str_of(shown[i].id));
            table_text(table, weight_word((enum weight)by));
            table_real(table, answer->mean);
            for (int at = 0; at < QUANTILES; at++)
                table_real(table, answer->at[at]);
        }
}

/* All rows come last but are asked first: they are still in order from the questions before. */
static void put_groups(struct table *table, struct population *population, const struct shown_value *shown,
                       uint32_t count)
{
    struct arena scratch = {0};
    const struct answer *const all = answers_of(population, POPULATION_ALL, shown, count, &scratch);
    for (uint32_t group = 0; group < population_group_count(population); group++) {
        struct arena of_group = {0};
        put_group(table, population, group, shown, count, answers_of(population, group, shown, count, &of_group));
        arena_free(&of_group);
    }
    put_group(table, population, POPULATION_ALL, shown, count, all);
    arena_free(&scratch);
}

static const struct column_spec population_show_quantiles_columns[] = {
    {"group", "group", UNIT_NONE, COLUMN_WIDE, "group of jobs"},
    {"value", "value", UNIT_NONE, 0, "what the quantiles are of"},
    {"by", "by", UNIT_NONE, COLUMN_WORDS, "what a job weighs: 1, its GPUs, or its GPU-time"},
    {"mean", "mean", UNIT_NONE, 0, "weighted mean"},
    {0},
};

void population_show_quantiles(struct population *population, const struct shown_value *shown, uint32_t count,
                               const char *id, struct section *section)
{
    struct table *table = section_table(section, id, "");
    table_columns(table, population_show_quantiles_columns);
    for (int i = 0; i < QUANTILES; i++)
        table_column(table, (struct column_spec){quantiles[i].id, quantiles[i].title, UNIT_NONE, 0,
                                                 "the least value at or below which so much of the weight lies"});
    put_groups(table, population, shown, count);
    table_json_only(table);
}
