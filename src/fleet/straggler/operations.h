/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of a job: what each of its workers did in each step, and when.
 * A worker is a pipeline stage of a data-parallel replica. Operations of one
 * type, step and worker are numbered in the order of their starts.
 *
 * From ByteDance's tables (dp_rank, stage, rank, step, optype, start_ts,
 * duration, seq_id, mc, mb_id, gmc; github.com/ByteDance-Seed/StragglerAnalysis),
 * or from the traces of a job's ranks (operations_trace.h).
 */
#ifndef FLEET_OPERATIONS_H
#define FLEET_OPERATIONS_H

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

/* What an operation of a type waits for, and who waits for it. */
enum operation_role {
    ROLE_WORK, /* computes; waits for its own worker alone */
    ROLE_HOST, /* the device has nothing to do; the same otherwise */
    ROLE_FORWARD,
    ROLE_BACKWARD,
    ROLE_COLLECT, /* garbage of the host's language */
    ROLE_OPTIMIZER,
    ROLE_FORWARD_SEND, /* to the next stage, and the three like it */
    ROLE_FORWARD_RECEIVE,
    ROLE_BACKWARD_SEND,
    ROLE_BACKWARD_RECEIVE,
    ROLE_GATHER_WEIGHTS, /* among the replicas of a stage */
    ROLE_SCATTER_GRADIENTS,
    ROLE_REDUCE_APART,     /* gradients that are reduced on their own, after the others that were hidden */
    ROLE_REDUCE_NORMS,     /* of layer norms, among the ranks of a worker */
    ROLE_REDUCE_EMBEDDING, /* between the first stage and the last */
    ROLE_CLIP,             /* by the norm over all workers */
    ROLE_EXCHANGE,         /* among all replicas of a stage, of whatever kind */
    OPERATION_ROLES,
};

/* By its name in ByteDance's tables; else a collective's name is an exchange, and any other is work. */
enum operation_role operation_role_of(str type);

/* What is usual of it is the median of its durations, which no few long ones move; of what computes it is the mean. */
bool operation_role_has_outliers(enum operation_role role);

struct operation {
    double start_s, duration_s;
    uint32_t type;                 /* index into types */
    uint32_t step, stage, replica; /* dense, in the order of their numbers */
    uint32_t sequence;             /* as numbered among its type, step and worker */
    int32_t launch;                /* place in the order in which the worker launched the step's work; -1: not told */
    int32_t chunk, model_chunk;    /* part of the stage's layers, and where it stands in the model; -1: none */
};

struct operation_type {
    str name;
    enum operation_role role;
};

struct operations {
    const struct operation *at; /* by step, replica, stage, and as the table has them */
    uint32_t count;
    const struct operation_type *types;
    uint32_t type_count;
    uint32_t steps, stages, replicas;
    const int64_t *step_numbers, *stage_numbers, *replica_numbers; /* as the table writes them */
    bool unlike;      /* operations of one type differ, and steps do: only those of one number and step are compared */
    uint64_t dropped; /* rows that are no operation: a time that is none, a number missing */
};

/* Whether the file is no trace of one process: a table, or a timeline of operations. What cannot be read is a table. */
bool operations_fit(const char *path);

/* Of a table, plain or packed; "-" is standard input. */
bool operations_read(const char *path, struct arena *arena, struct operations *operations, struct steptime_error *err);

#endif
