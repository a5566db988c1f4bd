/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When everything of a plan happens: a clock for each thread of the host, one
 * for each stream. The plan is a net of the engine of time (predict/plan/walk_net.h).
 *
 *     host    += T1
 *     launch:    host += T2 (the first) or T5 (the others); the work begins at
 *                max(call + start, end of the work before it on the stream + gap,
 *                    end of work of other streams it waits for + gap)
 *                and ends us later; host += T4
 *     at the end host += T3; an operator without launches adds T5
 *     a wait:    host = max(host + a wait that finds nothing, end of what it waits for + return)
 *
 * A blocking copy is a launch and a wait. Work of a CUDA graph is launched once.
 * A stream holds so many launches; the host waits for room. Collectives of
 * several ranks begin when the last rank has come.
 *
 * A step of many begins where the host is done with the one before, while the
 * device may still be at it. So a plan that repeats is walked until the time
 * from step to step is steady, and that is the time of the step.
 */
#ifndef PREDICT_WALK_H
#define PREDICT_WALK_H

#include "ops/rows/collective_match.h"
#include "plan.h"

struct walked {
    double step_us;   /* of a step of many: from one to the next; else until the host and the device are done */
    double host_us;   /* from the step's begin on the host to its end there */
    double active_us; /* union of all work on the device, where collectives wait for other ranks */
    double idle_us;   /* step - active; 0 where steps overlap more than that */
    double wait_us;   /* of the host, for the device */
    double communication_us, exposed_communication_us;
    const double *launch_start_us, *launch_end_us; /* by plan launch, from the step's begin; NaN for those gone */
    const double *launch_came_us;          /* a collective is on the device from here on, and waits for others */
    const double *op_start_us, *op_end_us; /* by plan op, on the host; NaN for those gone */
    const double *op_wait_us;              /* by plan op, of it waiting for the device */
    uint32_t contradicting;                /* waits between streams that go against the order of the calls: left out */
    struct match_doubt doubt; /* of several ranks: where which collective is which is most doubtful on this one */
    uint32_t unmet; /* collectives that were not found on all ranks of their group: they take what was recorded */
};

/* Times live in the arena. O(operators + launches). False with STEPTIME_USAGE where they are longer than can be told. */
bool walk(const struct plan *plan, struct arena *arena, struct walked *walked, struct steptime_error *err);

/* How long the step takes and nothing else: step_us of the walk. */
bool walk_step_us(const struct plan *plan, double *step_us, struct steptime_error *err);

/*
 * Several ranks of one job at once: which collectives are one, meetings.h says. Each plan is one rank.
 * Collectives of groups of which ranks are missing are taken as each rank's own.
 * False with STEPTIME_INPUT where collectives do not match or wait for each other in a circle, naming both.
 */
bool walk_ranks(const struct plan *const *plans, uint32_t ranks, struct arena *arena, struct walked *walked,
                struct steptime_error *err);

#endif
