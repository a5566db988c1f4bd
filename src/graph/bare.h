/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder left out of replays. It makes the host slower, not the device, and how many times as long a recorded step is
 * as a bare one is known where steps were also left bare (trace->info.slowed). So the share of the host's time that is the
 * program's own is that with which the steps, replayed, take what bare ones took:
 *
 *     replay(share) = as recorded / slowed
 *
 * Where no share does (the device alone takes longer), the recorder slowed that, too, and the share is 1 / slowed, which is
 * what it is for the host alone.
 */
#ifndef GRAPH_BARE_H
#define GRAPH_BARE_H

#include "steps.h"

/* 1 where the recorder made the steps hardly longer, or nobody knows. */
double graph_bare_share(const struct graph *graph, const struct graph_steps *steps);

/* A time of the host, without the recorder. */
static inline int64_t graph_bare_ns(double share, int64_t ns)
{
    return share < 1 ? (int64_t)(share * (double)ns + 0.5) : ns;
}

#endif
