/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler_edges.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"

void draft_edge(struct plan_draft *draft, uint32_t from, uint32_t to)
{
    if (from == PLAN_NONE || to == PLAN_NONE)
        return;
    draft->edges = mem_grow(draft->edges, &draft->edge_room, draft->edge_count + 1, sizeof *draft->edges);
    draft->edges[draft->edge_count++] = (struct plan_edge){from, to};
}

uint32_t draft_next(const struct plan_draft *draft, uint32_t stage, enum operation_role role, uint32_t from)
{
    for (uint32_t i = from; i < draft->stage_from[stage + 1]; i++)
        if (draft->nodes[i].role == role)
            return i;
    return PLAN_NONE;
}

static uint32_t first_of(const struct plan_draft *draft, uint32_t stage, enum operation_role role)
{
    return draft_next(draft, stage, role, draft->stage_from[stage]);
}

/* ---- streams: what runs one after the other ---- */

#define ROLE_BIT(role) (1u << (role))

static void chain(struct plan_draft *draft, uint32_t stage, uint32_t roles)
{
    uint32_t last = PLAN_NONE;
    for (uint32_t i = draft->stage_from[stage]; i < draft->stage_from[stage + 1]; i++) {
        if (!(roles & ROLE_BIT(draft->nodes[i].role)))
            continue;
        draft_edge(draft, last, i);
        last = i;
    }
}

static void chain_streams(struct plan_draft *draft, uint32_t stage)
{
    chain(draft, stage, ROLE_BIT(ROLE_FORWARD) | ROLE_BIT(ROLE_BACKWARD));
    for (uint32_t role = ROLE_FORWARD_SEND; role <= ROLE_BACKWARD_RECEIVE; role++)
        chain(draft, stage, ROLE_BIT(role));
    if (draft->many_replicas)
        chain(draft, stage, ROLE_BIT(ROLE_GATHER_WEIGHTS) | ROLE_BIT(ROLE_SCATTER_GRADIENTS));
}

/* ---- weights and gradients of a chunk of layers ---- */

/* Whether the node stands for its chunk better than another of the same role does. */
typedef bool better(const struct plan_node *node, const struct plan_node *than);

static bool has_lower_number(const struct plan_node *node, const struct plan_node *than)
{
    return node->like.sequence < than->like.sequence;
}

static bool has_higher_number(const struct plan_node *node, const struct plan_node *than)
{
    return node->like.sequence > than->like.sequence;
}

static bool starts_earlier(const struct plan_node *node, const struct plan_node *than)
{
    return node->like.start_s < than->like.start_s;
}

static bool ends_later(const struct plan_node *node, const struct plan_node *than)
{
    return node_end_s(node) > node_end_s(than);
}

/* The best node of a role by its chunk. To be freed with map_free. */
static struct map of_chunks(const struct plan_draft *draft, uint32_t stage, enum operation_role role, better *is_better)
{
    struct map best = {0};
    for (uint32_t i = first_of(draft, stage, role); i != PLAN_NONE; i = draft_next(draft, stage, role, i + 1)) {
        const uint32_t found = map_get(&best, draft->nodes[i].like.chunk);
        if (found == MAP_NONE || is_better(&draft->nodes[i], &draft->nodes[found]))
            map_put(&best, draft->nodes[i].like.chunk, i);
    }
    return best;
}

/* Edges from the node of each chunk to the other of the same chunk. */
static void join_chunks(struct plan_draft *draft, uint32_t stage, struct map from, struct map to)
{
    for (uint32_t i = draft->stage_from[stage]; i < draft->stage_from[stage + 1]; i++) {
        const int32_t chunk = draft->nodes[i].like.chunk;
        const uint32_t first = map_get(&from, chunk), then = map_get(&to, chunk);
        if (first == i && then != MAP_NONE)
            draft_edge(draft, first, then);
    }
    map_free(&from);
    map_free(&to);
}

/* The last gathering of a chunk's weights comes before its first pass. */
static void gather_before_passes(struct plan_draft *draft, uint32_t stage)
{
    join_chunks(draft, stage, of_chunks(draft, stage, ROLE_GATHER_WEIGHTS, has_higher_number),
                of_chunks(draft, stage, ROLE_FORWARD, starts_earlier));
}

/* The first scattering of a chunk's gradients comes after its last pass, where scattering is hidden behind passes. */
static void scatter_after_passes(struct plan_draft *draft, uint32_t stage)
{
    join_chunks(draft, stage, of_chunks(draft, stage, ROLE_BACKWARD, ends_later),
                of_chunks(draft, stage, ROLE_SCATTER_GRADIENTS, has_lower_number));
}

/* ---- work and collectives of no known kind, as traces have them ---- */

/* Ends and starts that lie this close are a wait that is over. */
#define WAIT_OVER_S 2e-5

/* The nodes of these roles in the order of their launches; without one, of their starts. In the arena. */
static struct keyed *by_launch(const struct plan_draft *draft, uint32_t stage, struct arena *scratch, uint32_t *count)
{
    const uint32_t from = draft->stage_from[stage], to = draft->stage_from[stage + 1];
    struct keyed *nodes = arena_array(scratch, to - from, sizeof *nodes);
    *count = 0;
    for (uint32_t i = from; i < to; i++) {
        const struct plan_node *node = &draft->nodes[i];
        if (node->role == ROLE_WORK || node->role == ROLE_HOST || node->role == ROLE_EXCHANGE)
            nodes[(*count)++] = (struct keyed){node->like.launch >= 0 ? node->like.launch : (int32_t)i, i};
    }
    sort_keyed(nodes, *count);
    return nodes;
}

/*
 * Work follows work, a collective the collective before it and the work launched before it. Work waits for the last
 * collective launched before it that had ended when it began: whether it had to is not recorded.
 */
static void follow_launches(struct plan_draft *draft, uint32_t stage)
{
    struct arena scratch = {0};
    uint32_t count, work = PLAN_NONE, exchange = PLAN_NONE, awaited = PLAN_NONE;
    const struct keyed *nodes = by_launch(draft, stage, &scratch, &count);
    uint32_t pending = 0; /* the first collective that no work has waited for, as an index into nodes */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = nodes[i].row;
        draft_edge(draft, work, node);
        if (draft->nodes[node].role == ROLE_EXCHANGE) {
            draft_edge(draft, exchange, node);
            exchange = node;
            continue;
        }
        for (; pending < i; pending++) {
            const struct plan_node *before = &draft->nodes[nodes[pending].row];
            if (before->role != ROLE_EXCHANGE)
                continue;
            if (node_end_s(before) > draft->nodes[node].like.start_s + WAIT_OVER_S)
                break;
            awaited = nodes[pending].row;
        }
        draft_edge(draft, awaited, node);
        awaited = PLAN_NONE;
        work = node;
    }
    arena_free(&scratch);
}

/* ---- the end of a step ---- */

static uint32_t last_computing(const struct plan_draft *draft, uint32_t stage)
{
    uint32_t last = PLAN_NONE;
    for (uint32_t i = draft->stage_from[stage]; i < draft->stage_from[stage + 1]; i++) {
        const struct plan_node *node = &draft->nodes[i];
        if ((node->role == ROLE_FORWARD || node->role == ROLE_BACKWARD) &&
            (last == PLAN_NONE || node_end_s(node) > node_end_s(&draft->nodes[last])))
            last = i;
    }
    return last;
}

static uint32_t last_of(const struct plan_draft *draft, uint32_t stage, enum operation_role role)
{
    uint32_t last = PLAN_NONE;
    for (uint32_t i = first_of(draft, stage, role); i != PLAN_NONE; i = draft_next(draft, stage, role, i + 1))
        last = i;
    return last;
}

/* Adds the nodes of a role behind `last`, one after the other; the new last. */
static uint32_t follow(struct plan_draft *draft, uint32_t stage, enum operation_role role, uint32_t last)
{
    for (uint32_t i = first_of(draft, stage, role); i != PLAN_NONE; i = draft_next(draft, stage, role, i + 1)) {
        draft_edge(draft, last, i);
        last = i;
    }
    return last;
}

static void end_step(struct plan_draft *draft, uint32_t stage)
{
    uint32_t last = follow(draft, stage, ROLE_COLLECT, last_computing(draft, stage));
    const uint32_t norms = first_of(draft, stage, ROLE_REDUCE_NORMS);
    if (draft->many_replicas && draft->hides_exchange)
        draft_edge(draft, last_of(draft, stage, ROLE_SCATTER_GRADIENTS), norms);
    last = follow(draft, stage, ROLE_REDUCE_NORMS, last);
    last = follow(draft, stage, ROLE_REDUCE_EMBEDDING, last);
    if (draft->many_replicas)
        last = follow(draft, stage, draft->hides_exchange ? ROLE_REDUCE_APART : ROLE_SCATTER_GRADIENTS, last);
    last = follow(draft, stage, ROLE_CLIP, last);
    follow(draft, stage, ROLE_OPTIMIZER, last);
}

void draft_stage(struct plan_draft *draft, uint32_t stage)
{
    draft_passes_and_transfers(draft, stage);
    chain_streams(draft, stage);
    if (draft->many_replicas)
        gather_before_passes(draft, stage);
    if (draft->many_replicas && draft->hides_exchange)
        scatter_after_passes(draft, stage);
    end_step(draft, stage);
    follow_launches(draft, stage);
}
