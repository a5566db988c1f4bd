/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one engine of time: nodes that work, and what each waits for.
 *
 * A net has lanes (a thread, a stream, a worker), each a row of nodes that follow
 * one another, and edges between nodes of any lanes. A node begins when the node
 * before it on its lane and the sources of all its edges have let it go, and then
 * works:
 *
 *     start = max over predecessors p (p leaves + lag) + delay
 *     end   = start + work
 *
 * Who builds a net says what a node is. This room knows neither traces nor
 * devices nor ranks, and what a tick of its times is, is the builder's business.
 * Two sorts of nets:
 *
 *     recorded   `start` holds when each node began. Then lag = min(floor, what was recorded between the two), and the
 *                delay is whatever the net does not explain; neither is below zero. So a run that changes nothing gives
 *                back the recording, tick by tick.
 *     planned    `start` is NULL. Then lag = floor, and nothing is delayed.
 *
 * The floor of an edge, by its kind and the kind of the node that it leads to, is
 * what it takes when nothing else holds that node up.
 *
 * A predecessor lets go when it ends. Of a recorded net one may have done so
 * earlier: where a node began while its predecessor still worked, that one let it
 * go at this share of its work. Edges of kinds named in `early` leave when their
 * source starts.
 *
 * Invariants, which the builder keeps and net_check tests:
 *
 *     a node waits for nodes of lower numbers only        so there is no circle, and a run is one loop
 *     of a recorded net numbers ascend by start           so every edge leads forward in recorded time
 *     no work, floor or lag is below zero                 so nothing ends before what it waited for
 *
 * (of a planned net a work may be, where it makes up for others that are too long: then a node may end before it starts)
 *
 * and which follow, for every run (time/run.h):
 *
 *     factor 1    a change that changes nothing gives back the recording (or the plan)
 *     monotone    where works only shrink, edges only fall away and nodes only go, no node starts or ends later
 *     forward     no node starts before the time from which the change holds
 *
 * "Monotone" speaks of times, not of differences between two of them: from one
 * node to another it may take longer because the first gained more.
 *
 * Sums stop at the ends of int64_t instead of overflowing: a time of INT64_MAX
 * means that it cannot be told.
 *
 * A net owns nothing: its columns are the builder's.
 */
#ifndef TIME_NET_H
#define TIME_NET_H

#include <stdbool.h>
#include <stdint.h>

enum {
    NODE_NONE = UINT32_MAX,
    NET_KINDS = 8,       /* of nodes */
    EDGE_KINDS_MOST = 8, /* of edges, the first among them: */
    EDGE_LANE = 0,       /* the order of a lane; not in `edges` */
};

struct edge {
    uint32_t from, to, kind;
};

/* An edge that comes from an earlier pass of a net that is run over and over: `back` passes ago. */
struct carry {
    struct edge edge;
    uint32_t back;
};

struct net {
    uint32_t count;
    const int64_t *start, *work;
    const uint32_t *before;   /* the node before on its lane; NODE_NONE for the first */
    const int64_t *arrival;   /* of a recorded net: net_arrivals; NULL: found in every run */
    const uint8_t *kind;      /* below NET_KINDS */
    const struct edge *edges; /* ascending by `to` */
    uint32_t edge_count;
    const struct carry *carries; /* ascending by `to` */
    uint32_t carry_count;
    int64_t floor[NET_KINDS][EDGE_KINDS_MOST]; /* [kind of the node it leads to][kind of the edge] */
    uint32_t early;                            /* a bit an edge kind */
};

/* a + b, stopping at the ends. */
static inline int64_t time_sum(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static inline int64_t net_end(const struct net *net, uint32_t node)
{
    return time_sum(net->start[node], net->work[node]);
}

static inline int64_t net_floor(const struct net *net, uint32_t to, uint32_t kind)
{
    return net->floor[net->kind[to]][kind];
}

/* The nearest tick, stopping at the ends. */
static inline int64_t time_rounded(double ticks)
{
    if (ticks > 9.2e18 || ticks < -9.2e18)
        return ticks < 0 ? INT64_MIN : INT64_MAX;
    return ticks < 0 ? -(int64_t)(0.5 - ticks) : (int64_t)(ticks + 0.5);
}

/* A part of `now`, as `part` is of `whole`; rounded down, so that it never grows where `now` shrinks. */
static inline int64_t time_share(int64_t part, int64_t whole, int64_t now)
{
    return now == whole || !whole ? part : (int64_t)((__int128)part * now / whole);
}

/* How far into the work of its source an edge leaves. */
static inline int64_t net_leaves(const struct net *net, uint32_t from, uint32_t to, uint32_t kind)
{
    if (net->early >> kind & 1)
        return 0;
    if (!net->start || net->start[to] - net->start[from] >= net->work[from])
        return net->work[from];
    return net->start[to] - net->start[from];
}

/* From where an edge leaves to where it arrives. */
static inline int64_t net_lag(const struct net *net, uint32_t from, uint32_t to, uint32_t kind)
{
    const int64_t floor = net_floor(net, to, kind);
    if (!net->start)
        return floor;
    const int64_t recorded = net->start[to] - net->start[from] - net_leaves(net, from, to, kind);
    return recorded < floor ? recorded : floor;
}

/* Whether the builder kept the invariants. Slow: for tests. */
bool net_check(const struct net *net);

#endif
