/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the training thread spends a step in a set of its time, and how well so few steps tell it.
 *
 * A machine that is busy makes a step longer, and all in it, so what is told is a part of the step: all time in the set by that of all
 * steps. Not the median of the parts of each step, for where the processor is taken away a few times in a step and hardly ever in a set
 * that is short, that is too small. The part counts of the step as it is without the recorder. Recording costs the host time that the
 * program does not take: an equal part of what the recorder added to a step is taken off for each operator, at most OPERATOR_NS, and a
 * FRAMES_AN_OPERATOR-th of that for each Python frame.
 */
#ifndef EVIDENCE_HOST_TIME_H
#define EVIDENCE_HOST_TIME_H

#include "base/arena.h"
#include "base/span.h"
#include "trace/trace.h"

enum {
    OPERATOR_NS = 5000
}; /* PyTorch's recorder with shapes takes 2 to 5 us an operator; beyond that the machine was busy */
enum { FRAMES_AN_OPERATOR = 15 }; /* as long as recording one operator: 2.7 us beside 0.12 to 0.25 us, PyTorch 2.13 */

struct host_clock {
    const struct trace *trace;
    uint32_t lane;                     /* of the training thread; LANE_NONE */
    const int64_t *operators, *frames; /* starts of its operators and of its Python frames, ascending */
    uint32_t operator_count, frame_count;
    double an_operator_ns; /* what recording one costs; 0 where it is not known */
    double step_ns;        /* without the recorder, where that is known; else the median of those recorded */
};

/* `bare_ns`, `recorded_ns`: a step without the recorder and with it; 0: not known. Lists lie in the arena. */
struct host_clock host_clock_open(const struct trace *trace, double bare_ns, double recorded_ns, struct arena *arena);

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
