/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls of two recordings of the same thread are the same call. */
#ifndef RECORD_PAIRS_H
#define RECORD_PAIRS_H

#include "trace/trace.h"
#include "warp.h"

/* A thread as two recordings have it. */
struct both_lanes {
    const struct trace *times, *stacks;
    uint32_t in_times, in_stacks; /* lanes */
};

/*
 * Adds an anchor for the begin and one for the end of each pair of calls, and of each step: the i-th step of one is the i-th
 * of the other. *calls: those of `times` in these steps. Returns how many have a partner.
 */
uint64_t pairs_find(struct both_lanes lanes, struct warp *warp, uint64_t *calls);

#endif
