/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_pool.h"

#include <math.h>

#include "base/mem.h"

struct overhead_pool *overhead_pool_new(void)
{
    struct overhead_pool *pool = mem_zeroed(sizeof *pool);
    sample_keys_open(&pool->keys);
    return pool;
}

void overhead_pool_free(struct overhead_pool *pool)
{
    if (!pool)
        return;
    for (size_t key = 0; key < pool->keys.count; key++)
        mem_free(pool->of[key].at);
    mem_free(pool->of);
    sample_keys_close(&pool->keys);
    mem_free(pool);
}

/* ---- rounding ---- */

static unsigned digits_at(unsigned coarse)
{
    return coarse <= POOL_DIGITS ? POOL_DIGITS + 1 - coarse : 1;
}

/* To the middle of all that begin with the same digits: rounding again, to fewer, is rounding once. */
static uint64_t round_digits(uint64_t value, unsigned digits)
{
    const unsigned width = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
    if (width <= digits)
        return value;
    const unsigned lost = width - digits;
    return value >> lost << lost | (uint64_t)1 << (lost - 1);
}

size_t sample_runs_round(struct sample_run *runs, size_t count, unsigned coarse)
{
    const unsigned digits = digits_at(coarse);
    for (size_t i = 0; coarse && i < count; i++) {
        const uint64_t length = round_digits((uint64_t)(runs[i].ns < 0 ? -runs[i].ns : runs[i].ns), digits);
        runs[i].ns = runs[i].ns < 0 ? -(int64_t)length : (int64_t)length;
        runs[i].events = (uint32_t)round_digits(runs[i].events, digits) & INT32_MAX;
    }
    return coarse ? sample_runs_tidy(runs, count) : count;
}

double overhead_pool_rounding(const struct overhead_pool *pool)
{
    unsigned coarse = 0;
    for (size_t key = 0; key < pool->keys.count; key++)
        coarse = pool->of[key].coarse > coarse ? pool->of[key].coarse : coarse;
    return coarse ? ldexp(1, -(int)digits_at(coarse)) : 0;
}

/* ---- adding ---- */

static bool is_before(const struct sample_run *a, const struct sample_run *b)
{
    if (a->ns != b->ns)
        return a->ns < b->ns;
    return a->events != b->events ? a->events < b->events : a->full < b->full;
}

static bool is_same(const struct sample_run *a, const struct sample_run *b)
{
    return a->ns == b->ns && a->events == b->events && a->full == b->full;
}

/* Adds the numbers of runs that are there already; how many are not. */
static size_t add_known(struct pooled_runs *into, const struct sample_run *runs, size_t count)
{
    size_t at = 0, unknown = 0;
    for (size_t i = 0; i < count; i++) {
        while (at < into->count && is_before(&into->at[at], &runs[i]))
            at++;
        if (at < into->count && is_same(&into->at[at], &runs[i]))
            into->at[at].count += runs[i].count;
        else
            unknown++;
    }
    return unknown;
}

/* Puts in those that are not there, from the last on. */
static void add_unknown(struct pooled_runs *into, const struct sample_run *runs, size_t count, size_t unknown)
{
    size_t have = into->count, to = into->count + unknown;
    into->at = mem_grow(into->at, &into->room, to, sizeof *into->at);
    into->count = to;
    for (size_t i = count; to > have; i--) {
        while (have && is_before(&runs[i - 1], &into->at[have - 1]))
            into->at[--to] = into->at[--have];
        if (!have || !is_same(&into->at[have - 1], &runs[i - 1]))
            into->at[--to] = runs[i - 1];
    }
}

static void add_runs(struct pooled_runs *into, const struct sample_runs *runs, struct sample_run *room)
{
    memcpy(room, runs->at, runs->count * sizeof *room);
    const size_t count = sample_runs_round(room, runs->count, into->coarse), unknown = add_known(into, room, count);
    if (unknown)
        add_unknown(into, room, count, unknown);
    while (into->count > POOL_RUNS)
        into->count = sample_runs_round(into->at, into->count, ++into->coarse);
}

static struct pooled_runs *runs_of(struct overhead_pool *pool, const struct sample_keys *keys, size_t i)
{
    const struct sample_key *key = &keys->at[i];
    const size_t known = pool->keys.count;
    const uint32_t at = sample_keys_add(&pool->keys, key->kind, intern_text(keys->names, key->before),
                                        intern_text(keys->names, key->name));
    if (at == known) {
        pool->of = mem_grow(pool->of, &pool->of_room, known + 1, sizeof *pool->of);
        pool->of[at] = (struct pooled_runs){0};
    }
    return &pool->of[at];
}

void overhead_pool_add(struct overhead_pool *pool, const struct overhead_samples *samples)
{
    struct arena scratch = {0};
    const struct samples_dealt dealt = overhead_samples_by_key(samples, &scratch);
    size_t most = 0;
    for (size_t key = 0; key < dealt.keys->count; key++)
        most = dealt.of[key].count > most ? dealt.of[key].count : most;
    struct sample_run *room = arena_array(&scratch, most, sizeof *room);
    for (size_t key = 0; key < dealt.keys->count; key++)
        add_runs(runs_of(pool, dealt.keys, key), &dealt.of[key], room);
    pool->profiled |= samples->profiled;
    arena_free(&scratch);
}

struct samples_dealt overhead_pool_by_key(const struct overhead_pool *pool, struct arena *arena)
{
    struct sample_runs *of = arena_array(arena, pool->keys.count, sizeof *of);
    for (size_t key = 0; key < pool->keys.count; key++)
        of[key] = (struct sample_runs){pool->of[key].at, pool->of[key].count};
    return (struct samples_dealt){&pool->keys, of, pool->profiled};
}
