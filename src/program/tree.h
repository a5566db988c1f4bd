/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, each with the one around it, numbered in pre-order. */
#ifndef PROGRAM_TREE_H
#define PROGRAM_TREE_H

#include "program.h"

struct program_tree {
    const uint32_t *entry_of;  /* by number */
    const uint32_t *number_of; /* by entry; OP_NONE where a circle of parents keeps it from the top */
    const uint32_t *end;       /* by number: one past the last inside */
    uint32_t count;
};

/* Entries of one parent (OP_NONE: the top) are in the order of their keys, equal ones in that of the entries. */
struct program_tree program_tree_of(const uint32_t *parents, const int64_t *keys, uint32_t count, struct arena *arena);

/* By number, the operator at the top that it lies in or is; OP_NONE for labels. */
const uint32_t *program_tops(const struct program_op *ops, uint32_t count, struct arena *arena);

#endif
