/* SPDX-License-Identifier: Apache-2.0 */
#include "overheads_left_out.h"

#include "overheads_private.h"

/* The samples of all ranks of one key. */
struct pooled {
    struct overhead_row row; /* its kind and name */
    struct fence fence;
    struct overhead_sums sums;
    const struct sample *at; /* by value */
    size_t count;
};

struct overheads_pool {
    const struct overhead_samples *const *ranks;
    uint32_t **key_of; /* by rank and its key: that of all */
    struct pooled *keys;
    uint32_t key_count;
    double event_ns;
};

/* ---- gathering ---- */

static void join_rank(struct overheads_pool *pool, uint32_t rank, struct overhead_samples *all, struct arena *arena)
{
    const struct overhead_samples *own = pool->ranks[rank];
    uint32_t *key_of = arena_array(arena, own->key_count, sizeof *key_of);
    for (size_t i = 0; i < own->key_count; i++)
        key_of[i] = samples_key(all, own->keys[i].kind, intern_text(own->names, own->keys[i].before),
                                intern_text(own->names, own->keys[i].name));
    for (size_t i = 0; i < own->count; i++)
        samples_put_at(all, key_of[own->at[i].key], own->at[i]);
    all->profiled |= own->profiled;
    pool->key_of[rank] = key_of;
}

static struct pooled pool_key(const struct overheads_pool *pool, const struct overhead_samples *all,
                              const struct samples_dealt *dealt, uint32_t key, struct arena *arena)
{
    struct pooled pooled = {.at = dealt->at + dealt->from[key], .count = dealt->from[key + 1] - dealt->from[key]};
    pooled.row.kind = (enum overhead_kind)overhead_row_kind(all->keys[key].kind);
    pooled.row.name = samples_name(all, &all->keys[key], arena);
    pooled.fence = fence_of(pooled.at, pooled.count, pool->event_ns);
    for (size_t i = 0; i < pooled.count; i++)
        sums_add(&pooled.sums, &pooled.at[i], pooled.fence, pool->event_ns, 1);
    return pooled;
}

struct overheads_pool *overheads_pool_of(const struct overhead_samples *const *ranks, uint32_t count,
                                         struct arena *arena)
{
    struct overheads_pool *pool = arena_alloc(arena, sizeof *pool);
    struct overhead_samples *all = overhead_samples_new();
    *pool = (struct overheads_pool){.ranks = ranks, .key_of = arena_array(arena, count, sizeof *pool->key_of)};
    for (uint32_t rank = 0; rank < count; rank++)
        if (ranks[rank])
            join_rank(pool, rank, all, arena);
    const struct samples_dealt dealt = overhead_samples_by_key(all, arena);
    pool->event_ns = profiler_cost_ns(all, &dealt);
    pool->key_count = (uint32_t)all->key_count;
    pool->keys = arena_array(arena, pool->key_count, sizeof *pool->keys);
    for (uint32_t key = 0; key < pool->key_count; key++)
        pool->keys[key] = pool_key(pool, all, &dealt, key, arena);
    overhead_samples_free(all);
    return pool;
}

/* ---- leaving one out ---- */

/* How many samples of a key are at most that long. */
static size_t count_up_to(const struct sample *at, size_t count, int64_t ns)
{
    size_t low = 0;
    while (count > low) {
        const size_t middle = low + (count - low) / 2;
        if (at[middle].ns <= ns)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* The lower median of what is left of the samples without some of them. Both are by value. */
static int64_t median_ns(const struct pooled *all, const struct sample *own, size_t own_count)
{
    const size_t wanted = (all->count - own_count - 1) / 2;
    size_t low = 0, high = all->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int64_t ns = all->at[middle].ns;
        if (count_up_to(all->at, all->count, ns) - count_up_to(own, own_count, ns) > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return all->at[low].ns;
}

static void leave_out(const struct overheads_pool *pool, struct overhead_sums *sums, uint32_t key,
                      const struct sample *own, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums_add(sums, &own[i], pool->keys[key].fence, pool->event_ns, -1);
}

/* Appends the row of a key, unless nobody else has it. */
static void add_row(const struct overheads_pool *pool, uint32_t key, const struct sample *own, size_t count,
                    struct overheads *into)
{
    const struct pooled *all = &pool->keys[key];
    struct overhead_sums sums = all->sums;
    if ((uint32_t)all->row.kind >= OVERHEADS || all->count == count)
        return;
    leave_out(pool, &sums, key, own, count);
    into->rows[into->count] = all->row;
    into->rows[into->count++].overhead = overhead_of_sums(&sums, median_ns(all, own, count));
}

const struct overheads *overheads_pool_without(const struct overheads_pool *pool, uint32_t rank, struct arena *arena)
{
    struct arena scratch = {0};
    const struct overhead_samples *own = pool->ranks[rank];
    const struct samples_dealt dealt = own ? overhead_samples_by_key(own, &scratch) : (struct samples_dealt){0};
    uint32_t *own_key = arena_array(&scratch, pool->key_count, sizeof *own_key); /* 1 + that of the rank */
    for (uint32_t key = 0; own && key < own->key_count; key++)
        own_key[pool->key_of[rank][key]] = key + 1;
    struct overheads *overheads = arena_alloc(arena, sizeof *overheads);
    *overheads = (struct overheads){.rows = arena_array(arena, pool->key_count, sizeof *overheads->rows),
                                    .profiler_us = pool->event_ns / 1e3};
    for (uint32_t key = 0; key < pool->key_count; key++) {
        const size_t first = own_key[key] ? dealt.from[own_key[key] - 1] : 0;
        const size_t count = own_key[key] ? dealt.from[own_key[key]] - first : 0;
        add_row(pool, key, count ? dealt.at + first : NULL, count, overheads);
    }
    overheads_finish(overheads);
    arena_free(&scratch);
    return overheads;
}
