/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The innermost open event of a list of rows in order of start, for times that
 * never go back. A stack holds what is open; a row is pushed and popped once.
 */
#ifndef BREAKDOWN_HOST_TRACK_H
#define BREAKDOWN_HOST_TRACK_H

#include "host_event.h"

/* A zeroed struct with rows is at the beginning. host_track_free releases the stack. */
struct host_track {
    struct rows rows;
    bool marks;    /* annotations and overheads; else operators and runtime calls */
    uint32_t next; /* first row that has not begun */
    struct host_open *stack;
    size_t depth, room;
    struct host_now now; /* the last answer, good until now.until_ns */
};

void host_track_move(struct host_track *track, struct host_events *events, const struct trace *trace, int64_t time_ns);

/* HOST_BETWEEN and ROW_NONE where no event is open. */
static inline const struct host_now *host_track_at(struct host_track *track, struct host_events *events,
                                                   const struct trace *trace, int64_t time_ns)
{
    if (time_ns >= track->now.until_ns)
        host_track_move(track, events, trace, time_ns);
    return &track->now;
}

void host_track_rewind(struct host_track *track);
void host_track_free(struct host_track *track);

#endif
