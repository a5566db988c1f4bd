/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of the source, joined to what a trace shows.
 *
 *     lint_run(&options, &arena, &lint, &err);
 *     struct joined joined;
 *     join_trace(&lint, trace, &arena, &joined);      once a trace
 *     lint_rank(&lint);
 *     join_show(&joined, 1, report);
 *
 * Each copy and synchronisation of the trace looks for its finding, from the
 * innermost function of the linted files on its stack outward. A finding gets
 *
 *     confirmed  the function, the built-in and its order (or the exact line) agree; or PyTorch itself saw the line
 *                wait, as a recorder noted beside the trace (sync_lines.h)
 *     function   the trace shows the pattern in that function
 *     static     the trace does not show it; or does not belong to the source
 *
 * and two numbers a step, never mixed: how long the host was blocked, and what a
 * step would save. What no finding explains and matters becomes a finding of its
 * own, of tier trace. Of several traces the larger numbers count.
 */
#ifndef JOIN_JOIN_H
#define JOIN_JOIN_H

#include "lint/lint.h"
#include "sync_lines.h"
#include "trace/trace.h"

/* What a trace says as a whole. Per step where said. */
struct joined {
    str path;
    enum step_source step_source;
    uint32_t steps;
    bool has_device; /* else the host's time under the lines of findings is all that there is */
    bool has_frames; /* Python frames or call stacks are recorded */
    bool belongs;    /* some of them lie in linted files */
    bool moved;      /* the source has changed since: functions agree by name alone */
    bool device_bound;
    uint32_t functions, functions_found;
    int64_t step_ns, busy_ns, idle_ns, preparing_ns, blocked_ns; /* a step */
    int64_t loading_ns;
    double blocking_moves;                       /* a step */
    int64_t saving_ns;                           /* all findings fixed together; a step */
    struct sync_lines lines;                     /* beside the trace */
    uint32_t lines_seen;                         /* of them in linted files */
    uint32_t confirmed, in_function, from_trace; /* findings */
    uint32_t under_lines;                        /* findings under whose lines a host without a device spends time */
    int64_t bare_step_ns; /* the step that savings are told of: without the recorder, where it made steps much longer */
};

void join_trace(struct lint *lint, const struct trace *trace, struct arena *arena, struct joined *joined);

struct report;
/* A section `evidence`, a row a trace; and a warning where one cannot speak for the source. */
void join_show(const struct joined *joined, uint32_t count, struct report *report);

#endif
