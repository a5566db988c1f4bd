/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace recorded with profile_memory says of allocations, as a log. */
#ifndef MEMORY_TRACED_H
#define MEMORY_TRACED_H

#include "memory/log/log.h"
#include "trace/trace.h"

/* A new log of no events where the trace has none. Its texts are its own; the trace may go. */
struct memory_log traced_log(const struct trace *trace, struct arena *arena);

/* Whether the trace tells allocations. */
bool traced_has(const struct trace *trace);

#endif
