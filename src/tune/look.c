/* SPDX-License-Identifier: Apache-2.0 */
#include "look.h"

#include <math.h>

#include "base/stat.h"

/* ---- means ---- */

struct mean {
    double at, squares;
    uint32_t count;
};

static void mean_add(struct mean *mean, double value)
{
    const double off = value - mean->at;
    mean->at += off / ++mean->count;
    mean->squares += off * (value - mean->at);
}

static double mean_half_width(const struct mean *mean)
{
    if (mean->count < 2)
        return mean->at;
    return stat_t95(mean->count - 1) * sqrt(mean->squares / (mean->count - 1) / mean->count);
}

/* ---- loaders ---- */

/* The part of waits that belongs to the first steps, as there is about one wait a step. */
static uint32_t waits_of_warmup(uint32_t count, int64_t warmup, uint32_t steps)
{
    return steps ? (uint32_t)((double)count * (double)warmup / steps) : count;
}

static double total_wait(const struct record *record, int64_t number, uint32_t *count)
{
    double sum = 0;
    *count = 0;
    for (uint32_t i = 0; i < record->wait_count; i++)
        if (record->waits[i].loader == number) {
            sum += (double)record->waits[i].ns;
            ++*count;
        }
    return sum;
}

/* -1: none was waited for. */
static int64_t longest_waited_for(const struct record *record, uint32_t *count)
{
    int64_t best = -1;
    double most = 0;
    for (uint32_t i = 0; i < record->loader_count; i++) {
        uint32_t here;
        const double sum = total_wait(record, i, &here);
        if (sum <= most)
            continue;
        most = sum;
        best = i;
        *count = here;
    }
    return best;
}

static void look_at_loader(const struct record *record, int64_t warmup, uint32_t steps, struct look *look)
{
    uint32_t count = 0, seen = 0;
    double worked_ns = 0, ns = 0;
    struct mean mean = {0};
    look->number = longest_waited_for(record, &count);
    if (look->number < 0)
        return;
    const uint32_t skip = waits_of_warmup(count, warmup, steps);
    for (uint32_t i = 0; i < record->wait_count; i++) {
        const struct loader_wait *const wait = &record->waits[i];
        if (wait->loader != look->number || seen++ < skip)
            continue;
        mean_add(&mean, (double)wait->ns);
        ns += (double)wait->ns;
        worked_ns += (double)wait->worked_ns;
    }
    const double of_step = (double)count / steps, half = mean_half_width(&mean);
    look->has_loader = mean.count > 0;
    look->loader = record->loaders[look->number];
    look->wait_ns = mean.at * of_step;
    look->wait_low_ns = fmax(0, mean.at - half) * of_step;
    look->wait_high_ns = (mean.at + half) * of_step;
    look->worked = ns > 0 ? worked_ns / ns : 0;
}

/* ---- all ---- */

struct look look_of(const struct record *record, int64_t warmup)
{
    const struct moments *const ends = record_ends(record);
    const uint32_t first = (uint32_t)(warmup > 1 ? warmup : 1);
    struct look look = {.number = -1, .optimizer_place = S("")};
    struct mean optimizer = {0};
    if (ends->count <= first)
        return look;
    look.step_ns = (double)(ends->ns[ends->count - 1] - ends->ns[first - 1]) / (ends->count - first);
    look_at_loader(record, first, ends->count, &look);
    for (uint32_t i = first; i < record->optimizer_steps.count; i++)
        mean_add(&optimizer, (double)record->optimizer_steps.ns[i]);
    look.optimizer_ns = optimizer.at;
    look.may_be_fused = record->may_be_fused;
    look.optimizer_place = record->optimizer_place.at ? record->optimizer_place : S("");
    return look;
}
