/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest path: from the node where it ends back to the beginning, from each
 * node to the predecessor that let it go last. Where several were just in time,
 * the one that could least have come earlier: its floor, not its lag, decides.
 */
#ifndef TIME_PATH_H
#define TIME_PATH_H

#include "run.h"

/*
 * A stretch of the path. Either `node` worked, or it had not begun although
 * what it depended on last (by an edge of the kind `via`) had let it go.
 */
struct path_part {
    int64_t start, end;
    uint32_t node;
    bool waiting;
    uint32_t via; /* of a waiting part; EDGE_KINDS_MOST: nothing goes before it */
};

/* Steps back from nodes, asked for in descending order. schedule is NULL for the net as recorded. */
struct path_back {
    const struct net *net;
    const struct schedule *schedule;
    uint32_t edge; /* edges at and above this one lead to later nodes */
};

struct path_back path_back_of(const struct net *net, const struct schedule *schedule);

/* The predecessor that let the node go last, by an edge of which kind; NODE_NONE: it waits for nothing. */
uint32_t path_before(struct path_back *back, uint32_t node, uint32_t *via);

typedef void path_take(void *context, const struct path_part *part);

/* Where a node that waits for nothing came from, by an edge of which kind; NODE_NONE: from nowhere. NULL: so do all. */
typedef uint32_t path_origin(const void *context, uint32_t node, uint32_t *via);

/*
 * The parts come latest first and follow each other without a gap or overlap, from the end of `last` to 0. schedule is
 * NULL for the net as recorded.
 */
void net_path(const struct net *net, const struct schedule *schedule, uint32_t last, path_origin *origin,
              const void *of_origin, path_take *take, void *context);

#endif
