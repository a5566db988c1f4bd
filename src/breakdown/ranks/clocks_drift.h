/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a clock runs faster or slower than its reference: see clocks.h. */
#ifndef BREAKDOWN_CLOCKS_DRIFT_H
#define BREAKDOWN_CLOCKS_DRIFT_H

#include "clocks.h"

/* When an event ended by the clock, and how far that is from the reference's time of it. */
struct clock_point {
    int64_t time_ns, apart_ns;
};

/*
 * The median of the slopes between pairs of points, and the offset at the first of them. Rate 0 where there are fewer than
 * eight points, or where what the drift adds up to over them is no more than noise.
 */
struct clock_drift clock_drift_of(const struct clock_point *points, size_t count, int64_t *offset_ns);

#endif
