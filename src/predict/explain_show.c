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

static void show_formulas(const struct predict_explain *explain, struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, "formulas", "");
    table_json_only(table);
    table_column(table, "number", "number", UNIT_NONE, 0);
    table_column(table, "formula", "formula", UNIT_NONE, COLUMN_WIDE);
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

static void show_steps(const struct predict_explain *explain, const struct prediction *p, struct section *section,
                       struct arena *arena)
{
    struct table *table = section_table(section, "explained_steps", "The steps behind it");
    const str id = str_of(explain->number->id);
    const bool error = str_eq(id, S("error")) || str_eq(id, S("bias"));
    (void)arena;
    table_column(table, "rank", "rank", UNIT_NONE, 0);
    table_column(table, "step", "step", UNIT_NONE, 0);
    table_column(table, "counted_ns", error ? "predicted less measured" : "counted", UNIT_NS, 0);
    table_column(table, "share", error ? "of the measured" : "of all steps", UNIT_RATIO, 0);
    double sum = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        sum += step_amount(&p->steps[i], id);
    for (uint32_t i = 0; i < p->step_count; i++) {
        const double us = step_amount(&p->steps[i], id), whole = error ? p->steps[i].finished_us : sum;
        table_row(table);
        table_int(table, p->rank);
        table_cell(table, p->steps[i].number < 0 ? cell_null() : cell_int(p->steps[i].number));
        table_cell(table, ns_cell(us));
        table_cell(table, whole > 0 && !isnan(us) ? cell_real(us / whole) : cell_null());
    }
}

/* ---- names ---- */

static void show_names(const struct prediction *p, struct section *section)
{
    struct table *table = section_table(section, "explained_names", "What a step is shorter without");
    table_column(table, "name", "operators", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "calls", "calls", UNIT_COUNT, 0);
    table_column(table, "counted_ns", "a step is shorter by", UNIT_NS, 0);
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

static void show_sum(const struct explained_rank *rank, enum unit unit, struct section *section)
{
    double listed = 0;
    for (uint32_t i = 0; i < rank->count; i++)
        listed += rank->events[i].amount;
    struct table *table = section_table(section, "explained", "What it is made of");
    table_column(table, "rank", "rank", UNIT_NONE, 0);
    table_column(table, "sum", "all together, a step", unit, 0);
    table_column(table, "events", "events, all steps", UNIT_COUNT, 0);
    table_column(table, "shown", "listed", UNIT_COUNT, COLUMN_DETAIL);
    table_column(table, "rest", "of the others", unit, COLUMN_DETAIL);
    table_row(table);
    table_int(table, rank->rank);
    table_cell(table, amount_cell(unit, rank->sum));
    table_int(table, (int64_t)rank->all);
    table_int(table, rank->count);
    table_cell(table, amount_cell(unit, rank->sum - listed));
}

static void show_events(const struct explained_rank *rank, enum unit unit, struct section *section)
{
    struct table *table = section_table(section, "events", "The events, largest first");
    table_column(table, "step", "step", UNIT_NONE, 0);
    table_column(table, "event", "event", UNIT_NONE, 0);
    table_column(table, "name", "name", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "operator", "operator", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "counted", "counted, a step", unit, 0);
    table_column(table, "start_ns", "start", UNIT_NS, 0);
    table_column(table, "dur_ns", "duration", UNIT_NS, 0);
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct explained_event *event = &rank->events[i];
        table_row(table);
        table_cell(table, event->step < 0 ? cell_null() : cell_int(event->step));
        table_cell(table, event->event < 0 ? cell_null() : cell_int(event->event));
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
