/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long operations take once all whom they wait for are there. A table of cells
 * has one for each node and lane of a plan: [node * lanes + lane].
 */
#ifndef FLEET_STRAGGLER_WORK_H
#define FLEET_STRAGGLER_WORK_H

#include "straggler_plan.h"
#include "time/net.h"

/*
 * What was recorded, apart from waiting: the time of an operation that meets others from when the last of them had
 * started, of any other its duration (Lin et al.: transfer duration). 0 where a lane lacks the operation. A little below
 * 0 where clocks of ranks differ: it makes up for others that are too long.
 */
const double *recorded_works(const struct operations *operations, const struct straggler_plan *plan,
                             struct arena *arena);

/* The same in ticks of the plan's net (straggler_net.h). */
const int64_t *works_as_ticks(const struct straggler_plan *plan, const double *work_s, struct arena *arena);

#define STRAGGLER_TICKS_A_SECOND 1e12

static inline double straggler_seconds(int64_t ticks)
{
    return (double)ticks / STRAGGLER_TICKS_A_SECOND;
}

static inline size_t plan_cells(const struct straggler_plan *plan)
{
    return (size_t)plan->node_count * plan->lanes;
}

#endif
