/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <stdlib.h>

#include "base/mem.h"

enum { SEEN_OFTEN = 20 };

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

void samples_put(struct overhead_samples *samples, uint32_t kind, str name, struct sample sample)
{
    samples->at = mem_grow(samples->at, &samples->room, samples->count + 1, sizeof *samples->at);
    sample.key = key_of(samples, kind, name);
    samples->at[samples->count++] = sample;
}

const struct overhead_batch *overhead_samples_pack(const struct overhead_samples *samples, struct arena *arena)
{
    struct overhead_batch *batch = arena_alloc(arena, sizeof *batch);
    struct sample *at = arena_array(arena, samples->count, sizeof *at);
    struct sample_key *keys = arena_array(arena, samples->key_count, sizeof *keys);
    str *names = arena_array(arena, intern_count(samples->names), sizeof *names);
    for (size_t i = 0; i < samples->count; i++)
        at[i] = samples->at[i];
    for (size_t i = 0; i < samples->key_count; i++)
        keys[i] = samples->keys[i];
    for (uint32_t i = 0; i < intern_count(samples->names); i++)
        names[i] = str_copy(arena, intern_text(samples->names, i));
    *batch = (struct overhead_batch){at, samples->count, keys, names, samples->profiled};
    return batch;
}

void overhead_samples_join(struct overhead_samples *into, const struct overhead_batch *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct sample_key key = from->keys[from->at[i].key];
        samples_put(into, key.kind, from->names[key.name], from->at[i]);
    }
    into->profiled |= from->profiled;
}

static int by_value(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

struct samples_dealt overhead_samples_by_key(const struct overhead_samples *samples, struct arena *arena)
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
    bool any = false;
    for (uint32_t key = 0; samples->profiled && key < samples->key_count; key++) {
        const size_t first = dealt->from[key], count = dealt->from[key + 1] - first;
        double sum = 0;
        if (samples->keys[key].kind != SAMPLES_NEIGHBOURS || count < SEEN_OFTEN)
            continue;
        for (size_t i = 0; i < count; i++)
            sum += (double)dealt->at[first + i].ns;
        if (sum <= 0) /* in whole microseconds a call inside another may seem to follow it */
            continue;
        least = any && least < sum / (double)count ? least : sum / (double)count;
        any = true;
    }
    return least > 0 ? least : 0;
}
