/* SPDX-License-Identifier: Apache-2.0 */
/* Small statistics over integer samples (nanoseconds, bytes). */
#ifndef BASE_STAT_H
#define BASE_STAT_H

#include <stddef.h>
#include <stdint.h>

struct stat_summary {
    uint64_t count;
    int64_t sum, min, max;
    double mean, p50, p95;
};

/* Sorts the samples in place. Of no samples all figures are 0. */
struct stat_summary stat_summarise(int64_t *samples, size_t count);

/*
 * The q-quantile (0 <= q <= 1) of sorted samples by linear interpolation between
 * closest ranks: h = q(n-1), x[floor h] + (h - floor h)(x[floor h + 1] - x[floor h])
 * (type 7 of Hyndman and Fan 1996; the default of NumPy and R). 0 of no samples.
 */
double stat_quantile(const int64_t *sorted, size_t count, double q);

/* Of reals, which it sorts in place: the middle one, or the mean of the two in the middle; NAN of none. */
double stat_median(double *values, size_t count);

/* The 97.5 % quantile of Student's t: half the width of a 95 % interval in standard errors. Degrees of 1 or more. */
double stat_t95(uint32_t degrees);

#endif
