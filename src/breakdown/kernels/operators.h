/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of a trace in groups: by name, shapes, module or line of Python.
 * Time on the host, the device work that they launched, and their arithmetic and
 * traffic.
 */
#ifndef BREAKDOWN_OPERATORS_H
#define BREAKDOWN_OPERATORS_H

#include "kernels_rate.h"
#include "ops/operators/judgements.h"

enum operator_grouping { OPERATORS_BY_NAME, OPERATORS_BY_SHAPE, OPERATORS_BY_MODULE, OPERATORS_BY_PYTHON };

#define OPERATOR_GROUPINGS "name|shape|module|python"

enum operator_grouping operator_grouping_of(str word); /* one of the words above */

struct operator_group {
    str title;         /* the name as a person would say it */
    str name, shape;   /* shape: "" but with OPERATORS_BY_SHAPE */
    str family, phase; /* "" where there are several */
    struct samples dur_ns;
    int64_t host_total_ns, host_self_ns, device_total_ns, device_self_ns;
    uint64_t launches;
    struct kernel_rate flops, bytes;
};

/* The numbers of one rank. */
struct operators {
    int64_t rank;
    bool recorded; /* the trace has device work */
    struct operator_group *groups;
    uint32_t count;
    uint64_t calls;
    int64_t busy_ns, host_self_ns;
    int64_t flops, bytes; /* each counted once, at the innermost operator that tells; -1 where none does */
    double ideal_ns;      /* what the counted FLOPs would take at the peaks that apply to them; 0: not known */
    str device, closest;  /* as in struct peaks */
};

struct operators_asked {
    enum operator_grouping by;
    const struct selection *selection;
    str device;       /* "" for the recorded ones */
    bool counts_only; /* of the durations of calls how many, not what */
};

/* Texts are copied into the arena. */
void operators_run(const struct trace *trace, const struct operators_asked *asked, struct arena *arena,
                   struct operators *operators);

/* The same with the phases and costs given. */
void operators_run_judged(const struct trace *trace, const struct judgements *judgements,
                          const struct operators_asked *asked, struct arena *arena, struct operators *operators);

void operators_show(const struct operators *const *ranks, uint32_t count, struct report *report);

#endif
