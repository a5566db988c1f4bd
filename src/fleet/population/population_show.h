/* SPDX-License-Identifier: Apache-2.0 */
/* The distributions of a population as tables and curves. */
#ifndef FLEET_POPULATION_SHOW_H
#define FLEET_POPULATION_SHOW_H

#include "population.h"
#include "report/report.h"

/* "all" of POPULATION_ALL; else the group's name, "(none)" of an empty one, 'all' in quotes of one that is called so. */
str group_word(const struct population *population, uint32_t group);

struct shown_value {
    uint32_t value; /* index among the population's */
    const char *id, *title;
    enum unit unit;
    double most; /* of shares: 1; NaN where it is open */
};

/* Tables curve_job, curve_gpu, curve_gpu_time: the share of weight at or below each of 0, 5, 10 ... 100 %; all values must be shares. */
void population_show_curves(struct population *population, const struct shown_value *shown, uint32_t count,
                            struct section *section, struct arena *arena);

/* A table with a row for each group, value and weight: mean and quantiles. Details: not on a terminal unless asked for. */
void population_show_quantiles(struct population *population, const struct shown_value *shown, uint32_t count,
                               const char *id, struct section *section);

#endif
