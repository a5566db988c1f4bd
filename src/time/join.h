/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorded net with fewer nodes that runs as fast as it is small and gives the
 * same times: nodes of a lane that follow each other at once, with no edge
 * between, are one. For nets that are run many times.
 *
 * An edge leads into the first of the nodes that were joined and leaves the last.
 * So what a node takes in a change is the sum of what they take, and everything
 * else is as it was.
 */
#ifndef TIME_JOIN_H
#define TIME_JOIN_H

#include "base/arena.h"
#include "net.h"

struct joined {
    struct net net;
    const uint32_t *of;     /* by node of the whole net below `until`: the node that it is part of */
    const uint32_t *before; /* that of the whole net */
    uint32_t until;
};

struct joining {
    uint32_t until; /* nodes from here on are left out */
    /* Nodes whose own ends are asked for: they are joined with none. A bit a kind of them, and single ones. */
    uint32_t kinds;
    const uint32_t *apart;
    uint32_t apart_count;
    const int64_t *from; /* times from which changes hold: what is at work then is joined with none */
    uint32_t from_count;
};

/* In the arena. The net has no carries. */
struct joined net_join(const struct net *net, const struct joining *joining, struct arena *arena);

/* How many nodes begin with one below `until`. */
uint32_t joined_until(const struct joined *joined, uint32_t until);

#endif
