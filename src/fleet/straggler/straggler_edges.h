/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which operations wait for each other; for straggler_plan.c, which makes a plan of what they give. */
#ifndef FLEET_STRAGGLER_EDGES_H
#define FLEET_STRAGGLER_EDGES_H

#include "straggler_plan.h"

struct plan_edge {
    uint32_t from, to; /* nodes: `to` waits for `from` */
};

/* What the rules know, and what they fill. */
struct plan_draft {
    struct plan_node *nodes; /* by stage, and in the order of their starts */
    uint32_t node_count;
    const uint32_t *stage_from; /* first node of each stage; one more at the end */
    uint32_t stages;
    int32_t chunks;      /* of layers in each stage */
    bool many_replicas;  /* there is somebody to meet */
    bool hides_exchange; /* gradients are scattered behind passes: some are left to be reduced on their own */
    struct plan_edge *edges;
    size_t edge_count, edge_room;
    uint32_t *partner; /* of a send or receive in the neighbouring stage; PLAN_NONE: none */
};

void draft_edge(struct plan_draft *draft, uint32_t from, uint32_t to); /* either may be PLAN_NONE: nothing */

/*
 * After the public code of Lin et al. (straggler.h): a stage computes forward and backward passes one after the other;
 * sends follow, and receives precede, the pass that they belong to; weights are gathered before the first pass of a
 * chunk, gradients scattered after its last; garbage is collected and the rest of the step follows the last pass.
 */
void draft_stage(struct plan_draft *draft, uint32_t stage);

/* Sends and receives of the stage and their passes, by the order of their starts (straggler_pairs.c). */
void draft_passes_and_transfers(struct plan_draft *draft, uint32_t stage);

/* The n-th transfer of a stage that has a partner meets the n-th of the other stage. */
void draft_pairs(struct plan_draft *draft);

/* First node of that role in the stage from `from` on; PLAN_NONE at the end of the stage. */
uint32_t draft_next(const struct plan_draft *draft, uint32_t stage, enum operation_role role, uint32_t from);

static inline double node_end_s(const struct plan_node *node)
{
    return node->like.start_s + node->like.duration_s;
}

#endif
