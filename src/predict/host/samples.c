/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"

enum { SEEN_OFTEN = 20 };

/* ---- keys ---- */

enum { NAME_BITS = 29 }; /* more names than a trace has texts */

static int64_t packed_key(uint32_t kind, uint32_t before, uint32_t name)
{
    return ((int64_t)kind << NAME_BITS | before) << NAME_BITS | name;
}

void sample_keys_open(struct sample_keys *keys)
{
    *keys = (struct sample_keys){.names = intern_new()};
}

void sample_keys_close(struct sample_keys *keys)
{
    intern_free(keys->names);
    map_free(&keys->of);
    mem_free(keys->at);
}

uint32_t sample_keys_add(struct sample_keys *keys, uint32_t kind, str before, str name)
{
    const struct sample_key key = {kind, intern_id(keys->names, before), intern_id(keys->names, name)};
    const int64_t packed = packed_key(kind, key.before, key.name);
    const uint32_t found = map_get(&keys->of, packed);
    if (found != MAP_NONE)
        return found;
    keys->at = mem_grow(keys->at, &keys->room, keys->count + 1, sizeof *keys->at);
    keys->at[keys->count] = key;
    map_put(&keys->of, packed, (uint32_t)keys->count);
    return (uint32_t)keys->count++;
}

uint32_t sample_keys_find(const struct sample_keys *keys, const struct sample_keys *others, size_t i)
{
    const struct sample_key *key = &others->at[i];
    uint32_t before, name;
    if (!intern_find(keys->names, intern_text(others->names, key->before), &before) ||
        !intern_find(keys->names, intern_text(others->names, key->name), &name))
        return MAP_NONE;
    return map_get(&keys->of, packed_key(key->kind, before, name));
}

str sample_keys_name(const struct sample_keys *keys, size_t i, struct arena *arena)
{
    const struct sample_key *key = &keys->at[i];
    const str name = intern_text(keys->names, key->name);
    return key->before ? overhead_pair(intern_text(keys->names, key->before), name, arena) : str_copy(arena, name);
}

/* ---- collecting ---- */

struct overhead_samples *overhead_samples_new(void)
{
    struct overhead_samples *samples = mem_zeroed(sizeof *samples);
    sample_keys_open(&samples->keys);
    return samples;
}

void overhead_samples_free(struct overhead_samples *samples)
{
    if (!samples)
        return;
    sample_keys_close(&samples->keys);
    mem_free(samples->at);
    mem_free(samples);
}

void samples_put(struct overhead_samples *samples, uint32_t kind, str before, str name, struct sample sample)
{
    samples->at = mem_grow(samples->at, &samples->room, samples->count + 1, sizeof *samples->at);
    sample.key = sample_keys_add(&samples->keys, kind, before, name);
    samples->at[samples->count++] = sample;
}

/* ---- by key ---- */

/* What tells two samples of one time apart. */
static uint32_t tag_of(const struct sample *sample)
{
    return sample->events << 1 | sample->full;
}

struct ordering {
    struct keyed *order;
    struct sample *room;
};

static void put_in_order(struct sample *at, size_t count, bool by_time, struct ordering *o)
{
    for (size_t i = 0; i < count; i++)
        o->order[i] = (struct keyed){by_time ? at[i].ns : (int64_t)tag_of(&at[i]), (uint32_t)i};
    sort_keyed(o->order, count);
    for (size_t i = 0; i < count; i++)
        o->room[i] = at[o->order[i].row];
    if (count)
        memcpy(at, o->room, count * sizeof *at);
}

static bool same_tags(const struct sample *at, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (tag_of(&at[i]) != tag_of(&at[0]))
            return false;
    return true;
}

/* The samples of one key as runs, which there is room for. */
static size_t runs_of(struct sample *at, size_t count, struct ordering *ordering, struct sample_run *runs)
{
    size_t made = 0;
    if (!same_tags(at, count))
        put_in_order(at, count, false, ordering);
    put_in_order(at, count, true, ordering);
    for (size_t i = 0; i < count; i++) {
        if (!i || at[i].ns != at[i - 1].ns || tag_of(&at[i]) != tag_of(&at[i - 1]))
            runs[made++] = (struct sample_run){.ns = at[i].ns, .events = at[i].events, .full = at[i].full};
        runs[made - 1].count++;
    }
    return made;
}

/* The samples of each key side by side, from[key] .. from[key + 1]. */
static struct sample *deal(const struct overhead_samples *samples, size_t *from, struct arena *arena)
{
    struct sample *at = arena_array(arena, samples->count, sizeof *at);
    for (size_t i = 0; i < samples->count; i++)
        from[samples->at[i].key + 2]++;
    for (size_t key = 2; key < samples->keys.count + 2; key++)
        from[key] += from[key - 1];
    for (size_t i = 0; i < samples->count; i++)
        at[from[samples->at[i].key + 1]++] = samples->at[i];
    return at;
}

static size_t most_of_a_key(const size_t *from, size_t keys)
{
    size_t most = 0;
    for (size_t key = 0; key < keys; key++)
        most = from[key + 1] - from[key] > most ? from[key + 1] - from[key] : most;
    return most;
}

struct samples_dealt overhead_samples_by_key(const struct overhead_samples *samples, struct arena *arena)
{
    struct arena scratch = {0};
    const size_t keys = samples->keys.count;
    size_t *from = arena_array(&scratch, keys + 2, sizeof *from);
    struct sample *at = deal(samples, from, &scratch);
    const size_t most = most_of_a_key(from, keys);
    struct ordering ordering = {arena_array(&scratch, most, sizeof *ordering.order),
                                arena_array(&scratch, most, sizeof *ordering.room)};
    struct sample_runs *of = arena_array(arena, keys, sizeof *of);
    struct sample_run *runs = arena_array(arena, samples->count, sizeof *runs);
    for (size_t key = 0; key < keys; key++) {
        of[key] = (struct sample_runs){runs, runs_of(at + from[key], from[key + 1] - from[key], &ordering, runs)};
        runs += of[key].count;
    }
    arena_free(&scratch);
    return (struct samples_dealt){&samples->keys, of, samples->profiled};
}

/* ---- runs ---- */

static int by_time(const void *a, const void *b)
{
    const struct sample_run *x = a, *y = b;
    if (x->ns != y->ns)
        return (x->ns > y->ns) - (x->ns < y->ns);
    return x->events != y->events ? (x->events > y->events) - (x->events < y->events) : x->full - y->full;
}

size_t sample_runs_tidy(struct sample_run *runs, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(runs, count, sizeof *runs, by_time);
    for (size_t i = 0; i < count; i++)
        if (kept && !by_time(&runs[kept - 1], &runs[i]))
            runs[kept - 1].count += runs[i].count;
        else
            runs[kept++] = runs[i];
    return kept;
}

double profiler_cost_ns(const struct samples_dealt *dealt)
{
    double least = 0;
    bool any = false;
    for (size_t key = 0; dealt->profiled && key < dealt->keys->count; key++) {
        const struct sample_runs *runs = &dealt->of[key];
        double sum = 0;
        size_t count = 0;
        if (dealt->keys->at[key].kind != SAMPLES_NEIGHBOURS)
            continue;
        for (size_t i = 0; i < runs->count; i++) {
            sum += (double)runs->at[i].ns * runs->at[i].count;
            count += runs->at[i].count;
        }
        if (count < SEEN_OFTEN || sum <= 0) /* in whole microseconds a call inside another may seem to follow it */
            continue;
        least = any && least < sum / (double)count ? least : sum / (double)count;
        any = true;
    }
    return least > 0 ? least : 0;
}
