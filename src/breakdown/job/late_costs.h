/* SPDX-License-Identifier: Apache-2.0 */
/* The delay costs of the late rank, joined with what is known of its causes. */
#ifndef BREAKDOWN_LATE_COSTS_H
#define BREAKDOWN_LATE_COSTS_H

#include "job.h"

/* Which costs are told already; a zeroed struct without a job with strips takes nothing. */
struct late_costs {
    const struct job *job;
    bool *told; /* by cost of job->delays */
};

struct late_costs late_costs_of(const struct job *job, struct arena *arena);

/* What the others waited for a cause of host time: of long stretches of ordinary execution, for those of that event. */
int64_t late_costs_take(struct late_costs *costs, enum cause cause, bool is_long, str what);
int64_t late_costs_take_class(struct late_costs *costs, enum path_class class);

/* The largest that is not told, if it is a part of the rank's costs that must be; its share of them. NULL: none. */
const struct delay_cost *late_costs_untold(struct late_costs *costs, double *share);

#endif
