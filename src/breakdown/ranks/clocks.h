/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks of different machines, set against each other by events that all who
 * take part leave together: the ends of blocking collectives.
 *
 *     reading = time of the event + offset of the clock + noise
 *
 * What is certain are bounds: nobody leaves a blocking collective before all have
 * come, so by true times the last entry is no later than the first end,
 *
 *     entry of r - offset of r <= end of q - offset of q      for all r, q of an event
 *
 * and a clock is corrected only where these exclude that it agrees with its
 * reference. Ends are not simultaneous by nature: a slow link in a ring makes them
 * differ by tens of milliseconds between equal clocks. Without entries a clock is
 * corrected where its ends differ by more than noise.
 *
 * Offsets are first carried from clock to clock along shared events, then refined
 * by medians in turn: an event's time is the median of what its clocks say, a
 * clock's offset the median of how far it is off its events. Of exact readings
 * the offsets are exact. What they say is then kept within the bounds. Where a
 * corrected clock runs faster or slower than its reference, its drift is the median
 * of pairwise slopes (Theil-Sen). Time is linear in the readings, except for
 * sorting.
 */
#ifndef BREAKDOWN_CLOCKS_H
#define BREAKDOWN_CLOCKS_H

#include <stdbool.h>

#include "base/arena.h"

/* Readings of one event lie together. Times are below 2^60 in size. */
struct clock_reading {
    uint32_t clock, event;
    int64_t entry_ns; /* INT64_MIN: not known */
    int64_t time_ns;  /* of the end */
};

/* How far a clock drifts from its offset: the offset holds at the pivot, in the clock's own time. */
struct clock_drift {
    double rate; /* ns a ns; 0: none */
    int64_t pivot_ns;
};

/* How far a clock is ahead of another one that several share: of a device, of its host. Bounds; INT64_MIN, INT64_MAX: not known. */
struct clock_own {
    uint32_t shared; /* the number of that one; CLOCK_ALONE */
    int64_t low_ns, high_ns;
};
enum { CLOCK_ALONE = UINT32_MAX };

struct clock_solution {
    int64_t *offset_ns; /* by clock: take it from the clock's times. 0 for clocks that agree with their reference */
    struct clock_drift *drift; /* by clock */
    uint32_t corrected;        /* clocks with an offset */
    uint32_t drifting;         /* of them with a drift */
    uint32_t contradicted; /* clocks of which no constant offset fits all events: a drift, or a match that is wrong */
    uint32_t islands;      /* groups of clocks with no event in common; each has its own reference, its first clock */
    uint32_t events;
    int64_t residual_p50_ns,
        residual_p95_ns; /* between the first and the last reading of an event, offsets taken out */
};

/*
 * Clocks within this, or within three times their own scatter, of their reference
 * are taken to agree: leaving a collective together is not exact itself.
 */
enum { CLOCKS_AGREE_NS = 50 * 1000 };

/* The time by the reference's clock. */
static inline int64_t clock_true_ns(int64_t time_ns, int64_t offset_ns, struct clock_drift drift)
{
    const double drifted = drift.rate * (double)(time_ns - drift.pivot_ns);
    return time_ns - offset_ns - (int64_t)drifted;
}

/* Events are numbered from 0 in order. own: by clock; NULL: nothing is known but by events. */
void clocks_solve(const struct clock_reading *readings, size_t count, uint32_t clocks, const struct clock_own *own,
                  struct arena *arena, struct clock_solution *solution);

#endif
