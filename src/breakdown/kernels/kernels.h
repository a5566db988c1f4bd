/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device work of a trace in groups: by kernel, class, shape, module, line of
 * Python, operator or stream. Durations, launch delays, and what the arithmetic
 * and traffic of the operators behind them come to a second.
 */
#ifndef BREAKDOWN_KERNELS_H
#define BREAKDOWN_KERNELS_H

#include "launches.h"
#include "samples.h"
#include "ops/operators/judgements.h"
#include "report/report.h"
#include "trace/select.h"

enum kernel_grouping {
    KERNELS_BY_NAME,
    KERNELS_BY_CLASS,
    KERNELS_BY_SHAPE,
    KERNELS_BY_MODULE,
    KERNELS_BY_PYTHON,
    KERNELS_BY_OPERATOR,
    KERNELS_BY_STREAM,
};

#define KERNEL_GROUPINGS "name|class|shape|module|python|operator|stream"

enum kernel_grouping kernel_grouping_of(str word); /* one of the words above */

/* A quotient in the making, and its share of a peak where one is known. */
struct kernel_rate {
    int64_t amount, ns;  /* flops or bytes, and the time they took */
    double peaked, most; /* the part of amount with a known peak, and what the peak would have made of its time */
};

/* A mean weighted by time. */
struct kernel_mean {
    double sum;
    int64_t ns;
};

struct kernel_group {
    str name, shape; /* shape: "" but with KERNELS_BY_SHAPE */
    str title;       /* the name as a person would say it */
    str class;       /* "" where there are several */
    struct samples dur_ns, delay_ns;
    int64_t total_ns;
    struct kernel_rate flops, bytes;
    struct kernel_mean occupancy, blocks_per_sm, warps_per_sm;
    int64_t registers, shared_memory_bytes; /* -1: not recorded */
    str grid, block;                        /* "" where they differ or are not recorded */
};

struct kernel_groups {
    struct kernel_group *at;
    uint32_t count;
};

/* The numbers of one rank. */
struct kernels {
    int64_t rank;
    bool recorded; /* the trace has device work at all */
    uint64_t count;
    int64_t busy_ns, total_ns; /* union over the streams of each device, and the plain sum */
    str device, closest;       /* as in struct peaks */
    struct kernel_groups groups, classes;
    struct launches launches;
};

struct kernels_asked {
    enum kernel_grouping by;
    const struct selection *selection;
    str device;       /* "" for the recorded ones */
    bool counts_only; /* of durations and delays how many, not what */
};

/* Texts are copied into the arena. */
void kernels_run(const struct trace *trace, const struct kernels_asked *asked, struct arena *arena,
                 struct kernels *kernels);

/* Only the groups and the sums, not the classes and launches, with the classes and costs given. */
void kernels_run_judged(const struct trace *trace, const struct judgements *judgements,
                        const struct kernels_asked *asked, struct arena *arena, struct kernels *kernels);

void kernels_show(const struct kernels *const *ranks, uint32_t count, struct report *report);

#endif
