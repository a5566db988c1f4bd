/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks of different machines, set against each other by events that all who
 * take part leave together: the ends of blocking collectives.
 *
 *     reading = time of the event + offset of the clock + noise
 *
 * Offsets are first carried from clock to clock along shared events, then refined
 * by medians in turn: an event's time is the median of what its clocks say, a
 * clock's offset the median of how far it is off its events. Of exact readings
 * the offsets are exact. Time is linear in the readings, except for sorting.
 */
#ifndef BREAKDOWN_CLOCKS_H
#define BREAKDOWN_CLOCKS_H

#include <stdbool.h>

#include "base/arena.h"

/* Readings of one event lie together. Times are below 2^60 in size. */
struct clock_reading {
    uint32_t clock, event;
    int64_t time_ns;
};

struct clock_solution {
    int64_t *offset_ns; /* by clock: take it from the clock's times. 0 for clocks that agree with their reference */
    uint32_t corrected; /* clocks with an offset */
    uint32_t islands;   /* groups of clocks with no event in common; each has its own reference, its first clock */
    uint32_t events;
    int64_t residual_p50_ns,
        residual_p95_ns; /* between the first and the last reading of an event, offsets taken out */
};

/*
 * Clocks within this, or within three times their own scatter, of their reference
 * are taken to agree: leaving a collective together is not exact itself.
 */
enum { CLOCKS_AGREE_NS = 50 * 1000 };

/* Events are numbered from 0 in order. */
void clocks_solve(const struct clock_reading *readings, size_t count, uint32_t clocks, struct arena *arena,
                  struct clock_solution *solution);

#endif
