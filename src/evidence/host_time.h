/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the training thread spends a step in a set of its time, and how well so few steps tell it.
 *
 * A machine that is busy makes a step longer, and all in it, so what is told is a part of the step: all time in the set by that of all
 * steps. Not the median of the parts of each step, for where the processor is taken away a few times in a step and hardly ever in a set
 * that is short, that is too small. The part counts of the step as it is without the recorder. Waits for a processor
 * (undisturbed.h) and what the recorder cost (recorder_cost.h) are taken off both.
 */
#ifndef EVIDENCE_HOST_TIME_H
#define EVIDENCE_HOST_TIME_H

#include "base/arena.h"
#include "base/span.h"
#include "recorder_cost.h"
#include "trace/trace.h"
#include "trace/undisturbed.h"

struct host_clock {
    const struct trace *trace;
    uint32_t lane; /* of the training thread; LANE_NONE */
    struct undisturbed own;
    struct recorder_cost cost;
    double step_ns; /* without the recorder, where that is known; else the median of those recorded */
};

/* What is known of a step beside the trace. */
struct host_pace {
    double bare_ns, recorded_ns; /* without the recorder and with it; 0: not known */
    const int64_t *waited_ns;    /* for a processor, by step; NULL: not known */
    uint32_t waited_count;
};

/* Lists lie in the arena. */
struct host_clock host_clock_open(const struct trace *trace, const struct host_pace *pace, struct arena *arena);

struct host_time {
    uint32_t steps;
    double ns;         /* a step */
    double low, high;  /* with the confidence below, of the median part, by the order of the steps (no law of noise is
                         supposed); wide enough to hold `ns` */
    double confidence; /* 0.95 or more of six steps or more; of fewer, 1 - 2^(1 - steps) */
};

/* `time` is a set. What lies outside of all steps does not count. */
struct host_time host_time_of(const struct host_clock *clock, const struct spans *time);

#endif
