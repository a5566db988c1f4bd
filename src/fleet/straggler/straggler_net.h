/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as a net of the engine of time: that of one step, all replicas of it. A
 * tick is a picosecond, and only the works differ from step to step.
 *
 *     an operation that meets nobody    a node after all that it waits for
 *     a meeting                         a node of no work after all that its members wait for; each member after that
 */
#ifndef FLEET_STRAGGLER_NET_H
#define FLEET_STRAGGLER_NET_H

#include "straggler_plan.h"
#include "time/net.h"

struct straggler_net {
    const struct straggler_plan *plan;
    struct net net;     /* without works */
    const size_t *cell; /* by node: that of the first step; NO_CELL: where a meeting begins */
};

#define NO_CELL SIZE_MAX

struct straggler_net straggler_net_of(const struct straggler_plan *plan, struct arena *arena);

/* step_s[step]: from 0 to the last end in it. False where one is longer than can be told. */
bool straggler_walk(const struct straggler_net *net, const int64_t *work, double *step_s);

#endif
