/* SPDX-License-Identifier: Apache-2.0 */
/* Draws what a number is made of: its formula, itself, and the events behind it. */
#include <math.h>

#include "explain_private.h"
#include "report/document.h"

static enum unit unit_of(enum behind behind)
{
    const bool counts = behind == BEHIND_OPERATORS || behind == BEHIND_SHAPELESS || behind == BEHIND_UNUSABLE ||
                        behind == BEHIND_LAUNCHED;
    return counts ? UNIT_COUNT : UNIT_NS;
}

static struct cell ns_cell(double us)
{
    return cell_rounded(us * 1e3);
}

static struct cell amount_cell(enum unit unit, double amount)
{
    return unit == UNIT_NS ? ns_cell(amount) : cell_real(amount);
}

/* ---- what it means ---- */

static void show_formula(const struct predict_number *number, struct section *section, struct table *table,
                         struct arena *arena)
{
    section_text(section, str_printf(arena, "%s: %s", number->id, number->formula));
    table_row(table);
    table_text(table, str_of(number->id));
    table_text(table, str_of(number->formula));
}

static const struct column_spec formulas_columns[] = {
    {"number", "number", UNIT_NONE, 0, "the number asked for"},
    {"formula", "formula", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "how it is computed"},
    {0},
};

static void show_formulas(const struct predict_explain *explain, struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, "formulas", "");
    table_json_only(table);
    table_columns(table, formulas_columns);
    for (uint32_t i = 0; i < predict_number_count; i++)
        if (!explain->number || explain->number == &predict_numbers[i])
            show_formula(&predict_numbers[i], section, table, arena);
}

/* As the section "prediction" has it. */
static const struct value *value_of(struct report *report, const char *id)
{
    const struct section *section = report_section(report, "prediction", "");
    for (uint32_t i = 0; i < section->value_count; i++)
        if (str_eq(section->values[i].id, str_of(id)))
            return &section->values[i];
    return NULL;
}

/* ---- steps ---- */

static double step_amount(const struct predicted_step *step, str id)
{
    if (str_eq(id, S("measured_step_ns")))
        return step->measured_us;
    if (str_eq(id, S("held_ns")))
        return step->held_us;
    if (str_eq(id, S("finished_ns")))
        return step->finished_us;
    if (str_eq(id, S("measured_active_ns")))
        return step->measured_active_us;
    return step->from_beside_us < 0 ? NAN : step->from_beside_us - step->finished_us;
}

static const struct column_spec explained_steps_columns[] = {
    {"rank", "rank", UNIT_NONE, 0, "as recorded, else from the file's name, else by order"},
    {"step", "step", UNIT_NONE, 0, "number of the step"},
    {0},
};

static void show_steps(const struct predict_explain *explain, const struct prediction *p, struct section *section,
                       struct arena *arena)
{
    struct table *table = section_table(section, "explained_steps", "The steps behind it");
    const str id = str_of(explain->number->id);
    const bool error = str_eq(id, S("error")) || str_eq(id, S("bias"));
    (void)arena;
    table_columns(table, explained_steps_columns);
    table_column(table, (struct column_spec){"counted_ns", error ? "predicted less measured" : "counted", UNIT_NS, 0,
                                             "its part of the number; of errors: predicted less measured"});
    table_column(table, (struct column_spec){"share", error ? "of the measured" : "of all steps", UNIT_RATIO, 0,
                                             "of the sum over all steps; of errors: of the measured step"});
    double sum = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        sum += step_amount(&p->steps[i], id);
    for (uint32_t i = 0; i < p->step_count; i++) {
        const double us = step_amount(&p->steps[i], id), whole = error ? p->steps[i].finished_us : sum;
        table_row(table);
        table_int(table, p->rank);
        table_cell(table, cell_int_or_null(p->steps[i].number));
        table_cell(table, ns_cell(us));
        table_cell(table, whole > 0 && !isnan(us) ? cell_real(us / whole) : cell_null());
    }
}

/* ---- names ---- */

static const struct column_spec explained_names_columns[] = {
    {"name", "operators", UNIT_NONE, COLUMN_WIDE, "operators of this name"},
    {"calls", "calls", UNIT_COUNT, 0, "how many"},
    {"counted_ns", "a step is shorter by", UNIT_NS, 0, "its part of the number; of errors: predicted less measured"},
    {0},
};

static void show_names(const struct prediction *p, struct section *section)
{
    struct table *table = section_table(section, "explained_names", "What a step is shorter without");
    table_columns(table, explained_names_columns);
    for (uint32_t i = 0; i < p->top_count; i++) {
        table_row(table);
        table_text(table, p->top[i].name);
        table_int(table, (int64_t)p->top[i].calls);
        table_cell(table, ns_cell(p->top[i].without_us));
    }
}

/* ---- events ---- */

static const struct explained_rank *rank_of(const struct predict_explain *explain, int64_t rank)
{
    for (uint32_t i = 0; i < explain->rank_count; i++)
        if (explain->ranks[i].rank == rank)
            return &explain->ranks[i];
    return NULL;
}

static const struct column_spec explained_columns[] = {
    {"events", "events, all steps", UNIT_COUNT, 0, "events of all steps"},
    {"shown", "listed", UNIT_COUNT, COLUMN_DETAIL, "how many of them are listed"},
    {0},
};

static void show_sum(const struct explained_rank *rank, enum unit unit, struct section *section)
{
    double listed = 0;
    for (uint32_t i = 0; i < rank->count; i++)
        listed += rank->events[i].amount;
    struct table *table = section_table(section, "explained", "What it is made of");
    table_column(table, (struct column_spec){"rank", "rank", UNIT_NONE, 0,
                                             "as recorded, else from the file's name, else by order"});
    table_column(table, (struct column_spec){"sum", "all together, a step", unit, 0, "sum over the events, a step"});
    table_columns(table, explained_columns);
    table_column(table,
                 (struct column_spec){"rest", "of the others", unit, COLUMN_DETAIL, "sum over those not listed"});
    table_row(table);
    table_int(table, rank->rank);
    table_cell(table, amount_cell(unit, rank->sum));
    table_int(table, (int64_t)rank->all);
    table_int(table, rank->count);
    table_cell(table, amount_cell(unit, rank->sum - listed));
}

static const struct column_spec events_columns[] = {
    {"step", "step", UNIT_NONE, 0, "number of the step"},
    {"event", "event", UNIT_NONE, 0, "row of the trace, or node of the execution trace"},
    {"name", "name", UNIT_NONE, COLUMN_WIDE, "operators of this name"},
    {"operator", "operator", UNIT_NONE, COLUMN_WIDE, "operator at the top"},
    {0},
};

static const struct column_spec events_columns_2[] = {
    {"start_ns", "start", UNIT_NS, 0, "from the step's begin, as walked"},
    {"dur_ns", "duration", UNIT_NS, 0, "duration as walked"},
    {0},
};

static void show_events(const struct explained_rank *rank, enum unit unit, struct section *section)
{
    struct table *table = section_table(section, "events", "The events, largest first");
    table_columns(table, events_columns);
    table_column(table,
                 (struct column_spec){"counted", "counted, a step", unit, 0, "its part of the mean over the steps"});
    table_columns(table, events_columns_2);
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct explained_event *event = &rank->events[i];
        table_row(table);
        table_cell(table, cell_int_or_null(event->step));
        table_cell(table, cell_int_or_null(event->event));
        table_text(table, event->name);
        table_text(table, event->around);
        table_cell(table, amount_cell(unit, event->amount));
        table_cell(table, ns_cell(event->start_us));
        table_cell(table, ns_cell(event->dur_us));
    }
}

/* ---- all ---- */

static void show_behind(const struct predict_explain *explain, const struct prediction *prediction,
                        struct section *section, struct arena *arena)
{
    const enum behind behind = explain->number->behind;
    if (behind == BEHIND_NOTHING)
        return;
    if (behind == BEHIND_STEPS) {
        show_steps(explain, prediction, section, arena);
        return;
    }
    if (behind == BEHIND_NAMES) {
        show_names(prediction, section);
        return;
    }
    if (prediction->replayed)
        section_text(section,
                     str_printf(arena,
                                "The figure is of the replayed recording. The events below are of the walk, in which "
                                "the step takes %.2f ms: they may add up to another figure.",
                                prediction->walk_step_us / 1e3));
    const struct explained_rank *rank = rank_of(explain, prediction->rank);
    if (!rank || !rank->all) {
        section_text(section, S("Nothing is behind it: it is nil."));
        return;
    }
    show_sum(rank, unit_of(behind), section);
    show_events(rank, unit_of(behind), section);
}

void predict_explain_show(const struct predict_explain *explain, const struct prediction *prediction,
                          struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct value *value = explain->number ? value_of(report, explain->number->id) : NULL;
    struct section *section = report_section(report, "explain", "What the number means and where it comes from");
    show_formulas(explain, section, arena);
    if (!value)
        return;
    section_value(section, explain->number->id, value->title.at, value->unit, value->cell);
    show_behind(explain, prediction, section, arena);
}
