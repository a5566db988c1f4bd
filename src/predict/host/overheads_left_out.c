/* SPDX-License-Identifier: Apache-2.0 */
#include "overheads_left_out.h"

#include "overheads_private.h"
#include "sample_pool.h"

/* The samples of all ranks of one key. */
struct summed {
    struct overhead_row row; /* its kind and name */
    struct fence fence;
    struct overhead_sums sums;
};

struct overheads_of_all {
    const struct overhead_pool *pool;
    struct samples_dealt dealt;
    struct summed *keys;
    double event_ns;
};

/* ---- summing ---- */

static struct summed sum_key(const struct overheads_of_all *all, size_t key, struct arena *arena)
{
    const struct sample_runs *runs = &all->dealt.of[key];
    struct summed summed = {.fence = fence_of(runs, all->event_ns)};
    summed.row.kind = (enum overhead_kind)overhead_row_kind(all->dealt.keys->at[key].kind);
    summed.row.name = sample_keys_name(all->dealt.keys, key, arena);
    for (size_t i = 0; i < runs->count; i++)
        sums_add(&summed.sums, &runs->at[i], summed.fence, all->event_ns, 1);
    return summed;
}

struct overheads_of_all *overheads_of_all_in(const struct overhead_pool *pool, struct arena *arena)
{
    struct overheads_of_all *all = arena_alloc(arena, sizeof *all);
    *all = (struct overheads_of_all){.pool = pool, .dealt = overhead_pool_by_key(pool, arena)};
    all->event_ns = profiler_cost_ns(&all->dealt);
    all->keys = arena_array(arena, all->dealt.keys->count, sizeof *all->keys);
    for (size_t key = 0; key < all->dealt.keys->count; key++)
        all->keys[key] = sum_key(all, key, arena);
    return all;
}

/* ---- leaving one out ---- */

static bool is_same(const struct sample_run *a, const struct sample_run *b)
{
    return a->ns == b->ns && a->events == b->events && a->full == b->full;
}

/* The lower median of so many samples that are left of all without some of them, which are in the same order. */
static int64_t median_ns(const struct sample_runs *all, const struct sample_runs *own, size_t left)
{
    size_t place = (left - 1) / 2, i = 0;
    for (size_t next = 0; i + 1 < all->count; i++) {
        const bool shared = next < own->count && is_same(&all->at[i], &own->at[next]);
        const size_t others = all->at[i].count - (shared ? own->at[next++].count : 0);
        if (place < others)
            break;
        place -= others;
    }
    return all->at[i].ns;
}

/* Appends the row of a key, unless nobody else has it. */
static void add_row(const struct overheads_of_all *all, size_t key, const struct sample_runs *own,
                    struct overheads *into)
{
    struct overhead_sums sums = all->keys[key].sums;
    for (size_t i = 0; i < own->count; i++)
        sums_add(&sums, &own->at[i], all->keys[key].fence, all->event_ns, -1);
    if ((uint32_t)all->keys[key].row.kind >= OVERHEADS || !sums.count)
        return;
    into->rows[into->count] = all->keys[key].row;
    into->rows[into->count++].overhead =
        overhead_of_sums(&sums, median_ns(&all->dealt.of[key], own, (size_t)sums.count));
}

/* By key of all: the rank's runs, as coarse as those of all. */
static const struct sample_runs *own_runs(const struct overheads_of_all *all, const struct overhead_samples *own,
                                          struct arena *scratch)
{
    const struct samples_dealt dealt = overhead_samples_by_key(own, scratch);
    struct sample_runs *runs = arena_array(scratch, all->dealt.keys->count, sizeof *runs);
    for (size_t key = 0; key < dealt.keys->count; key++) {
        const uint32_t at = sample_keys_find(all->dealt.keys, dealt.keys, key);
        runs[at] = dealt.of[key];
        runs[at].count = sample_runs_round((struct sample_run *)runs[at].at, runs[at].count, all->pool->of[at].coarse);
    }
    return runs;
}

const struct overheads *overheads_without(const struct overheads_of_all *all, const struct overhead_samples *own,
                                          struct arena *arena)
{
    struct arena scratch = {0};
    const size_t keys = all->dealt.keys->count;
    const struct sample_runs *runs = own_runs(all, own, &scratch);
    struct overheads *overheads = arena_alloc(arena, sizeof *overheads);
    *overheads = (struct overheads){.rows = arena_array(arena, keys, sizeof *overheads->rows),
                                    .profiler_us = all->event_ns / 1e3};
    for (size_t key = 0; key < keys; key++)
        add_row(all, key, &runs[key], overheads);
    overheads_finish(overheads);
    arena_free(&scratch);
    return overheads;
}
