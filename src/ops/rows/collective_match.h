/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the same collective on every rank. What the ranks of a group agree on
 * makes a class: the group, the sequence number (else the step it was called in), the
 * kind, and the size of the message where all ranks must agree on it. A sequence
 * number says alone which is which. Else time does, for the order is wrong where a
 * collective was queued before a recording began, or one was not recorded: ranks
 * come one after another, each is matched with what those before it have
 * (collective_align.h), and what they lack is added.
 *
 * How far a rank's clock is off is tried: not at all, where all times are since one
 * epoch; the densest window of differences of ends; the middle difference of the n-th
 * and the (n + k)-th. What pairs most is taken. Where another offset pairs nearly as
 * many, the match is doubtful, and that is told.
 */
#ifndef OPS_COLLECTIVE_MATCH_H
#define OPS_COLLECTIVE_MATCH_H

#include "collective.h"

/* A collective of one rank. */
struct collective_point {
    uint64_t class;           /* collective_class; 0: it cannot be matched */
    int64_t start_ns, end_ns; /* by the rank's clock */
    bool blocking;            /* nobody can leave before all have come, and when it ran was recorded */
    bool numbered;            /* the class holds its sequence number */
    int32_t number;           /* filled: the same for the same collective of a class on every rank */
};

/* Of one rank, in the order of the calls. */
struct collective_line {
    struct collective_point *at;
    uint32_t count;
    int64_t origin_ns; /* of its times */
    bool dated;        /* the origin is since an epoch that all share */
};

/* Of the rank whose match is most doubtful: how many were paired, and how many the next best offset of its clock pairs. */
struct match_doubt {
    uint32_t rank, pairs, next;
};

/* `step` is the number of the step, or whatever stands for none. 0 for a message between two of a larger group. */
uint64_t collective_class(const struct collective *collective, const struct collective_group *group, int64_t step);

/* Fills the numbers. Linear in the points, but for lists that do not agree (collective_align.h). */
struct match_doubt collectives_match(const struct collective_line *lines, uint32_t ranks);

/* Class and number as one; not 0, but for what cannot be matched. */
uint64_t collective_point_key(const struct collective_point *point);

#endif
