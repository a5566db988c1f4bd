/* SPDX-License-Identifier: Apache-2.0 */
/* What entries and ends of blocking collectives prove about the offsets of clocks: see clocks.h. */
#ifndef BREAKDOWN_CLOCKS_BOUNDS_H
#define BREAKDOWN_CLOCKS_BOUNDS_H

#include "clocks.h"

/* Of an offset against that of the reference; INT64_MIN and INT64_MAX where nothing is proven. */
struct clock_bounds {
    int64_t low_ns, high_ns; /* low above high: no offset fits all events */
};

/* By clock, in the arena. reference: of each clock the first of those it shares events with, directly or over others. */
struct clock_bounds *clocks_bounds(const struct clock_reading *readings, size_t count, uint32_t clocks,
                                   const uint32_t *reference, struct arena *arena);

#endif
