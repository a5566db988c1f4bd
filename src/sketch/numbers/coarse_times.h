/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries and exits of a rank's collectives, rounded by how long it was in each beyond the fastest of its kind: there it
 * waited, or the transfer took longer, and by no more than a share of that is an entry off. The last to come is inside for
 * no longer than the transfer, so its entry, from which all others' waits count, stays as it is. What came first still
 * does, or comes at once.
 */
#ifndef SKETCH_COARSE_TIMES_H
#define SKETCH_COARSE_TIMES_H

#include "breakdown/ranks/ranks.h"

struct coarse_level {
    uint32_t digits;     /* binary ones of the time inside beyond the fastest that stay; 0: all */
    uint32_t entry_bits; /* but entries and exits are rounded to no more than these */
    uint32_t spent_bits; /* what was done between collectives */
};

/* Each time of an entry or exit, ascending, with what is told in its place, ascending too. */
struct coarse_times {
    int64_t *true_ns, *told_ns;
    uint32_t count;
    uint8_t *bits; /* by collective */
    uint32_t spent_bits;
};

struct coarse_times coarse_times_of(const struct rank_numbers *numbers, const struct coarse_level *level,
                                    struct arena *arena);

/* Any time as it is told: between two of these no earlier than the one and no later than the other. */
int64_t coarse_time(const struct coarse_times *times, int64_t time_ns);

/* To the nearest multiple of 2^bits; of two the later one. */
static inline int64_t coarse_rounded(int64_t value, uint32_t bits)
{
    const int64_t unit = (int64_t)1 << bits, shifted = value + unit / 2, rest = shifted & (unit - 1);
    return shifted - rest;
}

#endif
