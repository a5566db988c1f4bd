/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a walk, for its files. */
#ifndef PREDICT_WALK_PRIVATE_H
#define PREDICT_WALK_PRIVATE_H

#include <math.h>

#include "meetings.h"
#include "walk.h"

/* A stream: its work in the order of the calls, `head` being the first that has not begun. */
struct stream {
    uint32_t head, tail; /* launches; PLAN_NONE: none */
    uint32_t last;       /* the launch called last; PLAN_NONE */
    double end_us;       /* of all work that has begun */
    uint64_t called, done;
    double *room; /* begin of the work that was called so many before; a ring */
};

struct rank {
    const struct plan *plan;
    struct walked *walked;
    double *launch_start, *launch_end, *op_start, *op_end, *op_wait;
    double *came;   /* by launch: when its work was on the device; a collective waits there for the other ranks */
    double *called; /* by launch: when its call began; NaN before */
    uint32_t *next; /* by launch: the one behind it in its stream */
    struct stream *streams;
    double *threads; /* clocks */
    uint32_t queue_room;
    uint32_t op, launch; /* where the host is; launch PLAN_NONE: before the operator */
    bool entered;        /* the operator has begun, its own wait is over */
    bool called_launch;  /* the launch at hand was called; its wait comes next */
    double waited_us;
    bool queued; /* in the list of ranks that can go on */
};

struct walking {
    struct rank *ranks;
    uint32_t count;
    struct meetings *meetings; /* NULL for one rank */
    uint32_t *ready, ready_count;
};

static inline bool known(double us)
{
    return !isnan(us);
}

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* The rank can go on. */
void walk_wake(struct walking *walking, uint32_t rank);

/* Begins what can begin in the streams of a rank. True where anything did. */
bool walk_streams(struct walking *walking, uint32_t rank);

/* Takes the host of a rank as far as it goes. */
void walk_host(struct rank *rank);

/* The host is at its end, and all streams are empty. */
bool walk_done(const struct rank *rank);

/* When the host of a rank is done, its tail with it. */
double walk_host_end_us(const struct rank *rank);

/* False with STEPTIME_INPUT where a rank is not done though nothing goes on: work waits in a circle. */
bool walk_no_circle(const struct walking *walking, struct steptime_error *err);

/* Fills rank->walked, with all times from the step's begin. */
void walk_sum(struct rank *rank, double begin_us, double step_us);

#endif
