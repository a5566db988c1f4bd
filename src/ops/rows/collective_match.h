/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the same collective on every rank. What the ranks of a group agree on
 * makes a class: the group, the sequence number (else the step it was called in),
 * the kind, and the size of the message where all ranks must agree on it. Within a
 * class the order tells which is which, as long as all ranks have as many.
 *
 * Where one rank has more (a collective was called before the others' recordings
 * began, or theirs ended earlier), the order alone would pair each with the next
 * one. Then time tells: of all places at which the shorter list may lie along the
 * longer one, the one is taken at which the ends are least apart, by clocks set by
 * the classes of which all have as many.
 */
#ifndef OPS_COLLECTIVE_MATCH_H
#define OPS_COLLECTIVE_MATCH_H

#include "collective.h"

/* A collective of one rank. */
struct collective_point {
    uint64_t class; /* collective_class; 0: it cannot be matched */
    int64_t end_ns; /* by the rank's clock */
    int32_t number; /* filled: the same for the same collective of a class on every rank */
};

/* Of one rank, in the order of the calls. */
struct collective_line {
    struct collective_point *at;
    uint32_t count;
};

/* `step` is the number of the step, or whatever stands for none. 0 for a message between two of a larger group. */
uint64_t collective_class(const struct collective *collective, const struct collective_group *group, int64_t step);

/* Fills the numbers. O(points). */
void collectives_match(const struct collective_line *lines, uint32_t ranks);

/* Class and number as one; not 0, but for what cannot be matched. */
uint64_t collective_point_key(const struct collective_point *point);

#endif
