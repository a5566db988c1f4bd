/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one training step does, without saying when: operators in program order
 * with shapes, types, threads, streams and launches, and what depends on what.
 * It comes from a Kineto trace with shapes, an execution trace, both joined, a
 * list of operators or a model's configuration; predicting knows only this.
 *
 * Operators are numbered in pre-order: a call comes before the calls inside it,
 * which are the numbers up to `end`. Calls of one thread are in the order in which
 * they began; where several threads work, all are in the order in which they
 * began (of an execution trace: by its ids).
 *
 * Times are those recorded, in nanoseconds from the step's start; -1 where the
 * source has none.
 */
#ifndef GRAPH_PROGRAM_H
#define GRAPH_PROGRAM_H

#include "base/arena.h"
#include "ops/collective.h"
#include "ops/family.h"
#include "ops/flops.h"
#include "ops/phase.h"
#include "ops/work.h"
#include "steptime/error.h"
#include "trace/trace.h"

enum { OP_NONE = UINT32_MAX };

enum program_source {
    PROGRAM_TRACE,     /* times, kernels; shapes where recorded */
    PROGRAM_EXECUTION, /* shapes and data, no times, no kernels */
    PROGRAM_JOINED,    /* an execution trace with the times and kernels of its Kineto trace */
    PROGRAM_LIST,      /* a table of operators */
    PROGRAM_CONFIG,    /* made from a model's description */
};

struct program_op {
    str name;                      /* "aten::addmm" */
    struct op_arguments arguments; /* as recorded, see ops/shape.h; "" where not */
    int64_t id; /* what the user can look up: row of the trace, node of the execution trace, line of the list */
    uint32_t parent, end;            /* OP_NONE at the top; one past the last call inside */
    uint32_t thread;                 /* index of the thread, 0: the training thread */
    uint32_t forward;                /* whose gradient this computes; OP_NONE */
    uint8_t phase;                   /* enum phase */
    uint8_t family;                  /* enum family */
    bool label;                      /* a module or annotation: groups operators, is none */
    int64_t start_ns, dur_ns;        /* -1: not recorded */
    uint32_t first_launch, launches; /* made by this call itself, not by those inside */
    uint32_t first_input, inputs;    /* into `tensors`: what it reads */
    uint32_t first_output, outputs;  /* what it writes */
};

/* A call of the runtime that puts work on a device, and the work. In the order of the calls. */
struct program_launch {
    uint32_t op; /* OP_NONE: by no operator */
    str call;    /* "cudaLaunchKernel"; "" where not recorded */
    str kernel;  /* name of the kernel or copy; "" where not recorded */
    int64_t row; /* of the device work in the trace; -1 */
    int64_t call_start_ns, call_dur_ns;
    int64_t start_ns, dur_ns;  /* of the work */
    uint32_t stream;           /* index of the stream; 0: the first that compute used */
    uint32_t collective;       /* index into collectives; UINT32_MAX: none */
    uint8_t work;              /* enum work_class */
    uint8_t direction, memory; /* of a copy: enum copy_direction, enum host_memory */
    bool blocking;             /* the host goes on only when it is done */
    int64_t bytes;             /* of a copy or memset; -1 */
};

/* A call of the host that waits for the device: synchronisations, .item(). */
struct program_sync {
    uint32_t op;     /* in which it happens; OP_NONE */
    uint32_t before; /* launches made before it, so it stands between launch before-1 and before */
    uint32_t stream; /* which it waits for; UINT32_MAX: the whole device */
    int64_t start_ns, dur_ns;
};

struct program {
    enum program_source source;
    const struct program_op *ops;
    uint32_t count;
    const struct program_launch *launches;
    uint32_t launch_count;
    const struct program_sync *syncs;
    uint32_t sync_count;
    const uint64_t *tensors; /* ids of tensors (execution traces), as ops list them; storage ids where known */
    const struct collective *collectives; /* of this step; groups in the trace's own table */
    uint32_t collective_count;
    uint32_t threads, streams;
    int64_t rank, world_size; /* -1 */
    int64_t wall_ns;          /* of the step as recorded; -1 */
    int64_t active_ns;        /* union of the device work of the step; -1 */
    bool profiled;            /* the times hold the cost of the profiler */
    str path, device;         /* device: name as recorded; "" */
    int64_t step;             /* number of the step; -1 */
    uint64_t without_shapes;  /* operators that need shapes and have none */
};

/* The step of a trace (index into trace->steps). Lives in the arena, the texts in the trace. */
struct program program_of_step(const struct trace *trace, const struct work_classes *classes, uint32_t step,
                               struct arena *arena);

/* The index of the outermost real operators: those below no other operator, labels aside. */
static inline bool program_is_top(const struct program *program, uint32_t op)
{
    const uint32_t parent = program->ops[op].parent;
    return !program->ops[op].label && (parent == OP_NONE || program->ops[parent].label);
}

#endif
