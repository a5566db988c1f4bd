/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several changes of one recorded net, run side by side. They differ in what the
 * nodes take, and in which nodes wait no more for edges of one kind. Where a node
 * comes after others is the same for all, so it is looked up once, and what one
 * pass fetches from memory serves all of them.
 *
 * Each gives what net_run_until gives of the same change.
 */
#ifndef TIME_ABREAST_H
#define TIME_ABREAST_H

#include "run.h"

enum { ABREAST = 4 }; /* so many at once */

/* Of a hop. The other bits are the kind of its edge. */
enum {
    HOP_LAST = 1 << 8,        /* of its node */
    HOP_FROM_START = 1 << 9,  /* leaves when its source starts */
    HOP_FROM_SHARE = 1 << 10, /* leaves at a share of its source's work */
    HOP_FREED = 1 << 11,      /* of the kind that may be freed */
};

/* What a node waits for: where it comes from, and the lag. */
struct hop {
    uint32_t from, flags;
    int64_t lag;
};

struct abreast {
    const struct net *net;
    const struct hop *hops; /* ascending by the node that they lead to */
    int64_t *start, *end;   /* of node n in run r: [n * ABREAST + r] */
    uint8_t *freed; /* by node, a bit a run: no edge of the kind holds it up. The caller's to fill; NULL: all hold */
};

/* The net is recorded, without carries, and knows its arrivals. In the arena; the net must live as long. */
struct abreast abreast_open(const struct net *net, uint32_t freed_kind, struct arena *arena);

/*
 * Runs the nodes below `until`: before, `end` holds what each takes in each run, and then when it ends. The changes hold
 * from a time on. `prompt`, a bit a run: there what nothing explains takes no time.
 */
void abreast_run(const struct abreast *abreast, uint32_t until, int64_t from, uint32_t prompt);

#endif
