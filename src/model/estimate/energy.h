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

/* Of one kernel. */
struct joules kernel_joules(const struct estimate *time, const struct estimate *watts, const struct hardware *hardware,
                            double level);

#endif
