/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler_show.h"

#include <math.h>

#include "base/duration.h"

/* ---- head ---- */

static void say_summary(const struct stragglers *s, struct section *section, struct arena *arena)
{
    const double lost = s->mean_original_s > 0 ? 1 - s->mean_ideal_s / s->mean_original_s : 0;
    const str ideal = duration_words(arena, 1e9 * s->mean_ideal_s),
              is = duration_words(arena, 1e9 * s->mean_original_s);
    section_text(
        section,
        str_printf(arena,
                   "Were each kind of operation equally fast on all workers, a step would take %.*s instead of %.*s: "
                   "slow ones cost %.3g %% of the time.",
                   (int)ideal.len, ideal.at, (int)is.len, is.at, 100 * lost));
    if (s->strangers)
        section_text(section, str_printf(arena, "%llu operations that not all workers have are left out.",
                                         (unsigned long long)s->strangers));
    if (s->dropped)
        section_text(section,
                     str_printf(arena, "%llu rows are no operations and are dropped.", (unsigned long long)s->dropped));
}

static void show_returned(struct section *section, const char *id, const char *title, const struct returned *returned)
{
    section_value(section, id, title, UNIT_RATIO, cell_real(returned->share));
}

static void show_head(const struct stragglers *s, struct report *report)
{
    struct section *section = report_section(report, "stragglers", "What slow workers and operations cost");
    say_summary(s, section, report_arena(report));
    section_value(section, "steps", "steps", UNIT_COUNT, cell_int(s->steps));
    section_value(section, "stages", "stages", UNIT_COUNT, cell_int(s->stages));
    section_value(section, "replicas", "replicas", UNIT_COUNT, cell_int(s->replicas));
    section_value(section, "recorded_ms", "step, recorded", UNIT_MS, cell_real(1e3 * s->mean_recorded_s));
    section_value(section, "original_ms", "without launch delays", UNIT_MS, cell_real(1e3 * s->mean_original_s));
    section_value(section, "ideal_ms", "with durations made equal", UNIT_MS, cell_real(1e3 * s->mean_ideal_s));
    section_value(section, "slowdown", "slowdown", UNIT_NONE, cell_real(s->slowdown));
    section_value(section, "launch_slowdown", "by launch delays", UNIT_NONE, cell_real(s->launch_slowdown));
    show_returned(section, "last_stage_returned", "returns, last stage ideal (M_S)", &s->last_stage);
    show_returned(section, "slowest_workers_returned", "returns, slowest 3 % of workers ideal (M_W)",
                  &s->slowest_workers);
}

/* ---- one part of the job made ideal ---- */

static const struct column_spec what_ifs_columns[] = {
    {"what", "what", UNIT_NONE, COLUMN_WIDE, "type of operation, stage, replica or worker"},
    {"slowdown", "slowdown by it alone", UNIT_NONE, 0,
     "step / ideal step; in tables of types, stages, replicas, workers with only this one left as it is"},
    {"step_ms", "step with it ideal", UNIT_MS, 0, "step with it made ideal"},
    {"returned", "of the loss returns", UNIT_RATIO, COLUMN_BAR,
     "share of original - ideal that returns when it is made ideal"},
    {0},
};

static void show_what_ifs(const struct what_ifs *what_ifs, const char *id, const char *title, struct report *report)
{
    if (!what_ifs->count)
        return;
    struct section *section = report_section(report, id, title);
    struct table *table = section_table(section, id, "");
    table_columns(table, what_ifs_columns);
    for (uint32_t i = 0; i < what_ifs->count; i++) {
        table_row(table);
        table_text(table, what_ifs->at[i].what);
        table_real(table, what_ifs->at[i].slowdown);
        table_real(table, 1e3 * what_ifs->at[i].step_s);
        table_real(table, what_ifs->at[i].returned);
    }
}

/* ---- steps and workers ---- */

static const struct column_spec steps_columns[] = {
    {"step", "step", UNIT_NONE, 0, "number of the step"},
    {"recorded_ms", "recorded", UNIT_MS, 0, "as recorded"},
    {"original_ms", "without launch delays", UNIT_MS, 0, "walked without launch delays"},
    {"ideal_ms", "with durations made equal", UNIT_MS, 0,
     "with durations of each type made equal over workers and steps"},
    {"slowdown", "slowdown", UNIT_NONE, 0,
     "step / ideal step; in tables of types, stages, replicas, workers with only this one left as it is"},
    {0},
};

static void show_steps(const struct stragglers *s, struct report *report)
{
    struct section *section = report_section(report, "steps", "Steps");
    struct table *table = section_table(section, "steps", "");
    table_columns(table, steps_columns);
    for (uint32_t i = 0; i < s->steps; i++) {
        table_row(table);
        table_int(table, s->step_numbers[i]);
        table_real(table, 1e3 * s->recorded_s[i]);
        table_real(table, 1e3 * s->original_s[i]);
        table_real(table, 1e3 * s->ideal_s[i]);
        table_real(table, s->original_s[i] / s->ideal_s[i]);
    }
    table_json_only(table);
    section_figure(section, "steps_original", FIGURE_LINE, "steps", "step", "original_ms");
    section_figure(section, "steps_ideal", FIGURE_LINE, "steps", "step", "ideal_ms");
}

static const struct column_spec grid_columns[] = {
    {"stage", "stage", UNIT_NONE, 0, "stage of the pipeline"},
    {"replica", "replica", UNIT_NONE, 0, "replica of the model"},
    {"slowdown", "slowdown", UNIT_NONE, 0,
     "step / ideal step; in tables of types, stages, replicas, workers with only this one left as it is"},
    {0},
};

static void show_grid(const struct stragglers *s, struct report *report)
{
    struct section *section = report_section(report, "grid", "Slowdown by stage and replica");
    struct table *table = section_table(section, "grid", "");
    table_columns(table, grid_columns);
    for (uint32_t stage = 0; stage < s->stages; stage++)
        for (uint32_t replica = 0; replica < s->replicas; replica++) {
            table_row(table);
            table_int(table, s->stage_numbers[stage]);
            table_int(table, s->replica_numbers[replica]);
            table_real(table, s->worker_slowdown[stage * s->replicas + replica]);
        }
    table_json_only(table);
}

void stragglers_show(const struct stragglers *s, struct report *report)
{
    show_head(s, report);
    show_what_ifs(&s->types, "types", "By type of operation", report);
    show_what_ifs(&s->by_stage, "stages", "By stage", report);
    show_what_ifs(&s->by_replica, "replicas", "By replica", report);
    show_what_ifs(&s->workers, "workers", "The slowest workers", report);
    show_grid(s, report);
    show_steps(s, report);
}
