/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a replay, for its files. */
#ifndef PREDICT_REPLAY_PRIVATE_H
#define PREDICT_REPLAY_PRIVATE_H

#include "replay.h"

/* A collective that the question leaves. */
struct replay_meet {
    struct collective_point point;
    uint32_t row;
    int64_t size; /* ranks that come; 0: not known */
};

/* What becomes of the rows of the trace. Ratios are NaN where the question says nothing. */
struct replay {
    const struct graph *graph;
    const struct work_classes *classes;
    struct step_range range;
    float *work;            /* by row: of device work, and of the host inside a call; times the recorded */
    float *before;          /* by row: of the host before a call */
    bool *gone;             /* by row: device work */
    bool *freed;            /* by row: a call inside which nothing is waited for */
    bool together;          /* with other ranks: then the question holds from the first step of the trace */
    double rest;            /* of all other work of the host */
    const int64_t *kept_ns; /* replay_keep; NULL */
    struct replay_meet *meets;
    size_t meet_count, meet_room;
    const struct split_wait *waits;
    uint32_t wait_count;
    struct arena arena;
};

/* All that the question changes from the first step on, as a change of the graph. The replay must live as long. */
struct change replay_change(struct replay *replay, double cpu_speed);

/* What the host does with the last part of a node's work, at whose begin a meeting lets it go. */
int64_t replay_rest_ns(const struct replay *replay, uint32_t node, int64_t rest_ns);

/* The graph's net with a node for each wait, and the change as one of that net. The changes must live as long. */
struct replay_split {
    struct split split;
    struct change whole, change;
    const struct replay *replay;
};
void replay_split(const struct replay *replay, struct change whole, struct arena *arena, struct replay_split *out);

/* What comes of a schedule of its graph. */
struct replayed replay_sum(const struct replay *replay, const struct schedule *schedule, struct arena *arena);

#endif
