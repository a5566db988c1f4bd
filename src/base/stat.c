/* SPDX-License-Identifier: Apache-2.0 */
#include "stat.h"

#include <math.h>
#include <stdlib.h>

#include "order.h"
#include "sort.h"
#include "sum.h"

double stat_quantile(const int64_t *sorted, size_t count, double q)
{
    if (!count)
        return 0;
    const double h = q * (double)(count - 1);
    const size_t low = (size_t)h;
    if (low + 1 >= count)
        return (double)sorted[count - 1];
    return (double)sorted[low] + (h - (double)low) * (double)(sorted[low + 1] - sorted[low]);
}

struct stat_summary stat_summarise(int64_t *samples, size_t count)
{
    if (!count)
        return (struct stat_summary){0};
    sort_values(samples, count);
    int128_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    return (struct stat_summary){
        .count = count,
        .sum = sum_clamp(sum),
        .min = samples[0],
        .max = samples[count - 1],
        .mean = (double)sum / (double)count,
        .p50 = stat_quantile(samples, count, 0.5),
        .p95 = stat_quantile(samples, count, 0.95),
    };
}

double stat_median(double *values, size_t count)
{
    if (!count)
        return NAN;
    qsort(values, count, sizeof *values, ascending_reals);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Abramowitz and Stegun, table 26.10; beyond it the terms of 26.7.5, good to a thousandth. */
double stat_t95(uint32_t degrees)
{
    static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    enum { KNOWN = sizeof table / sizeof *table };
    const double z = 1.959964, z2 = z * z, n = degrees;
    if (degrees && degrees <= KNOWN)
        return table[degrees - 1];
    const double second = (5 * z2 + 16) * z2 + 3, third = ((3 * z2 + 19) * z2 + 17) * z2 - 15;
    return z * (1 + (z2 + 1) / (4 * n) + second / (96 * n * n) + third / (384 * n * n * n));
}
