/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the largest kernels of a rank take, launch for launch: what it keeps when its trace is dropped, to be set
 * against other ranks. Is the device of one of them slow, or does one kernel vary? doc/numbers/ranks.md defines what is shown.
 */
#ifndef BREAKDOWN_KERNEL_TIMES_H
#define BREAKDOWN_KERNEL_TIMES_H

#include "log_bins.h"
#include "ops/rows/work.h"
#include "report/report.h"
#include "trace/select.h"

enum { KERNEL_TIMES_MOST = 8 };

struct kernel_time {
    str name;
    uint64_t count; /* 1 or more */
    int64_t total_ns, least_ns, most_ns;
    struct log_bins bins; /* of the durations */
};

struct kernel_times {
    struct kernel_time *at; /* those that take most, the first the largest */
    uint32_t count;
};

/* Of compute: communication waits for others. The work that `kernels` counts. Lives in the arena. */
struct kernel_times kernel_times_of(const struct trace *trace, const struct work_classes *classes,
                                    const struct selection *selection, struct arena *arena);

/* Of one rank. */
struct kernel_times_rank {
    int64_t rank;
    const struct kernel_times *times;
};

/* Section "kernels" of several ranks: its table `kernels_of_ranks`, and whose device is slow. Nothing where none are known. */
void kernel_times_show(const struct kernel_times_rank *ranks, uint32_t count, struct report *report);

#endif
