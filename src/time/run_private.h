/* SPDX-License-Identifier: Apache-2.0 */
/* A run bit by bit, where something outside the net says when a node ends. */
#ifndef TIME_RUN_PRIVATE_H
#define TIME_RUN_PRIVATE_H

#include "run.h"

struct run {
    const struct net *net;
    const struct change *change; /* NULL: as it is */
    uint32_t pass;               /* of a net that is run over and over */
    int64_t *let_go; /* when the sources of carries did: [pass * carries + carry]; NULL: there is one pass */
    int64_t *start, *end;
    uint32_t node;        /* the current one */
    uint32_t edge, carry; /* the first into it or a later node */
};

/* In the memory of an earlier schedule of the net, or where that has none, in the arena. */
struct run run_open(const struct net *net, const struct change *change, struct schedule earlier, struct arena *arena);

/*
 * Runs all nodes below `stop`, and finds when that one starts. False where it begins by itself and has been run, too: it
 * is gone, or had begun before the change. At the count of nodes it is false.
 */
bool run_until(struct run *run, uint32_t stop);

/* The same for one node whose predecessors have been run; `stop`: something else says when it ends. */
bool run_one(struct run *run, uint32_t node, bool stop);

/* The end of the current node, where it was stopped at; the run may go on. */
void run_end(struct run *run, int64_t end);

struct schedule run_close(const struct run *run);

#endif
