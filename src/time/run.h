/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a net when something changes: when every node starts and ends then. */
#ifndef TIME_RUN_H
#define TIME_RUN_H

#include "base/arena.h"
#include "net.h"

/*
 * What is different: what becomes of a node's work, whether an edge still holds,
 * and whether a node is gone. Any function may be NULL: as it is. `kind` is
 * EDGE_LANE for the order of a lane.
 *
 * A node that is gone takes no time and needs no turn: it ends when the node
 * before it on its lane lets it go, the first of a lane at the beginning of time. What
 * waited for it waits for that one.
 *
 * A node of which no edge holds is let go as if all did: when it was free to
 * begin otherwise is not known.
 */
struct change {
    const void *context;
    int64_t (*work)(const void *context, uint32_t node);
    bool (*holds)(const void *context, const struct edge *edge);
    bool (*gone)(const void *context, uint32_t node);
    /*
     * Of a recorded net the change holds from here on. What began earlier began then; of what was at work the rest
     * changes. Nothing else begins earlier.
     */
    int64_t from;
    /* Of a recorded net: what nothing explains takes no time. A node that waits for any starts once they let it go. */
    bool prompt;
};

/* When every node runs after a change. */
struct schedule {
    const struct change *change;
    int64_t *start, *end; /* by node, in the arena */
    int64_t span;         /* the latest end; 0 without nodes */
};

/* change NULL: as it is. O(nodes + edges). */
struct schedule net_run(const struct net *net, const struct change *change, struct arena *arena);

/*
 * The same of the nodes below `until`: no other has a time, and `span` is theirs. In the memory of an earlier schedule of
 * the net, or where that has none, in the arena.
 */
struct schedule net_run_until(const struct net *net, const struct change *change, uint32_t until,
                              struct schedule earlier, struct arena *arena);

/* The work of a node after the change. */
int64_t change_work(const struct change *change, const struct net *net, uint32_t node);

/* When an edge lets its node go; schedule NULL: as recorded. */
int64_t net_arrival(const struct net *net, const struct schedule *schedule, const struct edge *edge);

/* By node of a recorded net: when the last that it waits for let it go; INT64_MIN: it waits for none. In the arena. */
const int64_t *net_arrivals(const struct net *net, struct arena *arena);

#endif
