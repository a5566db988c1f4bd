/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a planned net node by node, for builders that meet what a node waits for
 * before that is made: the source of an edge may be made later.
 *
 * Nodes keep the order in which they are made, unless edges go against it. Then
 * they are numbered so that these go forward, too; and one that closes a circle
 * (a node that waits for a later one, which waits for it) is left out and counted.
 * So what comes out waits in no circle, whatever went in.
 */
#ifndef TIME_BUILD_H
#define TIME_BUILD_H

#include <stddef.h>

#include "base/arena.h"
#include "net.h"

struct net_build {
    struct arena *arena; /* of the net */
    int64_t *work;
    uint32_t *before;
    uint8_t *kind;
    uint32_t count;
    struct edge *edges;
    size_t edge_count, edge_room;
    struct carry *carries;
    size_t carry_count, carry_room;
    uint32_t dropped; /* by net_built: edges that closed a circle */
};

/* For so many nodes at most. What grows is freed by net_built. */
struct net_build net_build_open(struct arena *arena, size_t nodes);

/* The number of the node; `before` is the node before on its lane, or NODE_NONE. */
uint32_t net_add(struct net_build *build, uint32_t before, uint32_t kind, int64_t work);

void net_link(struct net_build *build, uint32_t from, uint32_t to, uint32_t kind);
void net_link_back(struct net_build *build, struct carry carry);

/*
 * The net, without floors. Nodes have changed their numbers where *number is not NULL then: by number as made, in the
 * arena, too.
 */
struct net net_built(struct net_build *build, const uint32_t **number);

#endif
