/* SPDX-License-Identifier: Apache-2.0 */
/* What backward does, on a thread, of forward operators that began in some of its time. */
#ifndef JOIN_HOST_BACKWARD_H
#define JOIN_HOST_BACKWARD_H

#include "base/span.h"
#include "trace/trace.h"

/* Adds it; the time becomes a set. */
void host_add_backward(const struct trace *trace, uint32_t lane, struct spans *time);

#endif
