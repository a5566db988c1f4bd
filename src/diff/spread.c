/* SPDX-License-Identifier: Apache-2.0 */
#include "spread.h"

#include <math.h>

#include "base/stat.h"

/* Of a half, that it says something; of a side, that the test by permutation has room. */
enum { FEWEST_HALF = 4, FEWEST_STEPS = 6 };

/* The 97.5 % and the 80 % quantile of the normal distribution. */
static const double normal95 = 1.9600, normal80 = 0.8416;

static double mean(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static double squares(const double *values, uint32_t count)
{
    const double middle = mean(values, count);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (values[i] - middle) * (values[i] - middle);
    return sum;
}

/* The squared error of a side's mean. Were its steps independent, both estimates of it would expect the same. */
static double error_of(const double *values, uint32_t count, double variance)
{
    const uint32_t half = count / 2;
    const double apart = half < FEWEST_HALF ? 0 : mean(values, half) - mean(values + half, count - half);
    return fmax(variance / count, apart * apart / 4);
}

struct spread spread_of(const double *before, uint32_t before_count, const double *after, uint32_t after_count)
{
    struct spread out = {NAN, NAN, NAN, NAN};
    if (!before_count || !after_count || before_count + after_count < 3)
        return out;
    const uint32_t degrees = before_count + after_count - 2;
    const double variance = (squares(before, before_count) + squares(after, after_count)) / degrees;
    /* Student's 80 % quantile: within 0.005 of it from four degrees on */
    const double t95 = stat_t95(degrees), t80 = normal80 + 0.39 / degrees;
    out.deviation = sqrt(variance);
    out.error = sqrt(error_of(before, before_count, variance) + error_of(after, after_count, variance));
    out.by_chance = t95 * out.error;
    out.shows = (t95 + t80) * out.error;
    return out;
}

uint32_t spread_steps(const struct spread *spread, double change)
{
    const double errors = (normal95 + normal80) * spread->deviation / fabs(change);
    const double steps = ceil(2 * errors * errors) + 1;
    if (!(steps <= SPREAD_MOST_STEPS))
        return 0;
    return steps < FEWEST_STEPS ? FEWEST_STEPS : (uint32_t)steps;
}
