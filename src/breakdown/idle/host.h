/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the threads of the host were doing at a time: the innermost event that
 * was open on a thread, and what it means. Asked for times that never go back,
 * so each thread is walked once: the time is linear in its events, the memory in
 * their depth.
 */
#ifndef BREAKDOWN_HOST_H
#define BREAKDOWN_HOST_H

#include "ops/rows/work.h"
#include "trace/trace.h"

enum host_state {
    HOST_UNRECORDED,    /* nothing is recorded of this time */
    HOST_BETWEEN,       /* in no operator and no call */
    HOST_IN_OPERATOR,   /* in an operator, or in a call that neither launches nor waits */
    HOST_LAUNCHING,     /* in a launch call, or in a copy call that does not wait */
    HOST_BLOCKED,       /* in a synchronisation, or in a copy call that waits */
    HOST_COMPILING,     /* in a compiler of the framework: Dynamo, AOTAutograd, Inductor, Triton */
    HOST_LOADING,       /* in the data loader's __next__ */
    HOST_COMMUNICATING, /* in a collective that runs on the host */
    HOST_PROFILING,     /* in the profiler's own work */
};

struct host_now {
    enum host_state state;
    uint32_t row;     /* the innermost event; ROW_NONE where none is open */
    int64_t until_ns; /* the state holds from the time asked for up to here */
};

struct host;

struct host *host_new(const struct trace *trace, const struct work_classes *classes, struct arena *arena);
void host_rewind(struct host *host); /* back to the beginning of time */
void host_free(struct host *host);

/* Walks the main thread once and keeps what it was in, for hosts that are rewound often: 24 bytes a change. Rewinds. */
void host_remember(struct host *host);

/*
 * The state at the time of the first of the lanes that is inside any event; a
 * lane may be LANE_NONE, or named twice. No call may ask for a time before that
 * of an earlier call, unless the host was rewound.
 */
struct host_now host_at(struct host *host, const uint32_t *lanes, uint32_t lane_count, int64_t time_ns);

/* The same of the collectives that run on any thread of the host: HOST_COMMUNICATING or HOST_BETWEEN. */
struct host_now host_collective_at(struct host *host, int64_t time_ns);

#endif
