/* SPDX-License-Identifier: Apache-2.0 */
#include "energy_show.h"

#include <math.h>

#include "predict/energy/energy_table.h"

static struct step_time time_of(const struct prediction *p)
{
    return step_time_of(p->walked.step_us, p->range.low_us, p->range.high_us, range_too_unlike(p->steps_error));
}

struct joules predict_joules(const struct prediction *p)
{
    return step_joules(&p->energy, time_of(p), p->level > 0 ? p->level : 0.9);
}

static struct cell real_cell(double real)
{
    return isnan(real) ? cell_null() : cell_real(real);
}

/* For people where it is known; programs find it always. */
static void put_real(struct section *section, const char *id, const char *title, double real)
{
    (isnan(real) ? section_detail : section_value)(section, id, title, UNIT_NONE, real_cell(real));
}

/* A step costs next to nothing, so people are told of a million. */
static void show_cost(struct section *section, const struct prediction *p, double per_hour, struct arena *arena)
{
    const double million = 1e6;
    const struct money money = step_money(time_of(p), per_hour);
    section_detail(section, "cost", "a step at the price of a GPU", UNIT_NONE, real_cell(money.cost));
    section_detail(section, "cost_low", "at least", UNIT_NONE, real_cell(money.low));
    section_detail(section, "cost_high", "at most", UNIT_NONE, real_cell(money.high));
    if (isnan(money.cost))
        return;
    const str ends = isnan(money.high) ? S("no interval: the recorded steps are too unlike")
                                       : str_printf(arena, "%.4g to %.4g", money.low * million, money.high * million);
    section_text(section, str_printf(arena, "On one GPU at %.6g an hour a million steps cost %.4g (%.*s).", per_hour,
                                     money.cost * million, (int)ends.len, ends.at));
}

void energy_show(struct section *section, const struct prediction *p, double per_hour, struct arena *arena)
{
    const struct joules joules = predict_joules(p);
    const bool known = p->energy.known == ENERGY_KNOWN;
    put_real(section, "watts", "the board's power (W), mean", joules.joules / p->walked.step_us * 1e6);
    put_real(section, "joules", "energy of a step on the GPU (J)", joules.joules);
    put_real(section, "joules_low", "at least", joules.low);
    put_real(section, "joules_high", "at most", joules.high);
    (known ? section_value : section_detail)(section, "watts_basis", "its power, the least sure of it", UNIT_NONE,
                                             known ? cell_text(estimate_basis_word(p->energy.work.basis))
                                                   : cell_null());
    if (!known)
        energy_tell_unknown(section, &p->energy, arena);
    show_cost(section, p, per_hour, arena);
}
