/* SPDX-License-Identifier: Apache-2.0 */
/* How times of kernels follow from the coefficients near a point, and how far these may be off: both on their scale. */
#ifndef MODEL_SENSITIVITY_H
#define MODEL_SENSITIVITY_H

#include "posterior.h"

enum { OPEN = FAMILY_PARAMETERS + 1 }; /* coefficients, then ln of all times */

struct sensitivity {
    double ln_us;
    double by[OPEN]; /* the last is 1 */
};

/* Of each kernel at x. */
void sensitivities(const struct prior *prior, const double *x, const struct kernel *const *kernels, uint32_t count,
                   struct sensitivity *out);

/* Of the coefficients; the row and column of the factor stay 0. */
void prior_of_coefficients(const struct prior *prior, double covariance[OPEN][OPEN]);

/* The variance of ln time that a covariance makes, or what two kernels have in common of it. */
double sensitivity_product(const struct sensitivity *a, double covariance[OPEN][OPEN], const struct sensitivity *b,
                           uint32_t open);

#endif
