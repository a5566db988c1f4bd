/* SPDX-License-Identifier: Apache-2.0 */
/* The time of the training thread under the lines of a finding, the part of it that the rewrite spares, and how far both can be trusted. */
#ifndef JOIN_HOST_ESTIMATE_H
#define JOIN_HOST_ESTIMATE_H

#include "evidence/host_time.h"
#include "host_model.h"
#include "host_sight.h"

struct host_estimate {
    bool is_known;
    struct host_time under; /* its lines, a step; its part where several share them */
    double low_ns, saving_ns, high_ns;
};

struct host_estimate host_estimate_of(const struct host_clock *clock, const struct host_sight *sight,
                                      const struct host_model *model);

/* A sentence or two about it. Without a model the estimate has the time alone. */
str host_estimate_words(struct arena *arena, const struct host_sight *sight, const struct host_model *model,
                        const struct host_estimate *estimate);

/* By the times of steps that lie beside the trace, where there are some. */
struct host_clock host_clock_beside(struct join *join);

/* Says of a finding whose function ran why its time is not told, where nothing else is said. */
void host_tell_unknown(struct join *join, uint32_t finding, const struct host_sight *sight);

#endif
