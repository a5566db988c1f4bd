/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a walk, for its files. */
#ifndef PREDICT_WALK_PRIVATE_H
#define PREDICT_WALK_PRIVATE_H

#include "walk.h"
#include "walk_net.h"

struct walking {
    struct walk_net *ranks;
    uint32_t count;
    struct meetings *meetings; /* NULL for one rank */
    struct job job;
    struct schedule *schedules; /* of the last step, by rank; ticks are from the begin of the first step */
    struct walk_step *steps;    /* the same step */
};

struct walk_step {
    int64_t begin;         /* on the host */
    int64_t ticks, before; /* how long it took, from the end of the one before; how long that took */
};

/* What it comes to, with all times from its begin, in the arena. */
void walk_sum(const struct walking *walking, uint32_t rank, struct arena *arena, struct walked *walked);

#endif
