/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/samples.h"

#include <stdlib.h>

#include "base/mem.h"

enum { SEEN_OFTEN = 8 };

struct overhead_samples *overhead_samples_new(void)
{
    struct overhead_samples *samples = mem_zeroed(sizeof *samples);
    samples->names = intern_new();
    return samples;
}

void overhead_samples_free(struct overhead_samples *samples)
{
    if (!samples)
        return;
    intern_free(samples->names);
    map_free(&samples->key_of);
    mem_free(samples->keys);
    mem_free(samples->at);
    mem_free(samples);
}

static uint32_t key_of(struct overhead_samples *samples, uint32_t kind, str name)
{
    const uint32_t id = intern_id(samples->names, name);
    const int64_t packed = (int64_t)kind << 32 | id;
    const uint32_t found = map_get(&samples->key_of, packed);
    if (found != MAP_NONE)
        return found;
    samples->keys = mem_grow(samples->keys, &samples->key_room, samples->key_count + 1, sizeof *samples->keys);
    samples->keys[samples->key_count] = (struct sample_key){kind, id};
    map_put(&samples->key_of, packed, (uint32_t)samples->key_count);
    return (uint32_t)samples->key_count++;
}

void samples_put(struct overhead_samples *samples, uint32_t kind, str name, int64_t ns, uint32_t events)
{
    samples->at = mem_grow(samples->at, &samples->room, samples->count + 1, sizeof *samples->at);
    samples->at[samples->count++] = (struct sample){ns, key_of(samples, kind, name), events};
}

void overhead_samples_join(struct overhead_samples *into, const struct overhead_samples *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct sample *sample = &from->at[i];
        const struct sample_key key = from->keys[sample->key];
        samples_put(into, key.kind, intern_text(from->names, key.name), sample->ns, sample->events);
    }
    into->profiled |= from->profiled;
}

static int by_value(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

struct samples_dealt samples_deal(const struct overhead_samples *samples, struct arena *arena)
{
    size_t *from = arena_array(arena, samples->key_count + 2, sizeof *from);
    struct sample *at = arena_array(arena, samples->count, sizeof *at);
    for (size_t i = 0; i < samples->count; i++)
        from[samples->at[i].key + 2]++;
    for (size_t key = 2; key < samples->key_count + 2; key++)
        from[key] += from[key - 1];
    for (size_t i = 0; i < samples->count; i++)
        at[from[samples->at[i].key + 1]++] = samples->at[i];
    for (size_t key = 0; key < samples->key_count; key++)
        qsort(at + from[key], from[key + 1] - from[key], sizeof *at, by_value);
    return (struct samples_dealt){at, from};
}

double profiler_cost_ns(const struct overhead_samples *samples, const struct samples_dealt *dealt)
{
    double least = 0;
    for (uint32_t key = 0; samples->profiled && key < samples->key_count; key++) {
        const size_t count = dealt->from[key + 1] - dealt->from[key];
        if (samples->keys[key].kind != SAMPLES_WRAPPER || count < SEEN_OFTEN)
            continue;
        const double median = (double)dealt->at[dealt->from[key] + count / 2].ns;
        least = least == 0 || median < least ? median : least;
    }
    return least;
}
