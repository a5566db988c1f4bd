/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of a plan: when every operation starts and ends, given how long each
 * takes once all whom it waits for are there. A table of cells has one for each
 * node and lane: [node * lanes + lane].
 */
#ifndef FLEET_STRAGGLER_WALK_H
#define FLEET_STRAGGLER_WALK_H

#include "straggler_plan.h"

/*
 * What was recorded, apart from waiting. The work of an operation that meets others is the time from when the last of
 * them had started, of any other its duration (Lin et al.: transfer duration); its delay is the time from the end of
 * all before it to its start. 0 where a lane lacks the operation.
 */
struct recorded_work {
    const double *work_s, *delay_s;
};
struct recorded_work recorded_work(const struct operations *operations, const struct straggler_plan *plan,
                                   struct arena *arena);

/* Room for the walks of one plan. */
struct walk_room {
    double *end_s, *start_s; /* cells */
};
struct walk_room walk_room(const struct straggler_plan *plan, struct arena *arena);

/* step_s[step]: from 0 to the last end among its lanes. delay_s may be NULL: no delays. */
void plan_walk(const struct straggler_plan *plan, const double *work_s, const double *delay_s, struct walk_room room,
               double *step_s);

static inline size_t plan_cells(const struct straggler_plan *plan)
{
    return (size_t)plan->node_count * plan->lanes;
}

#endif
