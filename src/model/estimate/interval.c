/* SPDX-License-Identifier: Apache-2.0 */
#include "interval.h"

#include <math.h>
#include <string.h>

static const double unit_sd = 1.4142135623730951; /* of Student's distribution of four degrees of freedom */

/* Between the families on one device: 0 to 0.25 was seen on four GPUs; the upper end widens. */
static const double correlation = 0.25;

/*
 * Student's quantile of four degrees of freedom in closed form (W. T. Shaw, Sampling Student's T distribution, J. Comput.
 * Finance 9, 2006), for the middle `level` of it, over its standard deviation.
 */
static double quantile(double level)
{
    const double within = fmin(fmax(level, 0), 0.999999);
    const double outside = sqrt(1 - within * within); /* sqrt(4 p (1 - p)), p = (1 + level) / 2 */
    return 2 * sqrt(fmax(cos(acos(outside) / 3) / outside - 1, 0)) / unit_sd;
}

/* Root mean square over the GPUs of theirs, of ln(step / sum of its measured operators). */
const double training_doubt = 0.18;

double interval_half_width(double sd, double level)
{
    return sd * quantile(level);
}

double interval_sd(double half_width, double level)
{
    return half_width / quantile(level);
}

double estimate_sd(const struct estimate *estimate)
{
    return hypot(estimate->shared, estimate->own);
}

void estimate_interval(const struct estimate *estimate, double level, double *low_us, double *high_us)
{
    const double factor = exp(interval_half_width(estimate_sd(estimate), level));
    *low_us = estimate->us / factor;
    *high_us = estimate->us * factor;
}

/*
 * Of forms whose coefficients were never fitted. The values that they start from were held against measurements that
 * came later: products of 16 bits were off by 5 to 16 times where rows are few, attention of one query by 2 to 4, and
 * traffic by less than 1.5 on most recorded traces. A factor of three either way holds nine of ten.
 */
const double prior_factor = 3;
static const double prior_level = 0.9;

void estimate_prior(struct estimate *estimate)
{
    estimate_prior_within(estimate, log(prior_factor));
}

void estimate_prior_within(struct estimate *estimate, double half_width)
{
    const double sd = interval_sd(half_width, prior_level);
    estimate->error = NAN;
    estimate->shared = estimate->own = sd * M_SQRT1_2;
}

/* What no table has is off alike on both, but for half of it. */
static double shared_over(const struct estimate *estimate)
{
    const double unlike = estimate->unlike * estimate->unlike;
    return sqrt(fmax(0, estimate->shared * estimate->shared - 0.75 * unlike));
}

void estimate_over(struct estimate *estimate, const struct estimate *over)
{
    estimate->shared = hypot(shared_over(estimate), shared_over(over));
    estimate->unlike = 0;
    estimate->own = hypot(estimate->own, over->own);
    estimate->error += over->error;
}

/* ---- sums ---- */

/* Kernels of one shape take the same time, to the last bit. */
static uint32_t shape_of(const struct estimate *estimate)
{
    uint64_t bits;
    memcpy(&bits, &estimate->us, sizeof bits);
    bits = (bits ^ estimate->family) * 0x9e3779b97f4a7c15U;
    return (uint32_t)(bits >> 57) % ESTIMATE_SHAPES;
}

void estimate_sum_add(struct estimate_sum *sum, const struct estimate *estimate, double us)
{
    sum->us += us;
    sum->shared_us[estimate->family] += us * estimate->shared;
    sum->own_us[shape_of(estimate)] += us * estimate->own;
}

void estimate_sum_join(struct estimate_sum *sum, const struct estimate_sum *more)
{
    sum->us += more->us;
    for (int i = 0; i < ESTIMATE_FAMILIES; i++)
        sum->shared_us[i] += more->shared_us[i];
    for (int i = 0; i < ESTIMATE_SHAPES; i++)
        sum->own_us[i] += more->own_us[i];
    sum->whole = fmax(sum->whole, more->whole);
}

void estimate_sum_sd(const struct estimate_sum *sum, double *shared, double *own)
{
    double straight = 0, squares = 0, own_squares = 0;
    for (int i = 0; i < ESTIMATE_FAMILIES; i++) {
        straight += sum->shared_us[i];
        squares += sum->shared_us[i] * sum->shared_us[i];
    }
    for (int i = 0; i < ESTIMATE_SHAPES; i++)
        own_squares += sum->own_us[i] * sum->own_us[i];
    const double us = sum->us > 0 ? sum->us : 1;
    *shared = hypot(sqrt((1 - correlation) * squares + correlation * straight * straight) / us, sum->whole);
    *own = sqrt(own_squares) / us;
}

void estimate_sum_interval(const struct estimate_sum *sum, double level, double *low_us, double *high_us)
{
    double shared, own;
    estimate_sum_sd(sum, &shared, &own);
    const double factor = exp(interval_half_width(hypot(shared, own), level));
    *low_us = sum->us / factor;
    *high_us = sum->us * factor;
}
