/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with a number on everything: what each operator costs the host, how
 * long each launch works on the device. A question ("on an H100, without
 * synchronisations") changes numbers and removes or joins entries; the walk
 * turns what is there into times. So a prediction is
 *
 *     program -> plan -> changes -> walk
 *
 * Everything is in microseconds. Entries keep the order of the program.
 */
#ifndef PREDICT_PLAN_H
#define PREDICT_PLAN_H

#include "graph/program.h"
#include "model/model.h"
#include "predict/overheads.h"

/* Where the duration of a launch comes from. */
enum timing_basis {
    TIMED_RECORDED, /* measured in the trace at hand (replay) */
    TIMED_SCALED,   /* measured, times the ratio of two estimates: another device or another size */
    TIMED_MODEL,    /* a kernel model; see `estimate` */
    TIMED_GUESS,    /* its bytes over the bandwidth: an operator without a model. Marked and counted, never zero */
    TIMING_BASES,
};

str timing_basis_word(enum timing_basis basis); /* "recorded" */

struct plan_launch {
    uint32_t op;     /* index into plan ops */
    uint32_t source; /* index into program->launches; UINT32_MAX: supposed, the program records no kernels */
    struct kernel kernel;
    bool has_kernel; /* `kernel` says what it computes */
    double us;
    enum timing_basis basis;
    struct estimate estimate; /* of TIMED_SCALED and TIMED_MODEL */
    double call_us;           /* T4: the launch call on the host */
    uint32_t stream;
    uint32_t collective; /* as in struct program_launch */
    uint8_t work;        /* enum work_class */
    bool blocking;       /* the host goes on only when it is done */
    bool graphed;        /* launched with its step as one CUDA graph */
};

/* An operator at the top, with all that happens inside it. */
struct plan_op {
    uint32_t op;                                 /* index into program->ops */
    double before_us, first_us, last_us, gap_us; /* T1, T2, T3, T5; gap: between two launches, or all of one without */
    uint32_t first_launch, launches;
    uint32_t thread;
    bool waits;           /* a synchronisation: the host goes on when `wait_stream` is done */
    uint32_t wait_stream; /* UINT32_MAX: all */
    bool gone;            /* taken out by a change */
};

struct plan {
    const struct program *program;
    struct plan_op *ops;
    uint32_t count;
    struct plan_launch *launches;
    uint32_t launch_count;
    uint32_t streams;
    double guessed_us, modelled_us, recorded_us; /* sums of launches by basis; modelled holds scaled too */
    struct hardware hardware;
};

/* How the numbers are made. */
struct plan_options {
    bool replay; /* recorded durations where there are any */
    const struct models *models;
    const struct hardware *hardware; /* on which; NULL: as recorded (replay only) */
    const struct overheads *overheads;
};

/* False with STEPTIME_INPUT and the operator's name and id: no shapes, a size that is none, an unknown device. */
bool plan_of(const struct program *program, const struct plan_options *options, struct arena *arena, struct plan *plan,
             struct steptime_error *err);

#endif
