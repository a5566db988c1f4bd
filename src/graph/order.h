/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which device work had to wait for work of another stream: cudaStreamWaitEvent
 * between the record of the event and the next launch. Recorded as rows where
 * the profiler was asked to; else told by the calls of the launching thread: a
 * launch after a stream wait depends on the other streams' work that ended last
 * before it began.
 */
#ifndef GRAPH_ORDER_H
#define GRAPH_ORDER_H

#include "base/sort.h"
#include "wait.h"

/* Pairs (key: device row that waited, row: device row it waited for), ascending by key. Owned by the arena. */
struct orders {
    const struct keyed *at;
    uint32_t count;
    bool recorded; /* by rows; otherwise told by calls */
};

struct orders stream_orders(const struct waits *waits, struct arena *arena);

/* The pairs of a row: from the index returned while the key is the row's. */
uint32_t orders_of(const struct orders *orders, uint32_t row);

#endif
