/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path across ranks: what decided how long the job took, from its last end
 * back to its first start.
 *
 * On a rank it is the way of its strip. Where that arrives in a collective, the
 * time since the last member came is transfer, and the path goes on at that
 * member's entry: waiting is never on it. So are the rules 1 to 4 and 6 of a path
 * across ranks met:
 *
 *     1  a matched blocking collective, [last entry, arrival]     transfer; on to the last to come
 *     2-4  activities, queues, launches, the host                 in the stretches of the strip
 *     6  before a rank's first step                               not recorded
 *
 * Invariant: the parts follow each other without a gap from the last end of the
 * job to its first start, and the sums by kind add up to that, to the ns.
 */
#ifndef BREAKDOWN_ACROSS_H
#define BREAKDOWN_ACROSS_H

#include "lines.h"

/* Time on one rank without a break; latest first. */
struct across_part {
    int64_t start_ns, end_ns;
    uint32_t rank;
    bool transfer; /* its time is the collective's */
};

/* All of one kind on one rank. */
struct across_sum {
    uint32_t rank; /* NO_RANK: a transfer */
    uint32_t kind; /* of lines->kinds, with names */
    int64_t ns;
};

/* The path goes from a rank that waited to the one that it waited for. */
struct crossing {
    int64_t at_ns;
    uint32_t from, to, meeting;
    bool tie; /* others came within the time that is no difference */
};

struct across {
    int64_t start_ns, end_ns; /* of the job */
    struct across_part *parts;
    uint32_t part_count;
    struct across_sum *sums; /* largest first */
    uint32_t sum_count;
    struct crossing *crossings; /* earliest first */
    uint32_t crossing_count;
};

struct across across_of(const struct lines *lines, struct arena *arena);

/* Whether the invariant holds. */
bool across_check(const struct across *across);

#endif
