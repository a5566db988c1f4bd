/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted samples, packed: the steps from one to the next in as few bytes as they
 * need, one or two for most. So a rank can keep every duration until the ranks
 * are merged, and percentiles over all of them are exact.
 */
#ifndef BREAKDOWN_SAMPLES_H
#define BREAKDOWN_SAMPLES_H

#include "base/arena.h"
#include "base/stat.h"

struct samples {
    const uint8_t *packed;
    uint32_t bytes;
    uint32_t count;
};

/* The values are >= 0 and ascend. Lives in the arena. */
struct samples samples_pack(const int64_t *values, uint32_t count, struct arena *arena);

enum { SAMPLES_NO_GROUP = UINT32_MAX };

/*
 * Deals values out to their groups: value i goes to group[i], below group_count. Negative values and those of no group
 * are absent. In the arena, a struct a group.
 */
struct samples *samples_deal(const int64_t *values, const uint32_t *group, uint32_t count, uint32_t group_count,
                             struct arena *arena);

/* The same where nobody will ask for the values: each group knows its count alone. */
struct samples *samples_count(const int64_t *values, const uint32_t *group, uint32_t count, uint32_t group_count,
                              struct arena *arena);

/* Writes `count` values, ascending. */
void samples_unpack(const struct samples *samples, int64_t *into);

/* Over all parts together. Of none all figures are 0. */
struct stat_summary samples_summary(const struct samples *const *parts, uint32_t count);

#endif
