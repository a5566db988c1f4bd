/* SPDX-License-Identifier: Apache-2.0 */
/* Sends and receives: the passes they belong to, and whom they meet. */
#include "straggler_edges.h"

/* Starts and ends that lie this close are one moment to the profiler. */
#define SAME_MOMENT_S 5e-5

/* The four streams between stages. */
static const struct transfer {
    enum operation_role role, pass, peer;
    int32_t towards; /* the neighbour that it meets */
    bool sends;
} transfers[] = {
    {ROLE_FORWARD_SEND, ROLE_FORWARD, ROLE_FORWARD_RECEIVE, 1, true},
    {ROLE_FORWARD_RECEIVE, ROLE_FORWARD, ROLE_FORWARD_SEND, -1, false},
    {ROLE_BACKWARD_SEND, ROLE_BACKWARD, ROLE_BACKWARD_RECEIVE, -1, true},
    {ROLE_BACKWARD_RECEIVE, ROLE_BACKWARD, ROLE_BACKWARD_SEND, 1, false},
};

/* When the first pass ends and the last one starts, and how many there are. */
struct passes {
    double first_end_s, last_start_s;
    uint32_t count;
};

static struct passes passes_of(const struct plan_draft *draft, uint32_t stage, enum operation_role pass)
{
    struct passes passes = {0};
    for (uint32_t i = draft->stage_from[stage]; i < draft->stage_from[stage + 1]; i++) {
        const struct plan_node *node = &draft->nodes[i];
        if (node->role != pass)
            continue;
        const double end_s = node_end_s(node);
        passes.first_end_s = passes.count && passes.first_end_s < end_s ? passes.first_end_s : end_s;
        passes.last_start_s =
            passes.count && passes.last_start_s > node->like.start_s ? passes.last_start_s : node->like.start_s;
        passes.count++;
    }
    return passes;
}

/* Profilers record calls that moved nothing: receives behind the last pass, sends before the first has ended. */
static bool belongs(const struct transfer *transfer, const struct plan_node *node, const struct passes *passes)
{
    return transfer->sends ? node_end_s(node) >= passes->first_end_s - SAME_MOMENT_S
                           : node->like.start_s <= passes->last_start_s + SAME_MOMENT_S;
}

static uint32_t count_belonging(const struct plan_draft *draft, uint32_t stage, const struct transfer *transfer,
                                const struct passes *passes)
{
    uint32_t count = 0;
    for (uint32_t i = draft->stage_from[stage]; i < draft->stage_from[stage + 1]; i++)
        count += draft->nodes[i].role == transfer->role && belongs(transfer, &draft->nodes[i], passes);
    return count;
}

/* A chunk at either end of the model has no neighbour there. */
static bool has_neighbour(const struct plan_draft *draft, const struct plan_node *pass, int32_t towards)
{
    const int64_t all = (int64_t)draft->chunks * draft->stages;
    const int64_t chunk = pass->like.chunk > 0 ? pass->like.chunk : 0;
    const int64_t here =
        pass->like.model_chunk >= 0 ? pass->like.model_chunk : chunk * draft->stages + pass->like.stage;
    return here + towards >= 0 && here + towards < all;
}

/* A send follows its pass; a receive precedes its own and follows the one before. */
static void tie(struct plan_draft *draft, const struct transfer *transfer, uint32_t node, uint32_t previous,
                uint32_t pass)
{
    draft_edge(draft, transfer->sends ? pass : previous, node);
    if (!transfer->sends)
        draft_edge(draft, node, pass);
    if (has_neighbour(draft, &draft->nodes[pass], transfer->towards))
        draft->partner[node] = node; /* wanted; draft_pairs finds who it is */
}

static void match(struct plan_draft *draft, uint32_t stage, const struct transfer *transfer)
{
    const struct passes passes = passes_of(draft, stage, transfer->pass);
    const uint32_t had = count_belonging(draft, stage, transfer, &passes);
    uint32_t previous = PLAN_NONE;
    uint32_t pass = draft_next(draft, stage, transfer->pass, draft->stage_from[stage]);
    if (!transfer->sends && had + 1 == passes.count) { /* the first pass had nothing to receive */
        previous = pass;
        pass = draft_next(draft, stage, transfer->pass, pass + 1);
    }
    for (uint32_t i = draft->stage_from[stage]; i < draft->stage_from[stage + 1] && pass != PLAN_NONE; i++) {
        if (draft->nodes[i].role != transfer->role || !belongs(transfer, &draft->nodes[i], &passes))
            continue;
        tie(draft, transfer, i, previous, pass);
        previous = pass;
        pass = draft_next(draft, stage, transfer->pass, pass + 1);
    }
}

/* The first transfers of the backward pass wait for the forward pass before the one that precedes it. */
static void start_backward(struct plan_draft *draft, uint32_t stage)
{
    uint32_t earlier = PLAN_NONE, last = PLAN_NONE, i = draft->stage_from[stage];
    for (; i < draft->stage_from[stage + 1] && draft->nodes[i].role != ROLE_BACKWARD; i++)
        if (draft->nodes[i].role == ROLE_FORWARD) {
            earlier = last;
            last = i;
        }
    if (i == draft->stage_from[stage + 1])
        return;
    const uint32_t from = draft->stage_from[stage];
    draft_edge(draft, earlier, draft_next(draft, stage, ROLE_BACKWARD_RECEIVE, from));
    draft_edge(draft, earlier, draft_next(draft, stage, ROLE_BACKWARD_SEND, from));
}

void draft_passes_and_transfers(struct plan_draft *draft, uint32_t stage)
{
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
        match(draft, stage, &transfers[i]);
    start_backward(draft, stage);
}

/* ---- who meets whom ---- */

/* The next transfer from `from` on that wants a partner. */
static uint32_t next_wanting(const struct plan_draft *draft, uint32_t stage, enum operation_role role, uint32_t from)
{
    uint32_t i = draft_next(draft, stage, role, from);
    while (i != PLAN_NONE && draft->partner[i] != i)
        i = draft_next(draft, stage, role, i + 1);
    return i;
}

/* Sends of a stage with the receives of its neighbour, in order; stages are a ring where they hold several chunks. */
static void pair_stage(struct plan_draft *draft, uint32_t stage, const struct transfer *transfer)
{
    const uint32_t other = (uint32_t)(((int64_t)stage + transfer->towards + draft->stages) % draft->stages);
    uint32_t mine = next_wanting(draft, stage, transfer->role, draft->stage_from[stage]);
    uint32_t peer = next_wanting(draft, other, transfer->peer, draft->stage_from[other]);
    while (mine != PLAN_NONE && peer != PLAN_NONE) {
        const uint32_t next_mine = next_wanting(draft, stage, transfer->role, mine + 1);
        const uint32_t next_peer = next_wanting(draft, other, transfer->peer, peer + 1);
        draft->partner[mine] = peer;
        draft->partner[peer] = mine;
        mine = next_mine;
        peer = next_peer;
    }
}

void draft_pairs(struct plan_draft *draft)
{
    for (uint32_t stage = 0; stage < draft->stages; stage++)
        for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
            if (transfers[i].sends)
                pair_stage(draft, stage, &transfers[i]);
    for (uint32_t i = 0; i < draft->node_count; i++)
        if (draft->partner[i] == i)
            draft->partner[i] = PLAN_NONE;
}
