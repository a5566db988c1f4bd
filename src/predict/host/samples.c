/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "base/mem.h"
#include "base/sort.h"

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

enum { NAME_BITS = 29 }; /* more names than a trace has texts */

uint32_t samples_key(struct overhead_samples *samples, uint32_t kind, str before, str name)
{
    const uint32_t first = intern_id(samples->names, before), then = intern_id(samples->names, name);
    const int64_t packed = ((int64_t)kind << NAME_BITS | first) << NAME_BITS | then;
    const uint32_t found = map_get(&samples->key_of, packed);
    if (found != MAP_NONE)
        return found;
    samples->keys = mem_grow(samples->keys, &samples->key_room, samples->key_count + 1, sizeof *samples->keys);
    samples->keys[samples->key_count] = (struct sample_key){kind, first, then};
    map_put(&samples->key_of, packed, (uint32_t)samples->key_count);
    return (uint32_t)samples->key_count++;
}

void samples_put_at(struct overhead_samples *samples, uint32_t key, struct sample sample)
{
    samples->at = mem_grow(samples->at, &samples->room, samples->count + 1, sizeof *samples->at);
    sample.key = key;
    samples->at[samples->count++] = sample;
}

void samples_put(struct overhead_samples *samples, uint32_t kind, str before, str name, struct sample sample)
{
    samples_put_at(samples, samples_key(samples, kind, before, name), sample);
}

str samples_name(const struct overhead_samples *samples, const struct sample_key *key, struct arena *arena)
{
    const str name = intern_text(samples->names, key->name);
    return key->before ? overhead_pair(intern_text(samples->names, key->before), name, arena) : str_copy(arena, name);
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
    *batch = (struct overhead_batch){at, samples->count, keys, samples->key_count, names, samples->profiled};
    return batch;
}

void overhead_samples_join(struct overhead_samples *into, const struct overhead_batch *from)
{
    struct arena scratch = {0};
    uint32_t *key_of = arena_array(&scratch, from->key_count, sizeof *key_of);
    for (size_t i = 0; i < from->key_count; i++)
        key_of[i] =
            samples_key(into, from->keys[i].kind, from->names[from->keys[i].before], from->names[from->keys[i].name]);
    for (size_t i = 0; i < from->count; i++)
        samples_put_at(into, key_of[from->at[i].key], from->at[i]);
    into->profiled |= from->profiled;
    arena_free(&scratch);
}

/* The samples of one key, by value. */
static void put_in_order(struct sample *at, size_t count, struct keyed *order, struct sample *room)
{
    for (size_t i = 0; i < count; i++)
        order[i] = (struct keyed){at[i].ns, (uint32_t)i};
    sort_keyed(order, count);
    for (size_t i = 0; i < count; i++)
        room[i] = at[order[i].row];
    if (count)
        memcpy(at, room, count * sizeof *at);
}

struct samples_dealt overhead_samples_by_key(const struct overhead_samples *samples, struct arena *arena)
{
    struct arena scratch = {0};
    size_t *from = arena_array(arena, samples->key_count + 2, sizeof *from), most = 0;
    struct sample *at = arena_array(arena, samples->count, sizeof *at);
    for (size_t i = 0; i < samples->count; i++)
        from[samples->at[i].key + 2]++;
    for (size_t key = 2; key < samples->key_count + 2; key++) {
        most = from[key] > most ? from[key] : most;
        from[key] += from[key - 1];
    }
    for (size_t i = 0; i < samples->count; i++)
        at[from[samples->at[i].key + 1]++] = samples->at[i];
    struct keyed *order = arena_array(&scratch, most, sizeof *order);
    struct sample *room = arena_array(&scratch, most, sizeof *room);
    for (size_t key = 0; key < samples->key_count; key++)
        put_in_order(at + from[key], from[key + 1] - from[key], order, room);
    arena_free(&scratch);
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
