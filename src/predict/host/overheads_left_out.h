/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operators cost the host on all ranks but one, for each rank: all samples
 * are pooled and summed once, and those of the rank taken off again. What is an
 * outlier, and what the profiler costs, is told by the samples of all ranks.
 *
 * O(distinct samples of all ranks) for each rank, of which there is a bound.
 */
#ifndef PREDICT_OVERHEADS_LEFT_OUT_H
#define PREDICT_OVERHEADS_LEFT_OUT_H

#include "overheads.h"

struct overheads_of_all;

/* In the arena. The pool must live as long and not be added to. */
struct overheads_of_all *overheads_of_all_in(const struct overhead_pool *pool, struct arena *arena);

/* Without those of a rank, all of which were added to the pool; in the arena. */
const struct overheads *overheads_without(const struct overheads_of_all *all, const struct overhead_samples *own,
                                          struct arena *arena);

#endif
