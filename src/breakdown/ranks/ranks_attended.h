/* SPDX-License-Identifier: Apache-2.0 */
/* What came of each collective of each rank: the meeting that it was part of, if it was matched. */
#ifndef BREAKDOWN_RANKS_ATTENDED_H
#define BREAKDOWN_RANKS_ATTENDED_H

#include "ranks.h"

struct attended {
    const struct meeting *meeting; /* NULL: not matched */
    const struct meeting_member *member;
};

/* Those of rank r begin at first[r], by collective. */
struct attendance {
    struct attended *at;
    size_t *first;
};

/* In the arena. The meetings are held. */
struct attendance attendance_of(const struct ranks *ranks, struct arena *arena);

#endif
