/* SPDX-License-Identifier: Apache-2.0 */
/* What the program of an execution trace and joining have in common. */
#ifndef PROGRAM_EXECUTION_H
#define PROGRAM_EXECUTION_H

#include "names.h"
#include "tree.h"

/* A node that only holds others: the process, a thread, the profiler's step. */
bool execution_is_frame(const struct execution_node *node);

/* An annotation: it groups operators. */
bool execution_is_label(const struct execution_node *node);

/* The work of a mode that stands in for operators, as FakeTensorMode does in a dry run. */
bool execution_is_mode(const struct execution_node *node);

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

/* ---- under construction ---- */

/* Nodes that are kept become entries, in the order of their ids; the tree numbers these. */
struct making {
    const struct execution *from;
    const struct execution_step *step;
    struct arena *arena, scratch;
    uint32_t *kept;        /* by entry: the node */
    uint32_t *entry;       /* by node: the entry that it is, or lies in; OP_NONE */
    bool *gone;            /* by node: loads data, or is how a mode found shapes */
    const bool *over_mode; /* by node: an operator that a mode stood in for; NULL: no dry run */
    uint32_t *parent;      /* by entry */
    int64_t *key;
    bool *label;
    uint32_t *label_around; /* by entry: itself or the innermost label that it lies in; OP_NONE */
    uint32_t count;
    int64_t main_thread;
    struct program_names names;
    struct program_op *ops;
    uint32_t *tensor_count; /* of the result */
    int64_t *tensors, *tensor_bytes;
};

/* execution_dry.c */
const bool *making_find_modes(struct making *m);
bool making_is_of_mode(const struct making *m, uint32_t node, bool inside);
bool making_reads_output(const struct making *m, const struct execution_node *node);

/* execution_device.c; the operators are made */
void making_host_work(struct making *m, const struct program_tree *tree);
void making_copies(struct making *m, const struct program_tree *tree, struct program *out);

#endif
