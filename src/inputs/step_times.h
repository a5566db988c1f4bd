/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorder notes beside a trace of the steps that nobody recorded and of those that were:
 *
 *     {"version": 1, "clock": "monotonic", "bare_step_end_ns": [...], "recorded_step_end_ns": [...], "recorder": {...}}
 *
 * Times are of one clock and rise. It lies beside TRACE as TRACE.steps.json, without the endings .gz, .zst and .json of
 * TRACE: of rank0.json.gz it is rank0.steps.json.
 */
#ifndef INPUTS_STEP_TIMES_H
#define INPUTS_STEP_TIMES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct step_times {
    str path;                    /* "" where there is none */
    str wrong;                   /* why it is not used; "" */
    double bare_ns, recorded_ns; /* median length of a step */
};

/* The path of what would lie beside a trace. */
str step_times_path(str trace, struct arena *arena);

struct step_times step_times_beside(str trace, struct arena *arena);

/* How many times as long a recorded step is; 0 where that is not known. */
static inline double step_times_factor(const struct step_times *times)
{
    return times->bare_ns > 0 && times->recorded_ns > 0 ? times->recorded_ns / times->bare_ns : 0;
}

/* Above this the recorder is a doubt of its own, and what can leave it out does. */
#define STEP_TIMES_SLOW 1.25

/* The same where it is above that, else 0. */
static inline double step_times_slowed(const struct step_times *times)
{
    const double factor = step_times_factor(times);
    return factor > STEP_TIMES_SLOW ? factor : 0;
}

#endif
