/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of any number of traces in bounded memory: of each key the distinct
 * samples with their numbers. A key of more than POOL_RUNS distinct ones keeps
 * times and events by fewer leading binary digits, as few as it takes; so what is
 * lost is a known share of each sample, and what is kept depends neither on the
 * order in which traces come nor on how they are cut.
 */
#ifndef PREDICT_SAMPLE_POOL_H
#define PREDICT_SAMPLE_POOL_H

#include "samples.h"

enum { POOL_RUNS = 1 << 14 };

struct overhead_pool {
    struct sample_keys keys;
    struct pooled_runs *of; /* by key */
    size_t of_room;
    bool profiled;
};

/* All of one key. */
struct pooled_runs {
    struct sample_run *at;
    size_t count, room;
    uint8_t coarse; /* 0: exact; 1: POOL_DIGITS leading digits; 2: one less ... */
};

enum { POOL_DIGITS = 12 };

/* As the pool holds it. Lives as long as the pool is not added to. */
struct samples_dealt overhead_pool_by_key(const struct overhead_pool *pool, struct arena *arena);

/* Rounds runs as a key so coarse has them; how many are left, in order. */
size_t sample_runs_round(struct sample_run *runs, size_t count, unsigned coarse);

#endif
