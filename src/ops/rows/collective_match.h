/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the same collective on every rank. What the ranks of a group agree on
 * makes a class: the group, the kind, and the size of the message where all ranks
 * must agree on it and all have recorded it. A sequence number says alone which is
 * which. Else time does, which also tells one step from another: order is wrong
 * where a collective was queued before a recording began, or one was not recorded.
 * Ranks come one after another, each is matched with what those before it have
 * (collective_align.h), and what they lack is added.
 *
 * How far a rank's clock is off is tried: not at all, where all times are since one
 * epoch; the densest window of differences of ends; the middle difference of the n-th
 * and the (n + k)-th. What pairs most is taken. Where another offset pairs nearly as
 * many, the match is doubtful, and that is told. Messages between two ranks are classes
 * of their own, by who sends and who receives (collective_messages.c). Numbers of steps need not agree among
 * ranks; but where they do in all that was paired, an offset that pairs one step with
 * another raises no doubt.
 */
#ifndef OPS_COLLECTIVE_MATCH_H
#define OPS_COLLECTIVE_MATCH_H

#include "collective.h"

struct collective_class {
    uint64_t agreed;  /* what every rank tells of it; 0: it cannot be matched */
    int64_t elements; /* of the message, where all must bring as many; -1: not recorded, or they need not */
};

/* A collective of one rank. */
struct collective_point {
    struct collective_class class;
    int64_t start_ns, end_ns; /* by the rank's clock */
    bool blocking;            /* nobody can leave before all have come, and when it ran was recorded */
    bool numbered;            /* the class holds its sequence number */
    bool message;             /* between two, who are known: its number may be told by each end on its own */
    int64_t number;           /* sequence number; -1 */
    int64_t step;             /* number of the step that it was called in; below 0: of none */
    uint64_t key;             /* filled: the same for the same collective on every rank; 0: it cannot be matched */
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

/* Of a message between two the one who sends it and the other. Where these are not known, one in a larger group cannot be matched. */
struct collective_class collective_class(const struct collective *collective, const struct collective_group *group);

/* By the times of its work. */
struct collective_point collective_point(const struct collective *collective, const struct collective_group *group,
                                         int64_t step);

/*
 * Takes the sequence numbers of messages between two into their classes where both ends count alike, which is seen by
 * numbers that both have at times when both were inside: PyTorch counts those of a rank, not of a pair. By lines and points.
 */
void collective_number_messages(const struct collective_line *lines, uint32_t ranks);

/* Fills the keys. Linear in the points, but for lists that do not agree (collective_align.h). */
struct match_doubt collectives_match(const struct collective_line *lines, uint32_t ranks);

/* What is to be told of a doubt; "" where the match is clear: with another offset fewer than three in four are paired. */
str match_doubt_words(const struct match_doubt *doubt, struct arena *arena);

#endif
