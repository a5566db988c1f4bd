/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one training step does, without saying when: operators in program order
 * with shapes, types, threads, streams and launches, and what depends on what.
 * It comes from a Kineto trace with shapes, an execution trace, both joined, a
 * list of operators or a model's configuration; predicting knows only this.
 *
 * Operators are numbered in pre-order: a call comes before the calls inside it,
 * which are the numbers up to `end`. Calls inside one call, and those at the top,
 * are in the order in which they began, whatever their thread (of an execution
 * trace: in the order of its ids). A thread that works for the training thread,
 * as autograd's does, has its calls under the label that is open there.
 *
 * Launches are in the order of the operators at the top, and within each in that
 * of the calls; so those of an operator and the calls inside it lie side by side.
 *
 * The arguments of all sources are written as Kineto writes them (ops/words/shape.h).
 * Times are those recorded, in nanoseconds from the step's start; -1 where the
 * source has none.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "base/arena.h"
#include "ops/rows/collective.h"
#include "ops/words/family.h"
#include "ops/operators/operators.h"
#include "ops/rows/phase.h"
#include "ops/rows/work.h"
#include "steptime/error.h"
#include "trace/execution.h"
#include "trace/trace.h"

enum { OP_NONE = UINT32_MAX };

enum program_source {
    PROGRAM_TRACE,     /* times, kernels; shapes where recorded */
    PROGRAM_EXECUTION, /* shapes and data, no times, no kernels */
    PROGRAM_JOINED,    /* a Kineto trace with the shapes and data of its execution trace */
    PROGRAM_LIST,      /* a table of operators */
    PROGRAM_CONFIG,    /* made from a model's description */
};

str program_source_word(enum program_source source); /* "trace", "execution trace", ... */

struct program_op {
    str name;                      /* "aten::addmm" */
    struct op_arguments arguments; /* as recorded, see ops/words/shape.h; "" where not */
    int64_t id; /* what the user can look up: row of the trace, node of the execution trace, line of the list */
    uint32_t parent, end;            /* OP_NONE at the top; one past the last call inside */
    uint32_t thread;                 /* index of the thread, 0: the training thread */
    uint32_t forward;                /* whose gradient this computes; OP_NONE */
    uint8_t phase;                   /* enum phase */
    uint8_t family;                  /* enum family */
    bool label;                      /* an annotation: groups operators, is none, and lies in none */
    bool on_host;                    /* all its tensors lie in host memory, of others not: it launches nothing */
    int64_t start_ns, dur_ns;        /* -1: not recorded */
    uint32_t first_launch, launches; /* made by this call and those inside */
    uint32_t first_input, inputs;    /* into `tensors`: what it reads */
    uint32_t first_output, outputs;  /* what it writes; a view writes nothing */
};

/*
 * A call of the runtime that puts work on a device, and the work. Of an execution trace and a configuration only the
 * copies between host and device are known: without times, the kernels follow from the operators.
 */
struct program_launch {
    uint32_t op;     /* the innermost that made it; OP_NONE: by no operator */
    uint32_t thread; /* of the call */
    str call;        /* "cudaLaunchKernel"; "" where not recorded */
    str kernel;      /* name of the kernel or copy; "" where not recorded: then row and times are -1 */
    int64_t row;     /* of the device work in the trace; -1 */
    int64_t call_start_ns, call_dur_ns;
    int64_t start_ns, dur_ns;  /* of the work */
    uint32_t stream;           /* index of the stream; 0: the first that compute used */
    uint32_t collective;       /* index into collectives; UINT32_MAX: none */
    uint8_t work;              /* enum work_class */
    uint8_t direction, memory; /* of a copy: enum copy_direction, enum host_memory */
    bool blocking;             /* the host goes on only when it is done */
    bool shared;   /* by the same call as the launch before it (a CUDA graph): the host pays there, call_dur_ns is 0 */
    int64_t bytes; /* of a copy or memset; -1 */
};

static inline int64_t launch_end_ns(const struct program_launch *launch)
{
    return launch->start_ns + launch->dur_ns;
}

/* A call of the host that waits for the device: synchronisations, .item(). In the order of the launches. */
struct program_sync {
    uint32_t op; /* the innermost in which it happens; OP_NONE */
    uint32_t thread;
    uint32_t before; /* launches made before it, so it stands between launch before-1 and before */
    uint32_t stream; /* which it waits for; UINT32_MAX: the whole device */
    int64_t row;     /* of the call in the trace */
    int64_t start_ns, dur_ns;
};

/* Work that may begin only when work of another stream has ended: the streams exchanged an event, or that filled the device. */
struct program_order {
    uint32_t launch, after; /* both launches of the step */
};

struct program {
    enum program_source source;
    const struct program_op *ops;
    uint32_t count;
    const struct program_launch *launches;
    uint32_t launch_count;
    const struct program_sync *syncs;
    uint32_t sync_count;
    const struct program_order *orders; /* ascending by launch */
    uint32_t order_count;
    const int64_t
        *tensors; /* what operators read and write (execution traces): ids of storages, of tensors without one */
    const int64_t *tensor_bytes; /* how much of each is read or written; -1: not known */
    uint32_t tensor_count;
    const struct collective *collectives; /* of this step */
    uint32_t collective_count;
    const struct collective_group *groups; /* which they are of; [0] stands for: not recorded */
    uint32_t group_count;
    const struct execution_mark *marks; /* of a dry run: streams, and what waits for what; ids are those of operators */
    uint32_t mark_count;
    int64_t origin_ns; /* of the times of the collectives, which are the trace's */
    bool dated;        /* the origin is since an epoch that all ranks share */
    uint32_t threads, streams;
    int64_t rank, world_size; /* -1 */
    int64_t wall_ns;          /* of the step as recorded; -1 */
    int64_t active_ns;        /* union of the device work of the step; -1 */
    int64_t behind_ns;        /* from its start, the device is still at work of the recorded steps before */
    int64_t held_ns;          /* of wall_ns, the host or work that was called waits for nothing that is recorded */
    int64_t load_ns;          /* of a dry run: the host loads the batches of the step itself, so long; 0 */
    int64_t feed_ns;          /* of a dry run: workers load them, those of the next step so long behind these; 0 */
    bool profiled;            /* the times hold the cost of the profiler */
    str path, device;         /* device: name as recorded; "" */
    int64_t step;             /* number of the step; -1 */
    uint64_t without_shapes;  /* operators that need shapes and have none */
};

static inline const struct collective_group *program_group_of(const struct program *program,
                                                              const struct collective *collective)
{
    static const struct collective_group unknown = {0};
    return collective->group < program->group_count ? &program->groups[collective->group] : &unknown;
}

/* ---- from a trace ---- */

/* What the steps of one trace share, found once. The trace and its classes must live as long. */
struct programs;
struct programs *programs_open(const struct trace *trace, const struct work_classes *classes);
void programs_close(struct programs *programs);

/* The step (index into trace->steps). Lives in the arena, the texts in the trace. */
struct program programs_step(struct programs *programs, uint32_t step, struct arena *arena);

/* The same for one step alone. */
struct program program_of_step(const struct trace *trace, const struct work_classes *classes, uint32_t step,
                               struct arena *arena);

/* ---- from an execution trace, and both ---- */

/*
 * The last whole step that it holds (ProfilerStep, else what ends with an Optimizer.step, else all), without the
 * loading of data. A collective's `row` is the operator's number. Lives in the arena, the texts in the execution trace.
 */
struct program program_of_execution(const struct execution *execution, struct arena *arena);

/* How well an execution trace and a step of a Kineto trace fit. */
struct program_match {
    bool by_id; /* by the ids that both recorded; else by the order of their names */
    uint32_t step;
    uint32_t operators; /* of the execution trace, labels included */
    uint32_t matched;   /* with an operator of the same name in the step */
};

/*
 * The step of the trace that the execution trace was recorded in (of several the best), with its shapes and data.
 * Ids of operators are rows of the trace. Without a single match it is the step as programs_step gives it.
 */
struct program programs_join(struct programs *programs, const struct execution *execution, struct program_match *match,
                             struct arena *arena);

/* ---- questions ---- */

/* The index of the outermost real operators: those below no other operator, labels aside. */
static inline bool program_is_top(const struct program *program, uint32_t op)
{
    const uint32_t parent = program->ops[op].parent;
    return !program->ops[op].label && (parent == OP_NONE || program->ops[parent].label);
}

/*
 * False with STEPTIME_INPUT and the operator's name and id where its sizes are none (negative ones, a list that breaks
 * off) or more than any memory holds. One such operator says nothing of the others: it is left out and counted.
 */
bool program_sizes_usable(const struct program_op *op, struct steptime_error *err);
uint32_t program_unusable_sizes(const struct program *program);

/* False with STEPTIME_INPUT where no operator has usable sizes. Who plans without recorded times asks this first. */
bool program_check(const struct program *program, struct steptime_error *err);

#endif
