/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces as the data of the page's timeline: columns of deltas, for the page to
 * pack. Names are told once a class. Knows no analysis:
 * what an event is, what lies on the critical path and what a finding is about
 * come as arguments. data/page/timeline_data.js reads it; doc/report.md says what
 * is left out.
 *
 *     "SPT2"  bytes of the head (4, little-endian)  head: JSON  columns of each trace (column.h)
 *
 * Times of events are told in the trace's `unit` of nanoseconds, others in nanoseconds.
 */
#ifndef PAGE_TIMELINE_H
#define PAGE_TIMELINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "io/writer.h"
#include "trace/places.h"

/* What an event is drawn as. The page's palette (timeline_data.js) has the same order. */
enum page_class {
    PAGE_OPERATOR,
    PAGE_RUNTIME,
    PAGE_WAIT,
    PAGE_ANNOTATION,
    PAGE_PYTHON,
    PAGE_COMPUTE,
    PAGE_COMMUNICATION,
    PAGE_COPY,
    PAGE_MEMSET,
    PAGE_OTHER,
    PAGE_CLASSES,
};

/* A finding with its events. */
struct page_found {
    str id, rule;
    const uint32_t *rows;
    uint32_t count;
};

/* A stretch of the critical path. */
struct page_stretch {
    int64_t start_ns, end_ns;
    uint32_t row; /* ROW_NONE */
    str name;
};

/* Where a stretch ends: with its own event, with the start of the next stretch's, or so many ns (from the third on) after its start. */
enum { PAGE_ENDS_WITH_EVENT, PAGE_ENDS_WITH_NEXT, PAGE_ENDS_AFTER };

struct page_marks {
    const uint8_t *classes; /* by row: enum page_class */
    const struct page_found *found;
    uint32_t found_count;
    const struct page_stretch *path; /* by time */
    uint32_t path_count;
};

/* One trace, encoded; the trace may be dropped. */
struct page_trace {
    struct writer *head; /* its part of the JSON */
    struct buf columns;
    int64_t rank;
    struct trace_start start;
    uint32_t events; /* drawn */
};

void page_trace_encode(const struct trace *trace, int64_t rank, const struct page_marks *marks, struct page_trace *out);
void page_trace_free(struct page_trace *trace);

/* Above so many events the traces that come last are left out. */
enum { PAGE_MOST_EVENTS = 8000000 };

struct page_counts {
    uint32_t traces; /* of them on the timeline, the first */
    uint64_t events;
};

/* Adds the whole. Clocks of several traces are one where all tell the time of day. */
struct page_counts page_timeline(const struct page_trace *const *traces, uint32_t count, struct buf *data);

#endif
