/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When everything of a plan happens: a clock for each thread of the host, one
 * for each stream, in one pass over the operators.
 *
 *     host    += T1
 *     launch:    host += T2 (the first) or T5 (the others); the work starts at
 *                max(host at the call, end of the work before it on the stream,
 *                    events it waits for) and ends us later; host += T4
 *     at the end host += T3; an operator without launches adds T5
 *     a wait:    host = max(host, end of what it waits for)
 *
 * A blocking copy is a launch and a wait. Work of a CUDA graph is launched once.
 * Collectives of several ranks begin when the last rank has come.
 */
#ifndef PREDICT_WALK_H
#define PREDICT_WALK_H

#include "predict/plan.h"

struct walked {
    double step_us;   /* until the host and the device are done */
    double host_us;   /* until the host is done */
    double active_us; /* union of all work on the device */
    double idle_us;   /* step - active */
    double wait_us;   /* of the host, for the device */
    double communication_us, exposed_communication_us;
    const double *launch_start_us, *launch_end_us; /* by plan launch; NaN for those gone */
    const double *op_start_us, *op_end_us;         /* by plan op, on the host */
};

/* Times live in the arena. O(operators + launches). */
struct walked walk(const struct plan *plan, struct arena *arena);

/*
 * Several ranks of one job at once: collectives of the same group and sequence are one. Each plan is one rank.
 * False with STEPTIME_INPUT where collectives do not match or wait for each other in a circle, naming both.
 */
bool walk_ranks(const struct plan *const *plans, uint32_t ranks, struct arena *arena, struct walked *walked,
                struct steptime_error *err);

#endif
