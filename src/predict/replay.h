/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question put to what was recorded: the difference between the plans of the
 * steps before and after it, as a change of the dependency graph of the trace,
 * replayed. So everything that the question does not touch keeps its recorded
 * time to the nanosecond, and a question that changes nothing gives back what was
 * recorded.
 *
 *     device work    its recorded time x (planned time after / before); gone with its entry
 *     host, in an operator   x (what the plan gives the operator after / before)
 *     host, before it        x (T1 after / before)
 *     waits          those of an operator hold no more where the plan has none left
 *     the rest of the host   / cpu_speed
 */
#ifndef PREDICT_REPLAY_H
#define PREDICT_REPLAY_H

#include "graph/graph.h"
#include "predict/question.h"

/* One step: the same program, planned as recorded and after the question. */
struct replay_step {
    const struct plan *before, *after;
};

struct replayed {
    int64_t recorded_ns; /* from the end of a step to that of the next, in the mean; of one step from its begin */
    int64_t replayed_ns;
};

/* The programs are of graph->trace. */
struct replayed replay_question(const struct graph *graph, const struct replay_step *steps, uint32_t count,
                                double cpu_speed);

#endif
