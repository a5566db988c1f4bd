/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operators cost the host on all ranks but one, for each rank: all samples are
 * gathered and summed once, and those of the rank taken off again. What is an
 * outlier, and what the profiler costs, is told by the samples of all ranks.
 *
 * O(samples) for all ranks together, and O(keys + samples of the rank) for each.
 */
#ifndef PREDICT_OVERHEADS_LEFT_OUT_H
#define PREDICT_OVERHEADS_LEFT_OUT_H

#include "overheads.h"

struct overheads_pool;

/* A rank's samples may be NULL: it has none. They must live as long as the pool, which lies in the arena. */
struct overheads_pool *overheads_pool_of(const struct overhead_samples *const *ranks, uint32_t count,
                                         struct arena *arena);

/* Without those of the rank; in the arena. */
const struct overheads *overheads_pool_without(const struct overheads_pool *pool, uint32_t rank, struct arena *arena);

#endif
