/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long some steps take, as recorded and after a change: from the start of the
 * first to when the training thread and the device have both ended the last.
 *
 * The time between two ends would leave out how the recording begins, and grows
 * where one step gains more than the next. So the start stays, and the change
 * holds from there on (`from_ns`).
 */
#ifndef GRAPH_STEPS_H
#define GRAPH_STEPS_H

#include "graph.h"
#include "time/abreast.h"
#include "time/join.h"
#include "trace/select.h"

struct graph_steps {
    const struct net *net;
    uint32_t count;
    int64_t from_ns;      /* start of the first */
    int64_t host_end_ns;  /* of the last, on the training thread, as recorded */
    uint32_t host_node;   /* the last node of the training thread that began before; NODE_NONE */
    const uint32_t *work; /* the device work of the last, and what streams did last before; nodes */
    uint32_t work_count;
    uint32_t until; /* nodes from here on decide nothing: net_run_until */
};

/* The range lies within the steps of the graph's trace. In the arena. */
struct graph_steps graph_steps_of(const struct graph *graph, struct step_range range, struct arena *arena);

/* The same in terms of the joined net. None of the last device work, and not the host's last node, is joined. */
struct graph_steps graph_steps_joined(const struct graph_steps *steps, const struct joined *joined,
                                      struct arena *arena);

/* When the training thread comes to a time of the recording then; the time itself where it does nothing there. */
int64_t graph_time_then(const struct graph *graph, int64_t time_ns, const struct schedule *schedule);

/* When the training thread has ended the last of them; INT64_MIN where it does nothing. */
int64_t graph_steps_host_end(const struct graph_steps *steps, const struct schedule *schedule);

/* When the training thread and the device have ended each step of the range; no end is before that of an earlier step. */
void graph_step_ends(const struct graph *graph, struct step_range range, const struct schedule *schedule,
                     int64_t *ends);

/* The time of all of them; schedule NULL: as recorded. 0 where there are none. */
int64_t graph_steps_ns(const struct graph_steps *steps, const struct schedule *schedule);

/* The same in each of the runs of the net. */
void graph_steps_ns_abreast(const struct graph_steps *steps, const struct abreast *abreast, int64_t ns[ABREAST]);

#endif
