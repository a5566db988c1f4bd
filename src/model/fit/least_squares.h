/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Robust non-linear least squares by Levenberg and Marquardt: the parameters that
 * make the sum of rho(residual) least, rho(r) = 2 c^2 (sqrt(1 + (r / c)^2) - 1),
 * which is r^2 near 0 and |r| far from it, so that rows that nothing explains do
 * not decide. Derivatives are differences. Parameters stay within their bounds.
 *
 * Deterministic: the same problem gives the same bits, on any number of threads.
 */
#ifndef MODEL_LEAST_SQUARES_H
#define MODEL_LEAST_SQUARES_H

#include <stdint.h>

enum { LEAST_SQUARES_PARAMETERS = 32 };

struct least_squares {
    uint32_t rows, parameters;
    const double *low, *high; /* of the parameters */
    double knee;              /* c above */
    uint32_t steps;           /* at most so many */

    /* Fills residuals, finite, of the parameters x. */
    void (*residuals)(const void *context, const double *x, double *residuals);
    const void *context;
};

/* From x to a minimum near it, in place; the mean of rho there. */
double least_squares(const struct least_squares *problem, double *x);

/*
 * The sums of products of derivatives at x, weighted as squares stand for rho there; matrix[p * parameters + q]. The mean
 * of the squares, weighted likewise.
 */
double least_squares_curvature(const struct least_squares *problem, const double *x, double *matrix);

#endif
