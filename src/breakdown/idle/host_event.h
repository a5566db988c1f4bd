/* SPDX-License-Identifier: Apache-2.0 */
/* What an event of the host says about its thread while it is open. */
#ifndef BREAKDOWN_HOST_EVENT_H
#define BREAKDOWN_HOST_EVENT_H

#include "host.h"

struct host_events; /* what the names of a trace mean, each judged once */

struct host_events *host_events_new(const struct trace *trace, const struct work_classes *classes, struct arena *arena);

/* An event that has begun. */
struct host_open {
    int64_t end_ns;
    uint32_t row;
    enum host_state state;
};

struct host_open host_open_call(struct host_events *events, uint32_t row); /* an operator or runtime call */
struct host_open host_open_mark(struct host_events *events, uint32_t row); /* an annotation, overhead or frame */

/* HOST_COMPILING of a frame of a compiler, HOST_LOADING, HOST_COMMUNICATING, HOST_PROFILING, or HOST_BETWEEN for what says nothing. */
enum host_state host_mark_state(struct host_events *events, uint32_t row);

#endif
