/* SPDX-License-Identifier: Apache-2.0 */
/* What pictures of a whole trace draw over its events: the critical path, and the events that findings are about. */
#ifndef BREAKDOWN_DRAWN_H
#define BREAKDOWN_DRAWN_H

#include "report/report.h"
#include "trace/trace.h"

struct summary;

struct drawn_stretch {
    int64_t start_ns, end_ns;
    uint32_t row;    /* ROW_NONE */
    str name, class; /* name: that of the class where nothing has one */
};

/* By time, all of them, in the arena. */
struct drawn_stretch *drawn_path(const struct trace *trace, struct arena *arena, uint32_t *count);

struct drawn_finding {
    str id, rule, message;
    const uint32_t *rows; /* of the trace, at least one */
    uint32_t count;
};

/* The events of a finding that the trace has, which may be none. Copied into the arena. */
struct drawn_finding drawn_finding_of(const struct finding *finding, const struct trace *trace, struct arena *arena);

/* Of the trace by itself, up to `most`, those that have events. In the arena. */
struct drawn_finding *drawn_findings(const struct summary *summary, const struct trace *trace, uint32_t most,
                                     struct arena *arena, uint32_t *count);

#endif
