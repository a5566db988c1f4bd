/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which device work a call of the host waited for. Told by the synchronisation
 * row recorded for the call; where there is none, by what such a call waits for
 * and by time: whatever it waited for ended before it returned.
 */
#ifndef GRAPH_WAIT_H
#define GRAPH_WAIT_H

#include "base/map.h"
#include "base/span.h"
#include "graph.h"
#include "runtime.h"

enum {
    SKEW_NS = 10 * 1000, /* how far the clocks of host and device may differ */
    WAIT_SOURCES =
        TRACE_STREAMS_MOST, /* a wait for all devices waits for that many streams at most, those that end last */
};

struct wait {
    uint32_t sources[WAIT_SOURCES]; /* device rows */
    uint32_t count;                 /* 0: the call waited for nothing that is known */
    enum edge_kind kind;            /* EDGE_WAIT or EDGE_QUEUE */
    int64_t enter_ns, resume_ns;    /* the thread did not run in between; equal where the call did not have to wait */
};

/* What is known of streams and calls, for many questions. */
struct waits {
    const struct trace *trace;
    struct span window; /* what begins outside of it is not asked for */
    const struct work_classes *classes;
    const uint8_t *calls; /* enum runtime_call by text id */
    struct map sync_of;   /* correlation to the synchronisation row */
    struct map record_of; /* correlation to the call that recorded an event */
    struct map stream_of; /* device and stream number to lane */
    struct rows ended;    /* device work of the window by end */
};

extern const struct span waits_always; /* the window of a whole trace */

void waits_open(struct waits *waits, const struct trace *trace, struct span window, const struct work_classes *classes,
                const uint8_t *calls, struct arena *arena);
void waits_close(struct waits *waits);

/* last_launch: the host row that launched last on the thread before this call; ROW_NONE. False: it is no call that waits. */
bool wait_of(const struct waits *waits, uint32_t row, uint32_t last_launch, struct wait *wait);

/* The lane of a stream; LANE_NONE. */
uint32_t waits_stream(const struct waits *waits, int64_t device, int64_t stream);

/* When the event that a synchronisation row waits for was recorded; `otherwise` where the row or the call is not known. */
int64_t waits_recorded_ns(const struct waits *waits, uint32_t sync, int64_t otherwise);

/* Of rows by start those that begin in the window. */
struct rows waits_within(const struct waits *waits, struct rows rows);

/* The last device work of a stream launched before the time; the first launched at it or after. ROW_NONE. */
uint32_t launched_before(const struct trace *trace, uint32_t stream, int64_t time_ns);
uint32_t launched_from(const struct trace *trace, uint32_t stream, int64_t time_ns);

#endif
