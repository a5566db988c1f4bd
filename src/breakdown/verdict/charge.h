/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose time the nodes of a graph take. Each nanosecond of a node's work is
 * charged to one account: of the host its cause, of the device what kind of work
 * it is. So what is asked of two of them never shares time.
 */
#ifndef BREAKDOWN_CHARGE_H
#define BREAKDOWN_CHARGE_H

#include "breakdown/idle/node_cause.h"
#include "graph/graph.h"

enum charge {
    CHARGE_HOST = 0, /* + enum cause */
    CHARGE_COMPUTE = CAUSES,
    CHARGE_COMMUNICATION,
    CHARGE_COPY, /* between host and device, or between devices */
    CHARGES,
};

/* What could be faster by itself; the accounts that belong to it. */
enum resource {
    RESOURCE_DEVICE, /* compute kernels, memsets, copies within a device */
    RESOURCE_HOST,   /* what the threads do themselves: Python, operators, calls, compilation, allocation */
    /* In a trace of the host alone that is its work, so it is told apart. RESOURCE_HOST is all of it and RESOURCE_COPIES. */
    RESOURCE_OPERATORS, /* the next three together */
    RESOURCE_FORWARD,
    RESOURCE_BACKWARD,
    RESOURCE_OPTIMIZER,
    RESOURCE_BESIDE,        /* Python, compilation, allocation: what is in no operator */
    RESOURCE_COMMUNICATION, /* collectives and messages, on the device or the host; of one rank alone late peers too */
    RESOURCE_DATA,          /* the data loader, on the thread that asks it */
    RESOURCE_COPIES,        /* copies between host and device, or between devices; on a host alone copying operators */
    RESOURCE_STALLS,        /* sleep, and writing of checkpoints */
    RESOURCE_START,         /* what comes once: first use of libraries and kernels, capture of graphs */
    RESOURCE_LATENESS, /* of several ranks: one comes later than the others; told by breakdown/job, never by a charge */
    RESOURCE_NONE,     /* the recorder's own work: no experiment changes it */
    RESOURCES,
};

enum resource resource_of(enum charge charge);      /* by itself, see charged_to */
const char *resource_id(enum resource resource);    /* "device" */
const char *resource_title(enum resource resource); /* for people */

/* A stretch of a node that is charged to another account than the rest of it. */
struct charge_slice {
    uint32_t node, row; /* row: the event that says so */
    uint8_t charge;
    int64_t ns; /* slices of a node are no more than its work */
};

struct charges {
    const uint8_t *of; /* by node: an enum charge, of all that is in no slice */
    const struct charge_slice *slices;
    uint32_t slice_count; /* ascending by node */
    struct node_causes causes;
    bool again
        [CAUSES]; /* what usually comes once (RESOURCE_START) comes in most steps: no start-up but the host's work */
};

/* Of a trace: what comes again and again is no start-up. */
enum resource charged_to(const struct charges *charges, enum charge charge);

/* The tracks are those of the trace. In the arena. */
struct charges charges_of(const struct graph *graph, const struct work_classes *classes,
                          const struct cause_track *tracks, struct arena *arena);

/* An operator works, whether it is known for what or not. */
static inline bool node_is_operator(const struct charges *charges, uint32_t node)
{
    return charges->causes.graph->net.kind[node] != NODE_DEVICE &&
           node_plain_cause(&charges->causes, node) == CAUSE_OPERATOR;
}

/* By node: of the host's work what belongs to other resources. NULL: nothing does. In the arena. */
const int64_t *charges_not_of_host(const struct graph *graph, const struct charges *charges, struct arena *arena);

#endif
