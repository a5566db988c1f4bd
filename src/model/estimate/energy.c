/* SPDX-License-Identifier: Apache-2.0 */
#include "energy.h"

#include <math.h>

#include "base/arena.h"

/* ---- watts ---- */

/*
 * A form that was never fitted may be off by three (interval.c). Watts cannot be: boards that have work draw from a fifth of
 * their power to all of it, and whatever is said in the middle is off by little more than two.
 */
static const double unfitted_factor = 2.2, unfitted_level = 0.9;

bool models_watts(const struct models *models, const struct hardware *hardware, const struct kernel *kernel, double us,
                  struct estimate *watts)
{
    struct kernel busy = *kernel;
    busy.busy_us = us;
    if (!(us > 0) || !models_estimate(models, hardware, &busy, watts, NULL))
        return false;
    watts->us = fmin(watts->us, hardware->figure[HW_POWER]);
    if (watts->basis == BASIS_ANALYTIC || watts->basis == BASIS_BYTES)
        watts->shared = watts->own = interval_sd(log(unfitted_factor), unfitted_level) * M_SQRT1_2;
    return true;
}

bool models_idle_watts(const struct models *models, const struct hardware *hardware, struct estimate *watts)
{
    const struct kernel next_to_nothing = {.form = FORM_BYTES, .dtype = DTYPE_F32, .moved = {.bytes = 1}};
    const double long_us = 1e9;
    return models_watts(models, hardware, &next_to_nothing, long_us, watts);
}

bool models_unknown_watts(const struct models *models, const struct hardware *hardware, struct estimate *watts)
{
    if (!models_idle_watts(models, hardware, watts))
        return false;
    watts->us = sqrt(watts->us * hardware->figure[HW_POWER]);
    watts->basis = BASIS_BYTES;
    watts->shared = watts->own = interval_sd(log(unfitted_factor), unfitted_level) * M_SQRT1_2;
    return true;
}

/* ---- joules ---- */

void energy_sum_add(struct energy_sum *sum, const struct estimate *time, const struct estimate *watts, double us,
                    double beside_w)
{
    const double microjoules = fmax(watts->us - beside_w, 0) * us;
    if (time)
        estimate_sum_add(&sum->by_time, time, microjoules);
    else
        sum->by_time.us += microjoules;
    estimate_sum_add(&sum->by_watts, watts, microjoules);
    sum->basis = watts->basis > sum->basis ? watts->basis : sum->basis;
}

static double sd_of(const struct estimate_sum *sum)
{
    double shared, own;
    estimate_sum_sd(sum, &shared, &own);
    return hypot(shared, own);
}

static struct joules around(double microjoules, double sd, double level)
{
    const double factor = exp(interval_half_width(sd, level)), joules = microjoules / 1e6;
    return (struct joules){joules, joules / factor, joules * factor};
}

struct joules energy_sum_joules(const struct energy_sum *sum, double level)
{
    if (!(sum->by_watts.us > 0))
        return joules_unknown();
    return around(sum->by_watts.us, hypot(sd_of(&sum->by_time), sd_of(&sum->by_watts)), level);
}

static const double least_share = 0.1, most_share = 1.02;

struct joules joules_of_board(struct joules joules, const struct hardware *hardware, double low_us, double high_us)
{
    const double each_us = hardware->figure[HW_POWER] / 1e6;
    joules.low = fmin(joules.joules, fmax(joules.low, least_share * each_us * low_us));
    joules.high = fmax(joules.joules, fmin(joules.high, most_share * each_us * high_us));
    return joules;
}

struct joules kernel_joules(const struct estimate *time, const struct estimate *watts, const struct hardware *hardware,
                            double level)
{
    double low_us, high_us;
    estimate_interval(time, level, &low_us, &high_us);
    const struct joules joules = around(time->us * watts->us, hypot(estimate_sd(time), estimate_sd(watts)), level);
    return joules_of_board(joules, hardware, low_us, high_us);
}

/* ---- steps ---- */

struct step_time step_time_of(double us, double low_us, double high_us, bool unlike)
{
    if (high_us >= 0)
        return (struct step_time){us, low_us, high_us};
    return unlike ? (struct step_time){us, NAN, NAN} : (struct step_time){us, us, us};
}

struct step_energy step_energy_on(const struct models *models, const struct hardware *board)
{
    struct step_energy energy = {.known = ENERGY_NO_DEVICE, .boards = 1};
    if (!models || !board)
        return energy;
    energy.board = *board;
    energy.known = models_idle_watts(models, board, &energy.idle) ? ENERGY_KNOWN : ENERGY_NO_POWER;
    return energy;
}

str step_energy_why(const struct step_energy *energy, struct arena *arena)
{
    const str name = energy->board.name;
    switch (energy->known) {
    case ENERGY_KNOWN:
        break;
    case ENERGY_NO_DEVICE:
        return S("the device is not known");
    case ENERGY_NO_POWER:
        return str_printf(arena, "no power limit of %.*s is known", (int)name.len, name.at);
    }
    return S("");
}

/* As long as the step lasts, so as unsure as its time; the further end counts. */
static struct estimate doubt_of_time(struct step_time time, double level)
{
    const double half = fmax(log(time.high_us / time.us), time.low_us > 0 ? log(time.us / time.low_us) : 0);
    return (struct estimate){.us = time.us, .shared = interval_sd(half, level), .family = ESTIMATE_NO_FAMILY};
}

struct joules step_joules(const struct step_energy *energy, struct step_time time, double level)
{
    struct energy_sum sum = energy->work;
    if (energy->known != ENERGY_KNOWN || !(time.us > 0))
        return joules_unknown();
    const bool ranged = !isnan(time.high_us);
    const struct step_time exact = {time.us, time.us, time.us}, asked = ranged ? time : exact;
    const struct estimate doubt = doubt_of_time(asked, level);
    energy_sum_add(&sum, &doubt, &energy->idle, time.us * energy->boards, 0);
    const struct joules joules = joules_of_board(energy_sum_joules(&sum, level), &energy->board,
                                                 asked.low_us * energy->boards, asked.high_us * energy->boards);
    return (struct joules){joules.joules, ranged ? joules.low : NAN, ranged ? joules.high : NAN};
}

struct money step_money(struct step_time time, double per_hour)
{
    const double us_in_hour = 3.6e9, each_us = per_hour > 0 ? per_hour / us_in_hour : NAN;
    return (struct money){each_us * time.us, each_us * time.low_us, each_us * time.high_us};
}
