/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands over the calls of a thread and says more than they do: stretches in
 * which it loaded data, compiled, ran a collective, or the profiler worked.
 */
#ifndef BREAKDOWN_HOST_MARKS_H
#define BREAKDOWN_HOST_MARKS_H

#include "host.h"

struct host_mark {
    int64_t start_ns, end_ns;
    uint32_t row;
    enum host_state state; /* HOST_LOADING, HOST_COMPILING, HOST_COMMUNICATING, HOST_PROFILING */
};

/* Of a lane: by time, disjoint. Of marks that overlap the earlier one counts. */
struct host_marks {
    struct host_mark *at;
    uint32_t count;
};

/* By lane; none of a device's. In the arena. */
struct host_marks *host_marks_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena);

#endif
