/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank did before each of its collectives. Ten numbers a collective, mostly small or 0, are half of what is kept of
 * a rank, and asked for once: they lie packed, seven bits a byte.
 */
#ifndef BREAKDOWN_RANKS_BEFORE_H
#define BREAKDOWN_RANKS_BEFORE_H

#include "base/arena.h"
#include "ranks_probe.h"

/* Since when what a rank did before a collective is counted. */
enum rank_since {
    SINCE_COLLECTIVE, /* the last end of another collective; before the first one, the start of the first step */
    SINCE_STEP,       /* the start of the step it is called in */
    RANK_SINCES,
};

/* Before one collective. */
struct rank_before {
    int64_t ns[RANK_SINCES][RANK_TIMES]; /* 0 or more */
};

/* Of all collectives of a rank. */
struct rank_befores {
    const uint8_t *bytes;
    const uint32_t *at; /* by collective: where its bytes begin */
};

/* In the arena. */
struct rank_befores rank_befores_of(const struct rank_before *each, uint32_t count, struct arena *arena);

struct rank_before rank_before(const struct rank_befores *befores, uint32_t collective);

#endif
