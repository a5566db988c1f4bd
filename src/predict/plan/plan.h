/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with a number on everything: what each operator costs the host, how
 * long each launch works on the device. A question ("on an H100, without
 * synchronisations") changes numbers and removes or joins entries; the walk
 * turns what is there into times. So a prediction is
 *
 *     program -> plan -> changes -> walk
 *
 * Everything is in microseconds. Entries are in the order in which the host comes
 * to them: operators by thread and start, launches by operator and call.
 */
#ifndef PREDICT_PLAN_H
#define PREDICT_PLAN_H

#include "program/program.h"
#include "model/estimate/model.h"
#include "predict/host/overheads.h"

struct units; /* units.h */

enum { PLAN_NONE = UINT32_MAX };

/* Where the duration of a launch comes from. */
enum timing_basis {
    TIMED_RECORDED, /* measured in this trace (replay) */
    TIMED_SCALED,   /* measured, times the ratio of two estimates: another device or another size */
    TIMED_MODEL,    /* a kernel model; see `estimate` */
    TIMED_GUESS,    /* its bytes over the bandwidth: an operator without a model. Marked and counted, never zero */
    TIMING_BASES,
};

/* What the host waits for: one stream, all of them, or nothing. */
enum { WAITS_FOR_ALL = UINT32_MAX - 1, WAITS_FOR_NOTHING = UINT32_MAX };

struct plan_launch {
    uint32_t op;     /* index into plan ops */
    uint32_t source; /* index into program->launches; PLAN_NONE: supposed, the program records no kernels */
    double us;
    double gap_us;        /* of the host, before the call: T2 of an operator's first launch, T5 of the others */
    double call_us;       /* T4: the launch call on the host */
    uint32_t wait_stream; /* which the host waits for after the call: a blocking copy for its own; WAITS_FOR_... */
    uint32_t first_wait;  /* into plan->waits: launches of other streams that must be done before this one begins */
    uint32_t waits;
    uint32_t stream;
    uint32_t collective; /* index into program->collectives; UINT32_MAX: none */
    uint8_t work;        /* enum work_class */
    bool graphed;        /* launched with its step as one CUDA graph */
    bool gone;           /* taken out by a change */
    bool after_step;     /* it waits for the last work of the usual stream of the step before */
    /* What follows is large and no walk reads it: what a walk reads lies together before it. */
    bool has_kernel; /* `kernel` says what it computes */
    enum timing_basis basis;
    struct kernel kernel;
    struct estimate estimate; /* of TIMED_SCALED and TIMED_MODEL */
};

/* An operator at the top, with all that happens inside it; or a launch or wait of the host outside any. */
struct plan_op {
    uint32_t op;          /* index into program->ops; OP_NONE: outside any operator */
    double before_us;     /* T1 */
    double last_us;       /* T3; of an operator without launches all of it, T5 */
    uint32_t wait_stream; /* which the host waits for before the first launch; WAITS_FOR_... */
    uint32_t first_launch, launches;
    uint32_t thread;
    uint32_t follows; /* plan op of another thread that had to end before; an earlier one; PLAN_NONE */
    bool gone;        /* taken out by a change, its launches too */
};

/* Where a wait of the program stands in the plan: after a launch, or at the begin of an operator (launch PLAN_NONE). */
struct plan_place {
    uint32_t op, launch;
};

/* What lies between a call and its work; see overheads.h. */
struct plan_device {
    double start_us[WORK_CLASSES], gap_us[WORK_CLASSES];
    double return_us;
    double wait_us;      /* a wait that finds nothing to wait for */
    uint32_t queue_room; /* launches that a stream holds; the host waits for room. 0: no bound */
};

/* Of the batches of a step: what the host takes to load them itself, before its first operator; and what workers of loaders take. */
struct plan_load {
    double own_us, feed_us;
};

struct plan {
    const struct program *program;
    struct plan_op *ops;
    uint32_t count;
    struct plan_launch *launches;
    uint32_t launch_count;
    const uint32_t *waits;           /* indices of launches */
    const struct plan_place *places; /* by wait of the program */
    uint32_t streams, threads;
    double tail_us;    /* of the host, after the last operator */
    double between_us; /* T1, of any two neighbours: what an operator takes with it where it is gone */
    struct plan_load load;
    bool repeats; /* one step of many: the next begins where this one's host ends */
    struct plan_device device;
    uint32_t compiled,
        compiled_kernels; /* operators that torch.compile has, and kernels that it is taken to make of them */
    uint32_t waiting;     /* of a pipeline: the launch that waits for the other stages; PLAN_NONE */
    double waiting_us;    /* for so long; it is in the launch's time */
    double guessed_us, modelled_us, recorded_us; /* sums of launches by basis; modelled holds scaled too */
    uint64_t guessed;                            /* launches by guess */
    struct hardware hardware;
    const struct units *units; /* where models were asked; of the program that was planned (units.of); NULL */
};

/* The host before an operator. What is beyond the usual (a loader, a loop of Python) is there without it too. */
static inline double plan_before_us(const struct plan *plan, const struct plan_op *op)
{
    if (!op->gone)
        return op->before_us;
    return op->before_us > plan->between_us ? op->before_us - plan->between_us : 0;
}

/* What the host waits for there. Waits that stand at one place are one. */
static inline uint32_t *plan_wait_at(const struct plan *plan, const struct plan_place *place)
{
    return place->launch == PLAN_NONE ? &plan->ops[place->op].wait_stream : &plan->launches[place->launch].wait_stream;
}

/* How the numbers are made. */
struct plan_options {
    bool replay; /* recorded durations where there are any */
    const struct models *models;
    const struct hardware *hardware; /* on which; NULL: as recorded (replay only) */
    const struct hardware
        *recorded_on; /* of the recording: replay on other hardware scales by the ratio; NULL: unknown */
    const struct overheads *overheads; /* NULL: those of `program` itself, else built-in means */
    const struct units *units;         /* where who asks has them; of another program, or NULL: found anew */
    bool with_profiler;                /* times as with the profiler on, to be set beside recorded ones */
    double host_share; /* of that time of the host what is left without the recorder (host_share.h); 0: not known */
};

/* False with STEPTIME_INPUT and the operator's name and id: no shapes, a size that is none, an unknown device. */
bool plan_of(const struct program *program, const struct plan_options *options, struct arena *arena, struct plan *plan,
             struct steptime_error *err);

/* Sums the launches by basis again, after changes. */
void plan_sum(struct plan *plan);

/* Everything that the host does, loading included, takes `factor` times as long; its waits and the device stay. */
void plan_scale_host(struct plan *plan, double factor);

#endif
