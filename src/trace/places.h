/* SPDX-License-Identifier: Apache-2.0 */
/* Where traces lie in a picture of several: the clock that they share, and what their lanes are called. */
#ifndef TRACE_PLACES_H
#define TRACE_PLACES_H

#include "trace.h"

struct trace_start {
    bool dated; /* the file tells the time of day */
    int64_t epoch_ns;
};

/* Of each trace its start, from the first: where all are dated and begin within a day of each other; else 0. */
void trace_offsets(const struct trace_start *starts, uint32_t count, int64_t *offsets_ns);

/* As recorded, with the number of the thread where that is not in it; "stream 7". May lie in the arena. */
str trace_lane_name(const struct trace *trace, const struct lane *lane, struct arena *arena);

/* As recorded with its number: "python, process 17"; "device 0". May lie in the arena. */
str trace_process_name(const struct trace *trace, const struct lane *lane, struct arena *arena);

#endif
