/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps of a trace an analysis looks at (--steps A..B, --skip-warmup). */
#ifndef TRACE_SELECT_H
#define TRACE_SELECT_H

#include "trace.h"

/* A zeroed struct selects everything. */
struct selection {
    bool limited;        /* first and last count */
    int64_t first, last; /* step numbers, both inside */
    bool skip_warmup;    /* without the first recorded step: it carries the profiler's start */
};

/* A run of steps: indices [first, first + count) of trace->steps. count is 0 if nothing fits. */
struct step_range {
    uint32_t first, count;
};

struct step_range selection_steps(const struct trace *trace, const struct selection *selection);

/*
 * Of them those that are judged: of four or more, where none were named, without the first and the last, which carry the
 * edges of the recording.
 */
struct step_range selection_judged(const struct trace *trace, const struct selection *selection);

/* The interval from the first selected step's start to the last one's end; the whole trace where all are selected. */
void selection_window(const struct trace *trace, const struct selection *selection, int64_t *start_ns, int64_t *end_ns);

#endif
