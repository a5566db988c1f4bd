/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces as a file that Perfetto opens: its protocol buffers, written by numbers of fields alone. A thread or stream is a
 * track, with a track below it for each kind of nest; times are deltas, names are told once a track. doc/exports.md says
 * what becomes what.
 */
#ifndef PERFETTO_PERFETTO_H
#define PERFETTO_PERFETTO_H

#include "io/writer.h"
#include "trace/trace.h"

/* A slice that no recorder wrote: a part of the critical path, an event of a finding. Times as in the trace. */
struct perfetto_mark {
    int64_t start_ns, end_ns;
    uint32_t row;   /* ROW_NONE */
    str name, note; /* note: a word more, or "" */
};

struct perfetto_track {
    str name;
    const struct perfetto_mark *marks; /* in order of time */
    uint32_t count;
};

struct perfetto_trace {
    const struct trace *trace;
    int64_t rank;
    const struct perfetto_track *tracks; /* beside its own */
    uint32_t track_count;
};

struct perfetto_counts {
    uint64_t slices, flows, counters; /* that were written */
    uint64_t shortened;               /* slices that overlap more others on their lane than there are tracks for */
};

/* Where the bytes go. */
typedef void perfetto_put_fn(void *context, str bytes);

/* Traces by rank. Their clocks are laid on one another where all of them tell the time of day. */
struct perfetto_counts perfetto_write(const struct perfetto_trace *traces, uint32_t count, perfetto_put_fn *put,
                                      void *context);

#endif
