/* SPDX-License-Identifier: Apache-2.0 */
/* What a call of the device's runtime or driver does, told by its name. Names are judged once each. */
#ifndef GRAPH_RUNTIME_H
#define GRAPH_RUNTIME_H

#include "trace/trace.h"

enum runtime_call {
    RUNTIME_OTHER,
    RUNTIME_LAUNCH,
    RUNTIME_COPY,          /* waits only where the memory of the host is pageable */
    RUNTIME_BLOCKING_COPY, /* returns when the copy is done */
    RUNTIME_DEVICE_SYNC,
    RUNTIME_STREAM_SYNC,
    RUNTIME_EVENT_SYNC,
    RUNTIME_FREE, /* waits for the device before it gives memory back */
    RUNTIME_STREAM_WAIT,
    RUNTIME_EVENT_RECORD,
};

enum runtime_call runtime_call_of(str name);

/* A value (enum runtime_call) a text of the trace; RUNTIME_OTHER for texts that name no runtime call. In the arena. */
const uint8_t *runtime_calls_of(const struct trace *trace, struct arena *arena);

static inline bool runtime_is_sync(enum runtime_call call)
{
    return call >= RUNTIME_DEVICE_SYNC && call <= RUNTIME_FREE;
}

#endif
