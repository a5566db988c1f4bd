/* SPDX-License-Identifier: Apache-2.0 */
#include "energy_show.h"

#include <math.h>

static double or_step(double us, const struct prediction *p)
{
    return us >= 0 ? us : p->walked.step_us;
}

struct joules predict_joules(const struct prediction *p)
{
    const struct predicted_energy *energy = &p->energy;
    struct energy_sum sum = energy->work;
    if (!energy->known)
        return joules_unknown();
    energy_sum_add(&sum, NULL, &energy->idle, p->walked.step_us, 0);
    const struct joules joules = energy_sum_joules(&sum, p->level > 0 ? p->level : 0.9);
    return joules_of_board(joules, &energy->board, or_step(p->range.low_us, p), or_step(p->range.high_us, p));
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
    const double us_in_hour = 3.6e9, each_us = per_hour > 0 ? per_hour / us_in_hour : NAN, million = 1e6;
    const double cost = each_us * p->walked.step_us, low = each_us * or_step(p->range.low_us, p),
                 high = each_us * or_step(p->range.high_us, p);
    section_detail(section, "cost", "a step at the price of a GPU", UNIT_NONE, real_cell(cost));
    section_detail(section, "cost_low", "at least", UNIT_NONE, real_cell(low));
    section_detail(section, "cost_high", "at most", UNIT_NONE, real_cell(high));
    if (per_hour > 0)
        section_text(section, str_printf(arena, "On one GPU at %.6g an hour a million steps cost %.4g (%.4g to %.4g).",
                                         per_hour, cost * million, low * million, high * million));
}

void energy_show(struct section *section, const struct prediction *p, double per_hour, struct arena *arena)
{
    const struct joules joules = predict_joules(p);
    const bool known = p->energy.known;
    put_real(section, "watts", "the board's power (W), mean", joules.joules / p->walked.step_us * 1e6);
    put_real(section, "joules", "energy of a step on the GPU (J)", joules.joules);
    put_real(section, "joules_low", "at least", joules.low);
    put_real(section, "joules_high", "at most", joules.high);
    (known ? section_value : section_detail)(section, "watts_basis", "its power, the least sure of it", UNIT_NONE,
                                             known ? cell_text(estimate_basis_word(p->energy.work.basis))
                                                   : cell_null());
    show_cost(section, p, per_hour, arena);
}
