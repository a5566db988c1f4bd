/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collectives of all ranks in the order in which a job is replayed, side by side with all that a replay asks of them: it
 * goes over them many times, of thousands of ranks.
 */
#ifndef BREAKDOWN_LINES_TURNS_H
#define BREAKDOWN_LINES_TURNS_H

#include "lines.h"

/* A collective of one rank. */
struct act {
    int64_t entry_ns; /* as recorded */
    int64_t
        transfer_ns; /* from when the last of its turn had come to its end; of one that waits for nobody from its entry */
    uint32_t rank, collective;
};

/* A meeting, or a collective of one rank that waits for nobody. */
struct turn {
    uint32_t first, count; /* acts */
    uint32_t meeting;      /* NO_MEETING: one that waits for nobody */
};

struct turns {
    const struct lines *lines;
    const struct turn *at;
    const struct act *acts;
    uint32_t count, act_count;
    const uint32_t *first; /* by rank: its first in exit_act */
    const uint32_t
        *exit_act;   /* by rank and collective: the act whose end is its own, which may be another's of its kernel */
    bool in_kernels; /* one is */
};

struct turns turns_of(const struct lines *lines, struct arena *arena);

/* Which act ends with the collective. */
static inline uint32_t turns_exit_act(const struct turns *turns, uint32_t rank, uint32_t collective)
{
    return turns->exit_act[turns->first[rank] + collective];
}

#endif
