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
    struct schedule *passes; /* step after step, by rank */
};

static inline const struct schedule *pass_of(const struct walking *walking, uint32_t pass, uint32_t rank)
{
    return &walking->passes[(size_t)pass * walking->count + rank];
}

/* What the last step of a rank comes to, with all times from its begin, in the arena. */
void walk_sum(const struct walking *walking, uint32_t pass, uint32_t rank, int64_t step, struct arena *arena,
              struct walked *walked);

#endif
