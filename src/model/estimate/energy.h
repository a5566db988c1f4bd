/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel draws and what that comes to: watts of the board while it runs (the family `power`), joules as these times
 * its time. Both have an interval; a board without a power figure has neither.
 */
#ifndef MODEL_ENERGY_H
#define MODEL_ENERGY_H

#include <math.h>

#include "interval.h"

/* Of a kernel that takes `us`. In `watts`, us stands for watts. False where the device's power is not known. */
bool models_watts(const struct models *models, const struct hardware *hardware, const struct kernel *kernel, double us,
                  struct estimate *watts);

/* Of a board that has work and does next to nothing. */
bool models_idle_watts(const struct models *models, const struct hardware *hardware, struct estimate *watts);

/* Of work that is not known: in the middle between the board with little work and its limit. */
bool models_unknown_watts(const struct models *models, const struct hardware *hardware, struct estimate *watts);

/* ---- sums ---- */

/* Kernels one after the other. Zeroed to begin with. What times may be off and what watts may be off are independent. */
struct energy_sum {
    struct estimate_sum by_time, by_watts; /* us of both: microjoules */
    enum estimate_basis basis;             /* the least sure of the watts */
};

/*
 * Adds a kernel that runs for `us` in all; `time` NULL: that is measured. `beside_w` of its watts are counted elsewhere: what
 * the board takes for being there is of the step, in which kernels may run beside each other.
 */
void energy_sum_add(struct energy_sum *sum, const struct estimate *time, const struct estimate *watts, double us,
                    double beside_w);

/* Joules, and between which the true ones lie at that level; all NaN where nothing is known. */
struct joules {
    double joules, low, high;
};

static inline struct joules joules_unknown(void)
{
    return (struct joules){NAN, NAN, NAN};
}

struct joules energy_sum_joules(const struct energy_sum *sum, double level);

/*
 * No board draws less than a tenth of its power with work, or more than its power for long (meters show up to a fiftieth
 * more): in that time, between these.
 */
struct joules joules_of_board(struct joules joules, const struct hardware *hardware, double low_us, double high_us);

/* ---- steps ---- */

enum energy_known { ENERGY_NO_DEVICE, ENERGY_NO_POWER, ENERGY_KNOWN };

/* What a step draws on one board, or on several alike: its work, and they for being there all along. */
struct step_energy {
    enum energy_known known;
    struct energy_sum work; /* beyond a board that has next to nothing to do */
    struct estimate idle;   /* watts of such a board */
    struct hardware board;
    double boards; /* 1 */
};

/* Between which a step's time lies. Both ends NaN: that is not known. Both the time itself: nothing of it is an estimate. */
struct step_time {
    double us, low_us, high_us;
};

/* From ends that are -1 where there is no interval: either nothing is estimated, or steps are too unlike to tell. */
struct step_time step_time_of(double us, double low_us, double high_us, bool unlike);

/* On that board, without work yet; NULL: the device is not known. */
struct step_energy step_energy_on(const struct models *models, const struct hardware *board);

/* Why it is not known, as the rest of a sentence; "" where it is. */
str step_energy_why(const struct step_energy *energy, struct arena *arena);

/* Without ends where those of the time are not known. */
struct joules step_joules(const struct step_energy *energy, struct step_time time, double level);

/* What a step costs on a GPU at that price for an hour, and its ends as those of the time; NaN without a price (0). */
struct money {
    double cost, low, high;
};

struct money step_money(struct step_time time, double per_hour);

/* Of one kernel. */
struct joules kernel_joules(const struct estimate *time, const struct estimate *watts, const struct hardware *hardware,
                            double level);

#endif
