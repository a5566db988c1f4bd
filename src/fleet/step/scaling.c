/* SPDX-License-Identifier: Apache-2.0 */
#include "scaling.h"

#include <math.h>

/*
 * Of forward, gradients of activations and gradients of weights, which take as many FLOPs each, the last two are the
 * backward pass, and buckets of gradients leave as it goes (Li et al., "PyTorch Distributed", VLDB 2020).
 */
const double scaling_beside = 2.0 / 3.0;

/* Where the normal distribution has the share p >= 1/2 below: Abramowitz and Stegun 26.2.23, then Newton's steps. */
static double normal_quantile(double p)
{
    const double t = sqrt(-2 * log(1 - p));
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 2; i++) {
        const double above = erfc(z / sqrt(2)) / 2, density = exp(-z * z / 2) / sqrt(2 * M_PI);
        z += (above - (1 - p)) / density;
    }
    return z;
}

/* Blom, "Statistical Estimates and Transformed Beta-Variables", 1958: within 5 % of the order statistic's mean, 1 % from eight on. */
double scaling_largest(double n)
{
    return n > 1 ? normal_quantile((n - 0.375) / (n + 0.25)) : 0;
}

double scaling_slowest(double spread, double n)
{
    return spread > 0 ? 1 + spread * scaling_largest(n) : 1;
}
