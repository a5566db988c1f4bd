/* SPDX-License-Identifier: Apache-2.0 */
#include "overheads_show.h"

/* ---- taking ---- */

void overheads_run(const struct trace *trace, const struct selection *selection, struct overheads_taken *taken)
{
    struct arena scratch = {0};
    const struct work_classes *classes = work_classes_new(trace, &scratch);
    struct programs *programs = programs_open(trace, classes);
    struct overhead_samples *samples = overhead_samples_new();
    const struct step_range range = selection_steps(trace, selection);
    *taken = (struct overheads_taken){.samples = samples, .steps = range.count};
    for (uint32_t i = 0; i < range.count; i++) {
        struct arena step = {0};
        const struct program program = programs_step(programs, range.first + i, &step);
        overhead_samples_add(samples, &program);
        for (uint32_t op = 0; op < program.count; op++)
            taken->operators += program_is_top(&program, op);
        taken->launches += program.launch_count;
        arena_free(&step);
    }
    programs_close(programs);
    arena_free(&scratch);
}

void overheads_pool(struct overhead_pool *pool, struct overheads_taken *taken)
{
    overhead_pool_add(pool, taken->samples);
    overhead_samples_free(taken->samples);
    taken->samples = NULL;
    taken->pool = pool;
}

/* ---- showing ---- */

static const char *const titles[OVERHEADS] = {
    [OVERHEAD_T1] = "T1: between operators",
    [OVERHEAD_T2] = "T2: before the first launch",
    [OVERHEAD_T3] = "T3: after the last launch",
    [OVERHEAD_T4] = "T4: a launch call",
    [OVERHEAD_T5] = "T5: between launches, or without one",
    [OVERHEAD_START] = "call to start of the work",
    [OVERHEAD_GAP] = "between works of a stream",
    [OVERHEAD_RETURN] = "end of the work to return of the wait",
};

static const struct column_spec kinds_columns[] = {
    {"type", "type", UNIT_NONE, COLUMN_DETAIL, "type of overhead, T1 to T5 and others (doc/numbers/overheads.md)"},
    {"title", "overhead", UNIT_NONE, COLUMN_WIDE, "the type in words"},
    {"mean_us", "mean", UNIT_US, 0, "mean of the samples without outliers, without the cost of the profiler"},
    {"std_us", "deviation", UNIT_US, 0, "standard deviation of the same"},
    {"profiler_us", "taken off for the profiler", UNIT_US, 0,
     "what was taken off the mean for the profiler; in the row of type profiler its cost an event"},
    {"count", "samples", UNIT_COUNT, 0, "samples, outliers included"},
    {0},
};

static void show_kinds(const struct overheads *overheads, struct section *section)
{
    struct table *table = section_table(section, "kinds", "");
    table_columns(table, kinds_columns);
    for (int kind = 0; kind < OVERHEADS; kind++) {
        const struct overhead all = overheads_get(overheads, (enum overhead_kind)kind, S(""));
        if (!all.count)
            continue;
        table_row(table);
        table_text(table, overhead_word((enum overhead_kind)kind));
        table_text(table, str_of(titles[kind]));
        table_real(table, all.mean_us);
        table_real(table, all.sd_us);
        table_real(table, all.profiler_us);
        table_int(table, (int64_t)all.count);
    }
}

static void overhead_cells(struct table *table, str type, str name, const struct overhead *overhead)
{
    table_row(table);
    table_text(table, type);
    table_text(table, name);
    table_real(table, overhead->mean_us);
    table_real(table, overhead->sd_us);
    table_real(table, overhead->profiler_us);
    table_real(table, overhead->whole_us);
    table_real(table, overhead->median_us);
    table_int(table, (int64_t)overhead->count);
}

static const struct column_spec overheads_columns[] = {
    {"type", "type", UNIT_NONE, 0, "type of overhead, T1 to T5 and others (doc/numbers/overheads.md)"},
    {"op_or_call", "operator or call", UNIT_NONE, COLUMN_WIDE, "operator or call"},
    {"mean_us", "mean", UNIT_US, 0, "mean of the samples without outliers, without the cost of the profiler"},
    {"std_us", "deviation", UNIT_US, 0, "standard deviation of the same"},
    {"profiler_us", "profiler", UNIT_US, 0,
     "what was taken off the mean for the profiler; in the row of type profiler its cost an event"},
    {"whole_us", "with outliers", UNIT_US, COLUMN_DETAIL, "mean with outliers and the cost of the profiler"},
    {"median_us", "median", UNIT_US, COLUMN_DETAIL, "median of all samples as recorded"},
    {"count", "samples", UNIT_COUNT, 0, "samples, outliers included"},
    {0},
};

static void show_rows(const struct overheads *overheads, struct section *section)
{
    struct table *table = section_table(section, "overheads", "By operator and call");
    table_columns(table, overheads_columns);
    const double event_us = overheads_profiler_us(overheads);
    overhead_cells(table, S("profiler"), S(""),
                   &(struct overhead){.mean_us = event_us, .whole_us = event_us, .median_us = event_us, .count = 1});
    for (uint32_t i = 0; i < overheads_count(overheads); i++) {
        const struct overhead_row row = overheads_at(overheads, i);
        overhead_cells(table, overhead_word(row.kind), row.name, &row.overhead);
    }
}

static void show_rounding(double rounding, struct section *section)
{
    if (rounding <= 0)
        return;
    section_text(section, S("An operator or call has more different samples than are kept: its samples are rounded."));
    section_value(section, "rounded", "samples rounded, at most by", UNIT_RATIO, cell_real(rounding));
}

void overheads_show(const struct overheads_taken *const *taken, uint32_t count, struct report *report)
{
    uint64_t operators = 0, launches = 0, steps = 0;
    for (uint32_t i = 0; i < count; i++) {
        operators += taken[i]->operators;
        launches += taken[i]->launches;
        steps += taken[i]->steps;
    }
    const struct overheads *overheads = overheads_of_pool(taken[0]->pool, report_arena(report));
    struct section *section = report_section(report, "overheads", "What operators cost the host");
    section_value(section, "traces", "traces", UNIT_COUNT, cell_int(count));
    section_value(section, "steps", "steps", UNIT_COUNT, cell_int((int64_t)steps));
    section_value(section, "operators", "operators at the top", UNIT_COUNT, cell_int((int64_t)operators));
    section_value(section, "launches", "launches", UNIT_COUNT, cell_int((int64_t)launches));
    section_value(section, "profiler_us", "the profiler, an event", UNIT_US,
                  cell_real(overheads_profiler_us(overheads)));
    show_rounding(overhead_pool_rounding(taken[0]->pool), section);
    show_kinds(overheads, section);
    show_rows(overheads, section);
}
