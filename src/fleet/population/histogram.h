/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights of values by the logarithm of the value, nearly: 128 buckets between
 * two powers of two, of equal width, so that a bucket is the upper bits of a
 * double. A bucket is (low, high], and powers of two are borders: what lies
 * above 1 is told exactly. The middle of a bucket is off by at most 1/256 of any
 * value in it. (Buckets as in Tene's HdrHistogram; the bound as in Masson, Rim,
 * Lee: DDSketch, VLDB 2019.)
 *
 * Memory is the pages of buckets that were met, 384 bytes each: at most 300 KB,
 * of a usual population some tens.
 */
#ifndef FLEET_HISTOGRAM_H
#define FLEET_HISTOGRAM_H

#include "population.h"

enum { HISTOGRAM_PAGE = 16, HISTOGRAM_PAGES = 96 * 128 / HISTOGRAM_PAGE };

struct bucket {
    double weight[WEIGHTS];
};

struct histogram {
    struct bucket zero; /* values up to POPULATION_LEAST */
    struct bucket (*pages)[HISTOGRAM_PAGE];
    size_t count, room;             /* of pages */
    uint16_t page[HISTOGRAM_PAGES]; /* which of them + 1; 0: none was met */
};

/* A zeroed struct is empty. */
void histogram_free(struct histogram *histogram);
void histogram_add(struct histogram *histogram, double value, const double weight[WEIGHTS]);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The middle of the bucket in which a share q of the weight is reached, 0 for the first; NaN where there is no weight. */
double histogram_quantile(const struct histogram *histogram, enum weight weight, double q);
double histogram_above(const struct histogram *histogram, enum weight weight, double bound);

void histogram_write(const struct histogram *histogram, struct buf *bytes);
bool histogram_read(struct histogram *histogram, str *bytes); /* into an empty one; false where they are none */

#endif
