/* SPDX-License-Identifier: Apache-2.0 */
#include "energy_table.h"

#include <math.h>

static const struct column_spec joules_columns[] = {
    {"joules", "energy (J)", UNIT_NONE, 0, "of a step on all boards that are told of; null where it is not known"},
    {"joules_low", "energy at least", UNIT_NONE, 0, "lower end of the interval of joules"},
    {"joules_high", "energy at most", UNIT_NONE, 0, "upper end of it"},
    {"watts", "mean power (W)", UNIT_NONE, 0, "joules / step: of all these boards"},
    {"watts_basis", "power known by", UNIT_NONE, 0,
     "the least sure part of the watts: measured, carried, analytic, bytes; unknown"},
    {0},
};

static const struct column_spec money_columns[] = {
    {"cost", "cost", UNIT_NONE, COLUMN_DETAIL,
     "of a step on all boards that are told of, at the price of --per-hour; null without it"},
    {"cost_low", "cost at least", UNIT_NONE, COLUMN_DETAIL, "lower end of the interval of cost"},
    {"cost_high", "cost at most", UNIT_NONE, COLUMN_DETAIL, "upper end of it"},
    {0},
};

/* A step costs next to nothing, so people are told of a million. */
static const double million = 1e6;

static const struct column_spec million_columns[] = {
    {"million_cost", "a million cost", UNIT_NONE, 0, "cost of a million steps"},
    {"million_cost_low", "a million at least", UNIT_NONE, 0, "lower end of the interval of million_cost"},
    {"million_cost_high", "a million at most", UNIT_NONE, 0, "upper end of it"},
    {0},
};

void energy_columns(struct table *table, const struct energy_asked *asked)
{
    if (asked->per_hour > 0 && !asked->each) /* first, as the last columns are those that a narrow screen leaves out */
        table_columns(table, million_columns);
    table_columns(table, joules_columns);
    table_columns(table, money_columns);
}

/* Three numbers, of which those that are NaN are not known. */
static void put_reals(struct table *table, const double reals[3])
{
    for (int i = 0; i < 3; i++)
        table_cell(table, isnan(reals[i]) ? cell_null() : cell_real(reals[i]));
}

void energy_put(struct table *table, const struct step_energy *energy, struct step_time time,
                const struct energy_asked *asked)
{
    const struct joules joules = step_joules(energy, time, asked->level);
    const struct money money = step_money(time, asked->per_hour * energy->boards);
    const double watts = joules.joules / time.us * 1e6;
    if (asked->per_hour > 0 && !asked->each)
        put_reals(table, (const double[]){money.cost * million, money.low * million, money.high * million});
    put_reals(table, (const double[]){joules.joules, joules.low, joules.high});
    table_cell(table, isnan(watts) ? cell_null() : cell_real(watts));
    table_text(table, isnan(watts) ? S("unknown") : estimate_basis_word(energy->work.basis));
    put_reals(table, (const double[]){money.cost, money.low, money.high});
}

void energy_tell_unknown(struct section *section, const struct step_energy *energy, struct arena *arena)
{
    const str why = step_energy_why(energy, arena);
    section_text(section, str_printf(arena, "Joules are unknown: %.*s.", (int)why.len, why.at));
}
