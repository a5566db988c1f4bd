/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in the order of one of their values, as far as was asked: they lie in
 * buckets of values, about 64 rows each, in the order of the buckets, with the
 * weight of all rows before each. A bucket is sorted when a question falls into it.
 */
#ifndef FLEET_POPULATION_SORTED_H
#define FLEET_POPULATION_SORTED_H

#include "population_rows.h"

struct sorted;

/* Of those of the `count` rows that have the value; rows NULL: the first `count` of the store, which outlives it. */
struct sorted *sorted_new(const struct rows *store, const uint32_t *rows, uint32_t count, uint32_t value);
void sorted_free(struct sorted *sorted);

/* As population_quantile and population_above say. */
double sorted_quantile(struct sorted *sorted, enum weight weight, double q);
double sorted_above(struct sorted *sorted, enum weight weight, double bound);

#endif
