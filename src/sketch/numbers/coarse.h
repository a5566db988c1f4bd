/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers and the strip of a rank with times rounded, so that they take fewer bytes: entries and exits as
 * coarse_times.h says, what was done between them so that sums by kind stay right: what one piece is told too long the
 * next is told shorter.
 */
#ifndef SKETCH_COARSE_H
#define SKETCH_COARSE_H

#include "breakdown/strip/strip.h"
#include "coarse_times.h"

/*
 * Each takes fewer bytes than the one before; the first is exact. Up to the last careful one an entry is off by no more
 * than 1/256 of the time inside beyond the fastest, nor by more than 32 ns, and what was done in between by half a
 * microsecond: so waits and lateness stay within 1 %, but for who is within 64 ns of the tie beyond which a rank is late.
 */
enum { COARSE_CAREFUL = 6, COARSE_LEVELS = 13 };
extern const struct coarse_level coarse_levels[COARSE_LEVELS];

struct coarse_rank {
    struct rank_numbers numbers;
    struct strip strip;
};

/* In the arena; what is not rounded is shared with what is given. */
struct coarse_rank coarse_rank(const struct rank_numbers *numbers, const struct strip *strip,
                               const struct coarse_level *level, struct arena *arena);

#endif
