/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of one of their values, with the weight of those before at every 64th. */
#ifndef FLEET_POPULATION_SORTED_H
#define FLEET_POPULATION_SORTED_H

#include "fleet/population_rows.h"

struct sorted;

/* Of those of the `count` rows that have the value. The store of rows outlives it. */
struct sorted *sorted_new(const struct rows *store, const uint32_t *rows, uint32_t count, uint32_t value);
void sorted_free(struct sorted *sorted);

/* As population_quantile and population_above say. */
double sorted_quantile(const struct sorted *sorted, enum weight weight, double q);
double sorted_above(const struct sorted *sorted, enum weight weight, double bound);

#endif
