/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a step goes. Of a trace with device activity every
 * nanosecond of a step has exactly one part: device work by priority, else idle
 * time by cause. Of a host-only trace the step is split on the host. Either way
 *
 *     sum over parts of step->part_ns == step->wall_ns
 *
 * which breakdown_run asserts for every step. doc/numbers/breakdown.md defines
 * each number; definitions.h holds the same text for --explain.
 */
#ifndef BREAKDOWN_BREAKDOWN_H
#define BREAKDOWN_BREAKDOWN_H

#include "breakdown/idle/compilation.h"
#include "breakdown/parts/ledger.h"
#include "ops/operators/judgements.h"
#include "trace/select.h"

struct breakdown_step {
    int64_t number, start_ns, wall_ns;
    int64_t part_ns[PARTS];
    int64_t launched_compute_ns; /* union of the compute kernels launched in the step, wherever they ran */
};

/* Idle time of one cause, over the selected steps. A stretch is idle time of one cause without a break. */
struct breakdown_idle {
    uint64_t stretches;
    int64_t longest_ns;
    uint32_t longest_row;            /* the event it was spent in */
    str longest_name, longest_title; /* as recorded; of a kernel also as people call it */
};

/* What the host was blocked in while the device was idle. */
struct breakdown_blocking {
    str call, op, frame; /* "" where not recorded */
    uint64_t stretches;
    int64_t total_ns, longest_ns;
    uint32_t longest_row;
};

static inline bool blocking_alike(const struct breakdown_blocking *a, const struct breakdown_blocking *b)
{
    return str_eq(a->call, b->call) && str_eq(a->op, b->op) && str_eq(a->frame, b->frame);
}

/* One event behind a number. */
struct breakdown_event {
    uint32_t row;
    str name, title; /* as recorded; of a kernel also as people call it */
    int64_t start_ns, dur_ns, amount;
};

struct breakdown_explained {
    enum account account;
    int64_t total;
    uint32_t events;               /* all of them */
    struct breakdown_event *first; /* the largest, as many as were asked for */
    uint32_t count;
};

enum {
    EXPLAINED_EVENTS = 1000,
    MOST_DEVICES = 1024,      /* of one trace */
    MOST_STEP_ROWS = 1 << 18, /* devices times steps of one trace */
};

struct breakdown_device {
    bool recorded;  /* false: the trace has no device activity, and this is its only entry */
    int64_t device; /* index of the device */
    uint32_t events;
    int64_t total[ACCOUNTS];
    uint64_t copies[COPY_PARTS]; /* copies a kind, over the whole trace or selection */
    struct breakdown_step *steps;
    uint32_t step_count;
    struct breakdown_idle idle[PARTS];
    struct breakdown_blocking *blocking; /* largest first */
    uint32_t blocking_count;
    struct breakdown_explained *explained;
    uint32_t explained_count;
};

struct breakdown {
    int64_t rank;
    str path;
    enum step_source step_source;
    struct breakdown_device *devices;
    uint32_t device_count;            /* at least one */
    struct compilations compilations; /* in the selected steps */
    uint32_t devices_left_out;        /* beyond the limits below: only a hostile file has so many */
};

/* `wanted` names the accounts to be explained ([ACCOUNTS], or NULL). The result lives in the arena and outlives the trace. */
void breakdown_run(const struct trace *trace, const struct selection *selection, const bool *wanted,
                   struct arena *arena, struct breakdown *out);

struct breakdown_asked {
    const struct selection *selection;
    const bool *wanted;
    uint32_t most_explained; /* events of each that is wanted */
    bool no_host_phases;     /* of a device ACCOUNT_PHASE_HOST is not wanted, and stays 0 */
};

/* The same with the classes and phases given. */
void breakdown_run_judged(const struct trace *trace, const struct judgements *judgements,
                          const struct breakdown_asked *asked, struct arena *arena, struct breakdown *out);

#endif
