/* SPDX-License-Identifier: Apache-2.0 */
#include "drift.h"

#include <math.h>

#include "base/arena.h"
#include "base/sort.h"

enum { STRETCHES = 24, LEAST_ROWS = 20 };

/*
 * The share of rows below what counts as typical. Errors are relative and a kernel is rarely measured in a tired process:
 * so a little below the middle.
 */
static const double typical_share = 0.4;

static const double ns_per_us = 1000;

/* Of the keys, ascending, the one at which that share of the weights is reached. */
static double weighted_quantile(const struct keyed *sorted, const double *weight, uint32_t count, double share)
{
    double sum = 0, reached = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weight[sorted[i].row];
    for (uint32_t i = 0; i < count; i++) {
        reached += weight[sorted[i].row];
        if (reached >= share * sum)
            return (double)sorted[i].key / ns_per_us;
    }
    return 0;
}

/* A long kernel says little of a small constant: rows weigh by the inverse of their time. */
static double stretch_median(const double *measured_us, const double *predicted_us, uint32_t rows, struct keyed *sorted,
                             double *weight)
{
    for (uint32_t i = 0; i < rows; i++) {
        sorted[i] = (struct keyed){llround((measured_us[i] - predicted_us[i]) * ns_per_us), i};
        weight[i] = 1 / predicted_us[i];
    }
    sort_keyed(sorted, rows);
    return weighted_quantile(sorted, weight, rows, 0.5);
}

/* Between the middles of the stretches; beyond the first and the last as steep as beside them. */
static double interpolated(const double *knots, double place)
{
    const double at = place * STRETCHES - 0.5;
    const int below = (int)fmin(STRETCHES - 2, fmax(0, floor(at)));
    return knots[below] + (at - below) * (knots[below + 1] - knots[below]);
}

static double typical(const double *drift_us, uint32_t rows, struct keyed *sorted, double *weight)
{
    for (uint32_t i = 0; i < rows; i++) {
        sorted[i] = (struct keyed){llround(drift_us[i] * ns_per_us), i};
        weight[i] = 1;
    }
    sort_keyed(sorted, rows);
    return weighted_quantile(sorted, weight, rows, typical_share);
}

void drift_of(const double *measured_us, const double *predicted_us, uint32_t rows, double *drift_us)
{
    double knots[STRETCHES] = {0};
    struct arena scratch = {0};
    struct keyed *sorted = arena_array(&scratch, rows, sizeof *sorted);
    double *weight = arena_array(&scratch, rows, sizeof *weight);
    for (uint32_t i = 0; rows >= STRETCHES * LEAST_ROWS && i < STRETCHES; i++) {
        const uint32_t from = (uint32_t)((uint64_t)rows * i / STRETCHES);
        const uint32_t to = (uint32_t)((uint64_t)rows * (i + 1) / STRETCHES);
        knots[i] = stretch_median(measured_us + from, predicted_us + from, to - from, sorted, weight);
    }
    for (uint32_t i = 0; i < rows; i++)
        drift_us[i] = interpolated(knots, (i + 0.5) / rows);
    const double middle = typical(drift_us, rows, sorted, weight);
    for (uint32_t i = 0; i < rows; i++)
        drift_us[i] -= middle;
    arena_free(&scratch);
}
