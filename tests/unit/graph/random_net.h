/* SPDX-License-Identifier: Apache-2.0 */
/* Nets at random, the same ones in every run: lanes of nodes in order, and edges from nodes before. */
#ifndef RANDOM_NET_H
#define RANDOM_NET_H

#include "unit/cmocka_first.h"

#include "time/run.h"

static uint64_t state_of_random = 1;

static inline uint32_t below(uint32_t limit)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_random >> 33) % limit;
}

enum { MOST_NODES = 90, MOST_EDGES = 200, LANES = 3, KINDS_USED = 3 };

struct random_net {
    int64_t start[MOST_NODES], work[MOST_NODES];
    uint32_t before[MOST_NODES];
    uint8_t kind[MOST_NODES];
    struct edge edges[MOST_EDGES];
    struct net net;
};

static inline uint32_t earliest(const int64_t free_at[LANES])
{
    uint32_t lane = 0;
    for (uint32_t i = 1; i < LANES; i++)
        lane = free_at[i] < free_at[lane] ? i : lane;
    return lane;
}

static inline void net_without_edges(struct random_net *r, uint32_t nodes)
{
    *r = (struct random_net){.net = {.count = nodes,
                                     .start = r->start,
                                     .work = r->work,
                                     .before = r->before,
                                     .kind = r->kind,
                                     .edges = r->edges}};
}

/* Most nodes begin when the one before on their lane ends; some edges leave from nodes that still work. One node in
   `rare` has an edge. */
static inline void lanes_at_random(struct random_net *r, uint32_t nodes, uint32_t edges, uint32_t rare)
{
    uint32_t last[LANES] = {NODE_NONE, NODE_NONE, NODE_NONE};
    int64_t free_at[LANES] = {0, 3, 5};
    net_without_edges(r, nodes);
    for (uint32_t node = 0; node < nodes; node++) {
        const uint32_t lane = earliest(free_at);
        r->start[node] = free_at[lane];
        r->work[node] = below(6) ? below(40) : 0;
        r->kind[node] = (uint8_t)below(KINDS_USED);
        r->before[node] = last[lane];
        last[lane] = node;
        free_at[lane] += r->work[node] + (below(4) ? 0 : below(15));
        if (node && !below(rare) && r->net.edge_count < edges)
            r->edges[r->net.edge_count++] = (struct edge){below(node), node, 1 + below(KINDS_USED)};
    }
}

/* What an edge takes at least, by the kind of the node that it leaves. */
static inline void floors_at_random(struct net *net, uint32_t edge, uint32_t limit)
{
    for (uint32_t kind = 0; kind < NET_KINDS; kind++)
        net->floor[kind][edge] = below(limit);
}

#endif
