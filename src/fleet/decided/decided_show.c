/* SPDX-License-Identifier: Apache-2.0 */
#include "decided_show.h"

#include <math.h>

#include "fleet/population/population_show.h"

/* ---- what the table has ---- */

static void add(const void *context, const struct job *job, const struct job_step *before, const struct cluster *here,
                double *sums)
{
    const struct published *const published = context;
    (void)here;
    if (!job->lacks_amounts)
        figures_add(&published->figures, job, before, &published->here, sums);
}

struct projection_also published_sums(const struct published *published)
{
    return (struct projection_also){.context = published, .count = 2 * published->figures.count, .add = add};
}

/* ---- answers ---- */

static const char *const answer_words[ANSWERS] = {
    [ANSWER_SPED_UP] = "sped_up", [ANSWER_CNODE_SPED_UP] = "cnode_sped_up", [ANSWER_MEAN] = "mean_speedup"};

static double answer_of(struct population *population, uint32_t group, enum answer answer)
{
    if (answer == ANSWER_MEAN)
        return population_mean(population, group, SPEEDUP, WEIGHT_JOB);
    return population_above(population, group, answer == ANSWER_SPED_UP ? SPEEDUP : CNODE_SPEEDUP, WEIGHT_JOB, 1);
}

static const struct column_spec decided_columns[] = {
    {"group", "architecture", UNIT_NONE, COLUMN_WIDE, "architecture of the jobs here"},
    {"answer", "answer", UNIT_NONE, 0,
     "sped_up: share of its jobs that are; cnode_sped_up: share of which a cNode is; mean_speedup: mean over its jobs"},
    {"here", "this population", UNIT_NONE, 0, "the answer for the jobs of the table"},
    {"least", "at least", UNIT_NONE, 0, "the least that a population holding the published figures can give"},
    {"most", "at most", UNIT_NONE, 0, "the most that one can give"},
    {"why", "not known because", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP,
     "why there are no bounds; empty where there are"},
    {0},
};

static void put_answer(struct table *table, str group, enum answer answer, double here, const struct decided *decided)
{
    table_row(table);
    table_text(table, group);
    table_text(table, str_of(answer_words[answer]));
    table_real(table, here);
    table_real(table, decided->known ? decided->least : NAN);
    table_real(table, decided->known ? decided->most : NAN);
    table_text(table, decided->why);
}

/* Of figures, how far they may lie outside for a population that was drawn: a hundredth. */
#define DRAWN 0.01

static double off_by(const struct figure *figure, double here)
{
    return here < figure->least ? here - figure->least : fmax(0, here - figure->most);
}

static double here_of(const double *sums, uint32_t f)
{
    return sums[2 * f] > 0 ? sums[2 * f + 1] / sums[2 * f] : NAN;
}

static uint32_t not_held(const struct figures *figures, const double *sums)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < figures->count; f++)
        count += !(fabs(off_by(&figures->at[f], here_of(sums, f))) <= DRAWN);
    return count;
}

static void say_held(const struct figures *figures, const double *sums, struct section *section, struct arena *arena)
{
    const uint32_t count = not_held(figures, sums);
    section_value(section, "not_held", "published figures that do not hold here", UNIT_COUNT, cell_int(count));
    if (count)
        section_text(section, str_printf(arena,
                                         "%u of the %u published figures do not hold in this table (off by more than "
                                         "0.01): its answers are of another population.",
                                         count, figures->count));
}

static void say(const struct decided *decided, str group, double here, struct section *section, struct arena *arena)
{
    if (decided->known)
        section_text(section,
                     str_printf(arena,
                                "The published figures leave from %.3g to %.3g %% of %.*s jobs sped up; this "
                                "population has %.3g %%.",
                                100 * decided->least, 100 * decided->most, (int)group.len, group.at, 100 * here));
    else
        section_text(section, str_printf(arena, "%.*s: %.*s.", (int)group.len, group.at, (int)decided->why.len,
                                         decided->why.at));
}

static void show_group(const struct published *published, const struct target *target, struct population *population,
                       uint32_t group, enum architecture architecture, struct section *section, struct table *table,
                       struct arena *arena)
{
    const struct decided_asked asked = {&published->figures, &published->here, target, architecture};
    struct decided answers[ANSWERS];
    decided_of(&asked, arena, answers);
    const str name = population_group(population, group);
    say(&answers[ANSWER_SPED_UP], name, answer_of(population, group, ANSWER_SPED_UP), section, arena);
    for (int i = 0; i < ANSWERS; i++)
        put_answer(table, name, (enum answer)i, answer_of(population, group, (enum answer)i), &answers[i]);
}

/* ---- figures ---- */

static const struct column_spec published_columns[] = {
    {"figure", "published", UNIT_NONE, COLUMN_WIDE, "the figure's name in the file"},
    {"value", "value", UNIT_NONE, 0, "as published"},
    {"least", "at least", UNIT_NONE, 0, "the least that the file lets it be"},
    {"most", "at most", UNIT_NONE, 0, "the most"},
    {"here", "this population", UNIT_NONE, 0, "the same of the jobs of the table; empty where it has none"},
    {"off", "off by", UNIT_NONE, 0, "how far that lies outside of least to most; 0 within"},
    {0},
};

static void show_figures(const struct figures *figures, const double *sums, struct section *section)
{
    struct table *const table = section_table(section, "published", "");
    table_columns(table, published_columns);
    for (uint32_t f = 0; f < figures->count; f++) {
        const struct figure *const figure = &figures->at[f];
        const double here = here_of(sums, f);
        table_row(table);
        table_text(table, figure->name);
        table_real(table, figure->value);
        table_real(table, figure->least);
        table_real(table, figure->most);
        table_real(table, here);
        table_real(table, isnan(here) ? NAN : off_by(figure, here));
    }
}

void decided_show(const struct published *published, const struct target *target, struct projection *projection,
                  struct report *report)
{
    struct population *const population = projection->by_architecture;
    struct section *section = report_section(report, "decided", "What the published figures decide");
    say_held(&published->figures, projection->also, section, report_arena(report));
    struct table *const table = section_table(section, "decided", "");
    table_columns(table, decided_columns);
    for (uint32_t group = 0; group < population_group_count(population); group++) {
        enum architecture architecture;
        if (architecture_of_word(population_group(population, group), &architecture))
            show_group(published, target, population, group, architecture, section, table, report_arena(report));
    }
    show_figures(&published->figures, projection->also, report_section(report, "published", "The published figures"));
}
