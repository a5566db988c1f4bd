/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

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

struct pace_ratio pace_compare(const struct pace *before, const struct pace *after, uint32_t count)
{
    const struct pace_summary a = pace_summarise(before, count), b = pace_summarise(after, count);
    if (!a.steps || b.p50_ns <= 0 || b.mean_ns <= 0)
        return (struct pace_ratio){0};
    int64_t *parts = mem_alloc((a.steps + 1) * sizeof *parts);
    const size_t n = pair(before, after, count, parts);
    stat_summarise(parts, n); /* sorts */
    const struct pace_ratio ratio = {
        .ratio = a.p50_ns / b.p50_ns,
        .of_means = a.mean_ns / b.mean_ns,
        .p10 = stat_quantile(parts, n, 0.1) / PARTS,
        .p90 = stat_quantile(parts, n, 0.9) / PARTS,
    };
    mem_free(parts);
    return ratio;
}
