/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stat.h"

struct pace pace_of(const struct record *record, int64_t warmup, struct arena *arena)
{
    const struct moments *ends = record_ends(record);
    const int64_t skip = warmup > 1 ? warmup : 1;
    struct pace pace = {.count = ends->count > skip ? ends->count - (uint32_t)skip : 0};
    pace.ns = arena_array(arena, pace.count, sizeof *pace.ns);
    for (uint32_t i = 0; i < pace.count; i++)
        pace.ns[i] = ends->ns[i + (uint32_t)skip] - ends->ns[i + (uint32_t)skip - 1];
    return pace;
}

struct pace pace_mean(const struct pace *run, double scale, struct arena *arena)
{
    struct pace mean = {.ns = arena_array(arena, 1, sizeof *mean.ns), .count = run->count > 0};
    double sum = 0;
    for (uint32_t i = 0; i < run->count; i++)
        sum += (double)run->ns[i];
    *mean.ns = run->count ? (int64_t)(sum / run->count * scale) : 0;
    return mean;
}

static uint64_t steps_of(const struct pace *runs, uint32_t count)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < count; i++)
        steps += runs[i].count;
    return steps;
}

struct pace_summary pace_summarise(const struct pace *runs, uint32_t count)
{
    struct pace_summary summary = {.runs = count, .steps = steps_of(runs, count)};
    int64_t *all = mem_alloc((summary.steps + 1) * sizeof *all);
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < runs[i].count; k++)
            all[n++] = runs[i].ns[k];
    const struct stat_summary stat = stat_summarise(all, n);
    summary.p10_ns = stat_quantile(all, n, 0.1);
    summary.p50_ns = stat.p50;
    summary.p90_ns = stat_quantile(all, n, 0.9);
    summary.mean_ns = stat.mean;
    mem_free(all);
    return summary;
}

/* Ratios as whole parts of a million, which statistics over integers can take. */
enum { PARTS = 1000000 };

static size_t pair(const struct pace *before, const struct pace *after, uint32_t count, int64_t *parts)
{
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < before[i].count && k < after[i].count; k++)
            if (after[i].ns[k] > 0)
                parts[n++] = (int64_t)((double)before[i].ns[k] / (double)after[i].ns[k] * PARTS);
    return n;
}

/* ---- the interval ---- */

enum { MOST_REPETITIONS = 200 };

/* A repetition: the median of ln(before / after) over its steps, and the standard error that they give it. */
struct repetition {
    double middle, error;
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double q)
{
    const double at = q * (double)(count - 1);
    const size_t below = (size_t)at;
    return below + 1 < count ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below])
                             : sorted[below];
}

/* The middle half of normal values is 1.349 deviations wide; their median's error is 1.2533 of the mean's. */
static struct repetition repetition_of(double *logs, size_t count)
{
    qsort(logs, count, sizeof *logs, by_value);
    const double deviation = (quantile(logs, count, 0.75) - quantile(logs, count, 0.25)) / 1.349;
    return (struct repetition){quantile(logs, count, 0.5), 1.2533 * deviation / sqrt((double)count)};
}

/* False where the runs have no step in common. */
static bool compare_once(const struct pace *before, const struct pace *after, struct repetition *repetition)
{
    const uint32_t pairs = before->count < after->count ? before->count : after->count;
    double *logs = mem_alloc((pairs + 1) * sizeof *logs);
    size_t count = 0;
    for (uint32_t k = 0; k < pairs; k++)
        if (before->ns[k] > 0 && after->ns[k] > 0)
            logs[count++] = log((double)before->ns[k] / (double)after->ns[k]);
    if (count)
        *repetition = repetition_of(logs, count);
    mem_free(logs);
    return count > 0;
}

/* Means, and the deviation of a repetition: as the repetitions show it, at least as their steps do. */
struct spread {
    uint32_t count;
    double mean, deviation;
};

static struct spread spread_of(const struct pace *before, const struct pace *after, uint32_t count)
{
    struct spread spread = {0};
    double squares = 0, within = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct repetition one;
        if (!compare_once(&before[i], &after[i], &one))
            continue;
        const double off = one.middle - spread.mean;
        spread.mean += off / ++spread.count;
        squares += off * (one.middle - spread.mean);
        within += one.error * one.error;
    }
    const double between = spread.count > 1 ? squares / (spread.count - 1) : 0;
    within = spread.count ? within / spread.count : 0;
    spread.deviation = sqrt(between > within ? between : within);
    return spread;
}

static double half_width(const struct spread *spread, uint32_t repetitions)
{
    return stat_t95(repetitions - 1) * spread->deviation / sqrt(repetitions);
}

/* An interval that just reaches to 1 leaves it out in every second case; so much wider, in errors, four times of five. */
#define FOUR_OF_FIVE 0.8416

static uint32_t would_tell(const struct spread *spread)
{
    uint32_t repetitions = spread->count;
    while (repetitions < MOST_REPETITIONS &&
           half_width(spread, repetitions) + FOUR_OF_FIVE * spread->deviation / sqrt(repetitions) >= fabs(spread->mean))
        repetitions++;
    return repetitions < MOST_REPETITIONS ? repetitions : 0;
}

static void judge(const struct spread *spread, struct pace_ratio *ratio)
{
    ratio->paired = exp(spread->mean);
    ratio->verdict = PACE_UNKNOWN;
    if (spread->count < 2)
        return;
    const double half = half_width(spread, spread->count);
    ratio->low = exp(spread->mean - half);
    ratio->high = exp(spread->mean + half);
    ratio->verdict = ratio->low > 1 ? PACE_FASTER : ratio->high < 1 ? PACE_SLOWER : PACE_NOISY;
    ratio->would_tell = ratio->verdict == PACE_NOISY ? would_tell(spread) : 0;
}

struct pace_ratio pace_compare(const struct pace *before, const struct pace *after, uint32_t count)
{
    const struct pace_summary a = pace_summarise(before, count), b = pace_summarise(after, count);
    if (!a.steps || b.p50_ns <= 0 || b.mean_ns <= 0)
        return (struct pace_ratio){0};
    int64_t *parts = mem_alloc((a.steps + 1) * sizeof *parts);
    const size_t n = pair(before, after, count, parts);
    stat_summarise(parts, n); /* sorts */
    struct pace_ratio ratio = {
        .ratio = a.p50_ns / b.p50_ns,
        .of_means = a.mean_ns / b.mean_ns,
        .p10 = stat_quantile(parts, n, 0.1) / PARTS,
        .p90 = stat_quantile(parts, n, 0.9) / PARTS,
    };
    mem_free(parts);
    const struct spread spread = spread_of(before, after, count);
    judge(&spread, &ratio);
    return ratio;
}
