/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorder notes beside a trace of the steps that nobody recorded and of those that were:
 *
 *     {"version": 1, "clock": "monotonic", "bare_step_end_ns": [...], "recorded_step_end_ns": [...], "recorder": {...}}
 *
 * Times are of one clock and rise. Where the system tells it, "bare_step_end_waited_ns" and "recorded_step_end_waited_ns" say how long
 * the thread had waited for a processor until each of these ends: what is told of steps is then without such waits, for
 * they come of other programs and are never the same. It lies beside TRACE as TRACE.steps.json, without the endings .gz, .zst and .json of
 * TRACE: of rank0.json.gz it is rank0.steps.json.
 */
#ifndef INPUTS_STEP_TIMES_H
#define INPUTS_STEP_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct step_times {
    str path;                    /* "" where there is none */
    str wrong;                   /* why it is not used; "" */
    double bare_ns, recorded_ns; /* median length of a step; without waits for a processor where these are known */
    const int64_t *waited_ns;    /* of each recorded step, in the arena; NULL: not known */
    uint32_t waited_count;
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
