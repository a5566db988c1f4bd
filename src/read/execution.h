/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads execution traces of PyTorch, of every schema from 1.0.0 to 1.1.1 and
 * Chakra's variants of them. The document (execution.c) finds the nodes; a node
 * becomes a draft (execution_node.c), its arguments texts as Kineto writes them
 * (execution_arguments.c).
 *
 * A node is a transaction: one that is no JSON is repaired or dropped and noted
 * with its byte, and a file that breaks off gives what it holds.
 */
#ifndef READ_EXECUTION_H
#define READ_EXECUTION_H

#include "base/buf.h"
#include "steptime/error.h"
#include "text/json_repair.h"
#include "text/json_window.h"
#include "trace/execution.h"

/* A file under reading, for the three files. */
struct execution_reading {
    struct execution *execution;
    struct json_window *window;
    struct arena scratch; /* decoded texts of the current node */
    const char *wrong;    /* the byte at which the last step stopped */
    struct json_repair repair;
    int64_t repair_budget; /* bytes that repairing may still look at */
    bool found_list;

    struct execution_draft *drafts;
    size_t draft_count, draft_room;
    struct execution_tensor *tensors;
    size_t tensor_count, tensor_room;
    struct execution_collective *collectives;
    size_t collective_count, collective_room;
    struct buf dims, types, values, strides; /* of the current arguments */
};

/* The raw lists of the inputs or outputs of a node, side by side; "" where the node has none. */
struct raw_arguments {
    str values, shapes, types, strides;
};

/* Into texts of the execution trace and its tensors. The lists are valid JSON, with NUL and padding behind them. */
struct execution_arguments execution_arguments(struct execution_reading *reading, const struct raw_arguments *raw);

/* The node at `at`, which is a whole object. False where it has no usable id; `what` then says so. */
bool execution_node(struct execution_reading *reading, const char *at, struct execution_draft *draft,
                    const char **what);

/* A document. False with *err where there is no list of nodes, or nothing in it. */
bool execution_read(struct source *source, _Atomic int64_t *progress, struct execution *execution,
                    struct steptime_error *err);

#endif
