/* SPDX-License-Identifier: Apache-2.0 */
/* In what the host was blocked while the device was idle: sums by call, operator and Python frame. */
#ifndef BREAKDOWN_BLOCKING_H
#define BREAKDOWN_BLOCKING_H

#include "base/map.h"
#include "breakdown.h"

/* A zeroed struct with a trace is empty. blocking_free releases it. */
struct blocking {
    const struct trace *trace;
    struct map places; /* a call row's place among the sums */
    struct breakdown_blocking *sums;
    size_t count, room;
};

void blocking_add(struct blocking *blocking, uint32_t row, int64_t ns);

/* The sums, largest first, with their texts copied; in the arena. */
struct breakdown_blocking *blocking_sums(const struct blocking *blocking, struct arena *arena);

void blocking_free(struct blocking *blocking);

#endif
