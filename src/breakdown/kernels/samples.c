/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <stdbool.h>

#include "base/mem.h"
#include "base/sort.h"

/* Seven bits a byte, low ones first; the high bit says that more follow. */
static uint8_t *put(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static const uint8_t *take(const uint8_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0;; shift += 7) {
        *value |= (uint64_t)(*at & 0x7F) << shift;
        if (!(*at++ & 0x80))
            return at;
    }
}

static size_t packed_bytes(const int64_t *values, uint32_t count)
{
    size_t bytes = 0;
    int64_t before = 0;
    for (uint32_t i = 0; i < count; before = values[i++]) {
        bytes++;
        for (uint64_t step = (uint64_t)(values[i] - before); step >= 0x80; step >>= 7)
            bytes++;
    }
    return bytes;
}

struct samples samples_pack(const int64_t *values, uint32_t count, struct arena *arena)
{
    uint8_t *packed = arena_alloc(arena, packed_bytes(values, count)), *at = packed;
    int64_t before = 0;
    for (uint32_t i = 0; i < count; before = values[i++])
        at = put(at, (uint64_t)(values[i] - before));
    return (struct samples){packed, (uint32_t)(at - packed), count};
}

static bool is_dealt(const int64_t *values, const uint32_t *group, uint32_t i)
{
    return values[i] >= 0 && group[i] != SAMPLES_NO_GROUP;
}

/* Where each group's values begin among all of them. */
static uint32_t *group_starts(const int64_t *values, const uint32_t *group, uint32_t count, uint32_t group_count,
                              struct arena *arena)
{
    uint32_t *starts = arena_array(arena, (size_t)group_count + 1, sizeof *starts);
    for (uint32_t i = 0; i < count; i++)
        if (is_dealt(values, group, i))
            starts[group[i] + 1]++;
    for (uint32_t i = 0; i < group_count; i++)
        starts[i + 1] += starts[i];
    return starts;
}

struct samples *samples_deal(const int64_t *values, const uint32_t *group, uint32_t count, uint32_t group_count,
                             struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t *starts = group_starts(values, group, count, group_count, &scratch);
    uint32_t *next = arena_array(&scratch, group_count, sizeof *next);
    int64_t *dealt = arena_array(&scratch, starts[group_count], sizeof *dealt);
    for (uint32_t i = 0; i < count; i++)
        if (is_dealt(values, group, i))
            dealt[starts[group[i]] + next[group[i]]++] = values[i];
    struct samples *samples = arena_array(arena, group_count, sizeof *samples);
    for (uint32_t i = 0; i < group_count; i++) {
        sort_values(dealt + starts[i], next[i]);
        samples[i] = samples_pack(dealt + starts[i], next[i], arena);
    }
    arena_free(&scratch);
    return samples;
}

struct samples *samples_count(const int64_t *values, const uint32_t *group, uint32_t count, uint32_t group_count,
                              struct arena *arena)
{
    struct samples *samples = arena_array(arena, group_count, sizeof *samples);
    for (uint32_t i = 0; i < count; i++)
        if (is_dealt(values, group, i))
            samples[group[i]].count++;
    return samples;
}

void samples_unpack(const struct samples *samples, int64_t *into)
{
    const uint8_t *at = samples->packed;
    int64_t value = 0;
    for (uint32_t i = 0; i < samples->count; i++) {
        uint64_t step;
        at = take(at, &step);
        value += (int64_t)step;
        into[i] = value;
    }
}

struct stat_summary samples_summary(const struct samples *const *parts, uint32_t count)
{
    size_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += parts[i]->count;
    int64_t *values = mem_alloc((all ? all : 1) * sizeof *values);
    size_t filled = 0;
    for (uint32_t i = 0; i < count; filled += parts[i++]->count)
        samples_unpack(parts[i], values + filled);
    const struct stat_summary summary = stat_summarise(values, all);
    mem_free(values);
    return summary;
}
