/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorded net makes of the times at which others let it go.
 *
 * Some of its nodes wait for other nets: they end when those say so. When the net
 * comes to such a meeting (its entry) follows from when it left those before it:
 * ends are maxima of sums, so an entry is
 *
 *     max over some earlier exits e of (time of e + a constant),  and one constant by itself
 *
 * These are its terms. So with the few terms of each meeting many nets can be run
 * together, over and over, without any of their nodes, to the tick.
 *
 * A term that another always outdoes is left out: the exit it starts from leads to
 * an entry whose exit starts the other. What a meeting takes may be nothing, so
 * this holds whatever the other nets do.
 *
 * Runs stand side by side, as in abreast.h: what nodes take differs, the terms are
 * of the same exits.
 */
#ifndef TIME_RESPONSE_H
#define TIME_RESPONSE_H

#include "abreast.h"

enum { RESPONSE_START = UINT32_MAX }; /* in place of a meeting: the constant */

/* A meeting is entered where a node starts. Several may be with one node. */
struct response_entry {
    uint32_t node, meeting;
};

/*
 * And left where a node ends, whose work it is; or, where a thread waits in a node for what has none, inside of it: then
 * the node has nothing more to wait for at let_go, and works on for what is left of it.
 */
struct response_exit {
    uint32_t node, meeting;
    bool inside;
    int64_t let_go;        /* as recorded; of a node that is the meeting its end */
    int64_t rest[ABREAST]; /* the caller's to fill for each run: what the node takes after it; of the last of a node */
};

/* A time of the net by its nodes, at the latest of them: so far into the work of each, or as long after it. */
struct response_mark {
    uint32_t node, mark; /* which time it is of */
    int64_t part;        /* of the work; what is more than that is added */
};

struct response_ask {
    const struct response_entry *entries; /* ascending by node */
    const struct response_exit *exits;    /* ascending by node; inside of one by let_go */
    const struct response_mark *marks;
    uint32_t entry_count, exit_count, meeting_count, mark_count, times; /* times: that marks are of */
    uint32_t until;                                                     /* nodes from here on are not asked for */
    int64_t from; /* changes hold from then on: what is over by then is as recorded */
};

struct response_term {
    uint32_t exit; /* of which meeting; RESPONSE_START */
    int64_t at[ABREAST];
};

struct response_row {
    const struct response_term *terms; /* ascending by exit as they come in the net, the constant first */
    uint32_t count;                    /* 0: it is not entered in these nodes */
};

/*
 * Rows by meeting, and then of each time that is marked. In the arena. Before, `end` of the runs holds what each node takes, as
 * for abreast_run; that stays so. Edges that were freed hold here.
 */
const struct response_row *response_run(const struct abreast *abreast, const struct response_ask *ask,
                                        struct arena *arena);

#endif
