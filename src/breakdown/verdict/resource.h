/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose time the nodes of a graph take. Each nanosecond of a node's work belongs
 * to one resource, so that what is asked of two of them never shares time.
 */
#ifndef BREAKDOWN_RESOURCE_H
#define BREAKDOWN_RESOURCE_H

#include "graph/graph.h"

enum resource {
    RESOURCE_DEVICE,        /* compute kernels, memsets, copies within a device */
    RESOURCE_HOST,          /* Python, operators, calls, compilation: what the threads do themselves */
    RESOURCE_COMMUNICATION, /* collectives and messages, on the device or the host; of one rank alone late peers too */
    RESOURCE_DATA,          /* the data loader, on the thread that asks it */
    RESOURCE_COPIES,        /* copies between host and device, or between devices */
    RESOURCE_NONE,          /* the recorder's own work: no experiment changes it */
    RESOURCES,
};

const char *resource_id(enum resource resource);    /* "device" */
const char *resource_title(enum resource resource); /* for people */

/* A stretch of a node that belongs to another resource than the rest of it. */
struct resource_slice {
    uint32_t node;
    uint8_t resource;
    int64_t ns; /* slices of a node are no more than its work */
};

struct resources {
    const uint8_t *of; /* by node: an enum resource, of all that is in no slice */
    const struct resource_slice *slices;
    uint32_t slice_count; /* ascending by node */
};

/* In the arena. */
struct resources resources_of(const struct graph *graph, const struct work_classes *classes, struct arena *arena);

#endif
