/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A linear programme of few rows and many columns:
 *
 *     the most of sum c_j p_j,  where sum a_ij p_j = b_i for each row i, and p_j >= 0
 *
 * by the revised simplex method in two phases (Dantzig 1953). The inverse of the
 * basis is rows x rows and kept whole; columns are only priced. Most b_i are 0, so
 * they are moved a little, each by another amount, to keep it from cycling; the
 * answer is that of the same basis at the b_i as they were, good to six digits.
 */
#ifndef FLEET_PROGRAMME_H
#define FLEET_PROGRAMME_H

#include <stddef.h>
#include <stdint.h>

enum { PROGRAMME_ROWS = 64 };

struct programme {
    uint32_t rows; /* at most PROGRAMME_ROWS */
    size_t columns;
    const double *coefficients; /* a_ij at [j * rows + i] */
    const double *gain;         /* c_j */
    const double *right;        /* b_i */
};

enum programme_end {
    PROGRAMME_SOLVED,
    PROGRAMME_CONTRADICTS, /* no p holds all rows */
    PROGRAMME_UNBOUNDED,
    PROGRAMME_UNFINISHED, /* rounding kept it from an end */
};

/* *most is set where it is solved. */
enum programme_end programme_most(const struct programme *programme, double *most);

#endif
