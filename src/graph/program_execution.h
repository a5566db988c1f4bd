/* SPDX-License-Identifier: Apache-2.0 */
/* What the program of an execution trace and joining have in common. */
#ifndef GRAPH_PROGRAM_EXECUTION_H
#define GRAPH_PROGRAM_EXECUTION_H

#include "graph/program_tree.h"

/* A node that only holds others: the process, a thread, the profiler's step. */
bool execution_is_frame(const struct execution_node *node);

/* The nodes of one step, by their ids: [first, end). */
struct execution_step {
    int64_t first, end;
    int64_t number; /* N of ProfilerStep#N; else counted from 0; -1: all of the trace as one */
};

/* The last of its steps that is whole: later ones are the steadier, and one that recording broke off is none. */
struct execution_step execution_last_step(const struct execution *execution);

/* The program of some of its nodes. */
struct program program_of_nodes(const struct execution *execution, const struct execution_step *step,
                                struct arena *arena);

#endif
