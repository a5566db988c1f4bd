/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a rank had done what by a time: running sums of a few kinds of time,
 * asked for at many times at once and answered in one pass over the trace. What
 * lies between two probes is the difference of their sums, and
 *
 *     sum over kinds of (later.sum_ns - earlier.sum_ns) == later.at_ns - earlier.at_ns
 */
#ifndef BREAKDOWN_RANKS_PROBE_H
#define BREAKDOWN_RANKS_PROBE_H

#include "breakdown/parts/part.h"

enum rank_time {
    TIME_COMPUTE,       /* a compute kernel runs; host-only: the host is in an operator */
    TIME_COMMUNICATION, /* communication with no compute beside it */
    TIME_COPY,          /* copies and memsets with neither */
    TIME_LOADING,       /* the device is idle while the host loads data; host-only: the host loads data */
    TIME_HOST,          /* the rest: an idle device, for whatever other reason; host-only: Python, the profiler */
    RANK_TIMES,
};

struct rank_probe {
    int64_t at_ns;
    int64_t sum_ns[RANK_TIMES];
};

/* Fills the sums. Times before the trace's start count as the start. Phases may be NULL. */
void rank_probes(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                 struct rank_probe *probes, size_t count);

#endif
