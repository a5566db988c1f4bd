/* SPDX-License-Identifier: Apache-2.0 */
/* What backward does, on a thread, of forward operators that began in some time of the thread that trains. */
#ifndef JOIN_HOST_BACKWARD_H
#define JOIN_HOST_BACKWARD_H

#include "base/span.h"
#include "trace/trace.h"

/* `forward` is a set; `out` becomes one. */
void host_backward_on(const struct trace *trace, uint32_t lane, const struct spans *forward, struct spans *out);

/* Adds it, of the thread's own forward operators; the time becomes a set. */
void host_add_backward(const struct trace *trace, uint32_t lane, struct spans *time);

#endif
