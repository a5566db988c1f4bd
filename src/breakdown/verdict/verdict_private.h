/* SPDX-License-Identifier: Apache-2.0 */
/* What judging and telling share: the table of experiments, and the limits. */
#ifndef BREAKDOWN_VERDICT_PRIVATE_H
#define BREAKDOWN_VERDICT_PRIVATE_H

#include "verdict.h"

/* Definitions of doc/numbers/verdict.md. */
static const double error_most = 0.10, unlaunched_most = 0.10, held_most = 0.10, lost_most = 0.10, blank_most = 0.50,
                    saves_least = 0.10, close = 0.05;
enum { WORK_LEAST = 20, STEP_LEAST_NS = 100 * 1000 };

struct verdict_experiment {
    enum resource resource;
    enum bound bound;
    const char *does, *with; /* in words, alone and in a sentence */
};

enum { VERDICT_EXPERIMENTS = 13 };
extern const struct verdict_experiment verdict_experiments[VERDICT_EXPERIMENTS];

static inline double part_of(int64_t ns, int64_t step_ns)
{
    return step_ns > 0 ? (double)ns / (double)step_ns : 0;
}

static inline double verdict_share(const struct verdict *verdict, int64_t ns)
{
    return verdict->step_ns > 0 ? (double)ns / (double)verdict->step_ns : 0;
}

/* What a resource saves by itself: of a job with a late rank what it saves once that is none. */
static inline int64_t verdict_compared_ns(const struct verdict *verdict, int resource)
{
    return verdict->beside_late && resource != RESOURCE_LATENESS ? verdict->beside_late_ns[resource]
                                                                 : verdict->removed_ns[resource];
}

#endif
