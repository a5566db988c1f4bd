/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What steps differ by anyway, and what a comparison of so many of them can tell. doc/numbers/diff.md defines each number.
 *
 *     error      of the difference of both means. Of a side the larger of two: what its steps differ by from one to the next,
 *                pooled over both sides, and what its early half differs by from its late one, where each has four steps
 *     by chance  a difference below this is explained by it: Student's quantile of 95 % times the error
 *     shows      a change of this is proven four times in five
 */
#ifndef DIFF_SPREAD_H
#define DIFF_SPREAD_H

#include <stdint.h>

struct spread {
    double deviation; /* of a step, pooled */
    double error;     /* NAN: of one step a side nothing is known */
    double by_chance, shows;
};

struct spread spread_of(const double *before, uint32_t before_count, const double *after, uint32_t after_count);

/* Steps a side of which a change of this size is proven four times in five; 0: not known, or more than SPREAD_MOST_STEPS. */
enum { SPREAD_MOST_STEPS = 1000 };
uint32_t spread_steps(const struct spread *spread, double change);

#endif
