/* SPDX-License-Identifier: Apache-2.0 */
#include "stat.h"

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
