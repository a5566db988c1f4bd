/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of the selected steps by their path: in which operators they were called, from the outermost. What two
 * recordings of one program have in common is told by it, and how long each took in each step.
 */
#ifndef BREAKDOWN_OPERATOR_PATHS_H
#define BREAKDOWN_OPERATOR_PATHS_H

#include "base/arena.h"
#include "trace/select.h"

enum { PATH_OUTERMOST = UINT32_MAX };

struct operator_path {
    str name;
    uint32_t parent; /* index of the path around it, which is lower; PATH_OUTERMOST */
    uint64_t calls;
    int64_t host_ns, device_ns; /* of its own: without the operators in it; the work that it launched itself */
    int64_t *step_ns;           /* by step: that of the device, or without a device that of the host */
};

struct operator_paths {
    struct operator_path *at; /* what takes most, with all in it, first */
    uint32_t count, steps;
    bool device;    /* the trace has device work */
    uint32_t found; /* more than count where only the largest are kept */
};

/* Everything lives in the arena. */
struct operator_paths operator_paths_of(const struct trace *trace, const struct selection *selection,
                                        struct arena *arena);

#endif
