/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in its steps a thread waited for a processor that other programs had. How long it did so in each step is known
 * (inputs/step_times.h), not where. Steps repeat the same operators: so between two moments of the thread (an operator begins
 * or ends) there lies in each step a stretch that has the same names and the same order, and the median of its lengths
 * is what it takes undisturbed, as a wait meets a short stretch in few steps. Of a step's waits there go
 *
 *     to each short stretch   what it is longer than its median, where that is INTERRUPTED_NS or more, and evenly less where it comes
 *                             to more than all waits. What is less is no wait: stretches are never all the same
 *     to the long ones        the rest, each by its length: of them the median has waits in it
 *
 * Where it is not known how long it waited, nothing goes to the long ones.
 *
 * Time on the thread without those waits is a map of the recorded time, straight between two moments.
 */
#ifndef TRACE_UNDISTURBED_H
#define TRACE_UNDISTURBED_H

#include "base/arena.h"
#include "trace.h"

enum {
    LONG_STRETCH_NS = 1000000, /* systems hand a processor on after some ms, so this may well be met in most steps */
    INTERRUPTED_NS =
        500000, /* and they hand it back after as much; nothing else makes a short stretch so much longer */
};

struct undisturbed {
    const int64_t *at;    /* ascending */
    const double *own_ns; /* up to there; the same where one lies between two steps */
    uint32_t count;       /* 0: nothing is known, and all time counts */
};

/* What is known beside the trace. */
struct undisturbed_of {
    uint32_t lane;
    const int64_t *waited_ns; /* by step; NULL: not known */
    bool with_frames;         /* Python's are moments, too: they were recorded together with the times */
};

/* In the arena. */
struct undisturbed undisturbed_of(const struct trace *trace, const struct undisturbed_of *of, struct arena *arena);

/* A time on that clock; the time itself where nothing is known. */
double undisturbed_time(const struct undisturbed *map, int64_t time_ns);

/* What of a time is no wait for a processor. Of time outside of all steps nothing is known: it counts as it is. */
double undisturbed_between(const struct undisturbed *map, int64_t start_ns, int64_t end_ns);

#endif
