/* SPDX-License-Identifier: Apache-2.0 */
/* How trees lie in memory: known to trees.c, which reads and evaluates them, and trees_fit.c, which grows them. */
#ifndef MODEL_TREES_PRIVATE_H
#define MODEL_TREES_PRIVATE_H

#include "trees.h"

/* A node stands right before those on its yes side. `no` is relative to the node itself; 0: a leaf. */
struct tree_node {
    double value; /* threshold; of a leaf what it adds */
    uint16_t feature;
    uint16_t no;
};

struct trees {
    uint32_t feature_count;
    uint32_t *roots; /* of each tree into nodes */
    uint32_t tree_count, tree_room;
    struct tree_node *nodes;
    uint32_t node_count, node_room;
    struct late_trees *late; /* NULL: the trees above are all */
};

/* Takes over a tree of at most TREE_NODES nodes. */
void trees_append(struct trees *trees, const struct tree_node *nodes, uint32_t count, struct arena *arena);

#endif
