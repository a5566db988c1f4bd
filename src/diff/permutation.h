/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two sets of steps differ by more than chance: labels are exchanged between them, and p is the share of
 * exchanges in which the sides are as far apart as recorded, or further (two-sided; Fisher 1935, Pitman 1937).
 *
 * All exchanges where they are no more than PERMUTATION_EXACT, else PERMUTATION_DRAWS of them from a fixed seed, of which
 * p is (as far + 1) / (draws + 1), so that it is never 0. Steps of both sides are not paired: nothing says that step i
 * of both saw the same batch.
 */
#ifndef DIFF_PERMUTATION_H
#define DIFF_PERMUTATION_H

#include <stdbool.h>
#include <stdint.h>

enum { PERMUTATION_EXACT = 200000, PERMUTATION_DRAWS = 10000 };

/*
 * By which the sides are compared: the mean, which a single long step can move; the mean rank (Wilcoxon 1945; Mann and Whitney 1947), which
 * it cannot. Not the median: of two sides that do not overlap most exchanges have medians as far apart as theirs.
 */
enum permutation_by { PERMUTE_MEAN, PERMUTE_RANK };

/*
 * The smallest p that so many steps can reach: 2 / (a + b over a), of an equal number a side. 1 where a side has none.
 * Above 0.05 no test is worth its name: three steps a side reach 0.1.
 */
double permutation_least(uint32_t a, uint32_t b);
static inline bool permutation_can_tell(uint32_t a, uint32_t b)
{
    return permutation_least(a, b) <= 0.05;
}

/* NAN where permutation_can_tell says no. */
double permutation_p(const double *a, uint32_t a_count, const double *b, uint32_t b_count, enum permutation_by by);

/* Holm's correction (1979) of several p, in place; NAN stays. */
void permutation_correct(double *p, uint32_t count);

#endif
