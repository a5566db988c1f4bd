/* SPDX-License-Identifier: Apache-2.0 */
#include "clocks_drift.h"

#include <stdlib.h>

#include "base/order.h"

enum {
    POINTS_LEAST = 8,
    POINTS_MOST = 200, /* of more as many are taken, evenly: pairs are their square */
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_slope(const struct clock_point *points, size_t count, struct arena *arena)
{
    double *slopes = arena_array(arena, count * count / 2, sizeof *slopes);
    size_t pairs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (points[k].time_ns != points[i].time_ns)
                slopes[pairs++] =
                    (double)(points[k].apart_ns - points[i].apart_ns) / (double)(points[k].time_ns - points[i].time_ns);
    if (!pairs)
        return 0;
    qsort(slopes, pairs, sizeof *slopes, by_value);
    return slopes[pairs / 2];
}

/* The median of what the drift leaves; *scatter_ns: the median distance from that. */
static int64_t level(const struct clock_point *points, size_t count, struct clock_drift drift, int64_t *scatter_ns,
                     struct arena *arena)
{
    int64_t *left = arena_array(arena, count, sizeof *left);
    for (size_t i = 0; i < count; i++)
        left[i] = points[i].apart_ns - (int64_t)(drift.rate * (double)(points[i].time_ns - drift.pivot_ns));
    qsort(left, count, sizeof *left, ascending_ints);
    const int64_t middle = left[count / 2];
    for (size_t i = 0; i < count; i++)
        left[i] = llabs(left[i] - middle);
    qsort(left, count, sizeof *left, ascending_ints);
    *scatter_ns = left[count / 2];
    return middle;
}

static size_t thin(const struct clock_point *points, size_t count, struct clock_point *out)
{
    const size_t kept = count < POINTS_MOST ? count : POINTS_MOST;
    for (size_t i = 0; i < kept; i++)
        out[i] = points[i * count / kept];
    return kept;
}

struct clock_drift clock_drift_of(const struct clock_point *points, size_t count, int64_t *offset_ns)
{
    struct arena scratch = {0};
    struct clock_point some[POINTS_MOST];
    struct clock_drift drift = {0};
    if (count < POINTS_LEAST)
        return drift;
    const size_t kept = thin(points, count, some);
    drift.pivot_ns = some[0].time_ns;
    drift.rate = median_slope(some, kept, &scratch);
    int64_t scatter;
    const int64_t offset = level(some, kept, drift, &scatter, &scratch);
    const double span = (double)(some[kept - 1].time_ns - some[0].time_ns), drifted = drift.rate * span;
    if (drifted * drifted <= (double)CLOCKS_AGREE_NS * CLOCKS_AGREE_NS / 4 ||
        drifted * drifted <= 9.0 * (double)scatter * (double)scatter)
        drift.rate = 0;
    else
        *offset_ns = offset;
    arena_free(&scratch);
    return drift;
}
