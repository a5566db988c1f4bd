/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what is concluded from traces can be trusted: what is missing in them, how many steps stand behind it, what the
 * recorder cost, what was mended, what files of one job say against each other. Taken once of each trace, joined over
 * all files of a run, and said in one line at the head of every screen that concludes. doc/numbers/trust.md defines it.
 */
#ifndef INPUTS_TRUST_H
#define INPUTS_TRUST_H

#include "doubt.h"
#include "report/report.h"
#include "step_times.h"
#include "trace/select.h"
#include "trace/trace.h"

/* Of a sketch (sketch/file/sketch.h): its collectives, those told to a unit, and the largest units; 0 ns: exact. */
struct rounded_times {
    int64_t collectives, rounded, entry_ns, spent_ns;
};

/* Of one trace. */
struct trace_trust {
    struct trace_oddities odd;
    uint64_t device_work, repaired, dropped;
    uint32_t steps; /* selected */
    enum step_source source;
    bool first; /* its only step is the first of the run */
    bool cut;
    struct step_times times; /* of the recorder */
    struct rounded_times rounded;
};

struct trace_trust trace_trust_of(const struct trace *trace, const struct selection *steps, struct arena *arena);

/* Of all traces of a run. */
struct trust {
    uint32_t traces, unmarked, cut, first, timed;
    uint32_t fewest, most; /* steps */
    enum step_source source;
    uint64_t launches, launches_lost, device_work, unlaunched, repaired, dropped;
    uint64_t groups; /* the most of a trace that gloo does not name */
    uint32_t clocks; /* traces in which those of host and device contradict; of these: */
    uint64_t early_work, early_syncs;
    int64_t most_early_ns;
    double factor; /* the largest of the recorders; 0 */
    struct rounded_times rounded;
    struct doubts job;
};

void trust_add(struct trust *trust, const struct trace_trust *trace);

/* The line, its values and its doubts. Nothing where there is no trace. */
void trust_show(const struct trust *trust, struct report *report);

#endif
