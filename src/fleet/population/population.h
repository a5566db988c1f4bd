/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A streamed population: rows of a few values each (shares of the parts, step
 * time, speed-up), by group, under three weights. Counts, sums, means, quantiles
 * and cumulative curves of each value, of all rows and of each group.
 *
 * Up to POPULATION_EXACT rows the values themselves are kept and quantiles are
 * exact. Beyond, each value of a group is a histogram in its logarithm, whose
 * quantiles are off by at most POPULATION_ERROR of their value (Masson, Rim, Lee:
 * DDSketch, VLDB 2019). Populations merge, in any order, into that of all their
 * rows, and travel between processes as bytes.
 */
#ifndef FLEET_POPULATION_H
#define FLEET_POPULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "steptime/error.h"

/* How rows are weighed: each the same, by its cNodes, by cNodes and time. */
enum weight { WEIGHT_JOB, WEIGHT_GPU, WEIGHT_GPU_TIME, WEIGHTS };

enum { POPULATION_EXACT = 1000000, POPULATION_GROUPS = 256 };
#define POPULATION_ERROR 0.005
#define POPULATION_LEAST 0x1p-48
#define POPULATION_MOST  0x1p48

/*
 * Beyond POPULATION_GROUPS groups those with most rows are kept (of the first POPULATION_EXACT rows, where there are more),
 * and all others are one, "(other)". Names longer than POPULATION_NAME bytes are cut and get a mark, so that those that
 * begin alike stay apart.
 */
enum { POPULATION_ALL = UINT32_MAX, POPULATION_NAME = 128 };

struct population;

/* Rows of `values` numbers. */
struct population *population_new(uint32_t values);
void population_free(struct population *population);
void population_clear(struct population *population);

/*
 * A value that is not finite is none: the row does not count for it. Others are 0 or more, weights too. Beyond
 * POPULATION_EXACT rows values up to POPULATION_LEAST are 0, and those above POPULATION_MOST are that.
 */
void population_add(struct population *population, str group, const double weight[WEIGHTS], const double *values);
void population_merge(struct population *into, const struct population *from); /* two of as many values */

uint32_t population_group_count(const struct population *population);
str population_group(const struct population *population, uint32_t group); /* in order of their names */
bool population_is_exact(const struct population *population);

/* Of the rows of a group, or POPULATION_ALL, that have the value. */
uint64_t population_count(const struct population *population, uint32_t group, uint32_t value);
double population_weight(const struct population *population, uint32_t group, uint32_t value, enum weight weight);
double population_mean(const struct population *population, uint32_t group, uint32_t value,
                       enum weight weight); /* NaN of nothing */

/* The least value at or below which a share q of the weight lies; NaN of nothing. */
double population_quantile(struct population *population, uint32_t group, uint32_t value, enum weight weight, double q);

/*
 * The share of the weight with values above `bound`: speed-ups above 1, shares above 80 %. Beyond POPULATION_EXACT rows
 * that of a bound off by at most POPULATION_ERROR; above 1 it is still that of 1, so that equal is not above.
 */
double population_above(struct population *population, uint32_t group, uint32_t value, enum weight weight,
                        double bound);

/*
 * Brings the rows of all processes of the crew to the first one, the same population as if it had added them all
 * (up to rounding of sums). Every process calls it. Those of the others are empty afterwards.
 */
bool population_gather(struct population *population, struct steptime_error *err);

void population_write(const struct population *population, struct buf *bytes);
/* Takes its bytes from the front of *bytes; NULL where they are none of a population. */
struct population *population_read(str *bytes);

#endif
