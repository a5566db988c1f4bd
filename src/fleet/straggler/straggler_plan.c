/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler_plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "straggler_edges.h"

/* The rows of a lane: they lie together. */
struct lane_rows {
    uint32_t from, count;
};

static uint32_t lane_of(const struct operations *operations, const struct operation *operation)
{
    return operation->step * operations->replicas + operation->replica;
}

/* The first lane that has most operations. */
static struct lane_rows fullest_lane(const struct operations *operations)
{
    struct lane_rows fullest = {0}, now = {0};
    for (uint32_t i = 0; i < operations->count; i++) {
        const bool same = i && lane_of(operations, &operations->at[i]) == lane_of(operations, &operations->at[i - 1]);
        now = same ? (struct lane_rows){now.from, now.count + 1} : (struct lane_rows){i, 1};
        if (now.count > fullest.count)
            fullest = now;
    }
    return fullest;
}

/* ---- nodes ---- */

static int order_of(const void *left, const void *right)
{
    const struct operation *a = &((const struct plan_node *)left)->like, *b = &((const struct plan_node *)right)->like;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->start_s != b->start_s)
        return a->start_s < b->start_s ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->type > b->type) - (a->type < b->type);
}

/* Stage, type and number: stages are fewer than 2^20, types than 2^8 (operations_read). */
static int64_t key_of(const struct operation *operation)
{
    return (int64_t)operation->stage << 40 | (int64_t)operation->type << 32 | operation->sequence;
}

/* An operation that bears the number of another is left out. */
static struct plan_node *nodes_of(const struct operations *operations, struct arena *arena, uint32_t *count)
{
    const struct lane_rows lane = fullest_lane(operations);
    struct plan_node *nodes = arena_array(arena, lane.count, sizeof *nodes);
    struct map seen = {0};
    *count = 0;
    for (uint32_t i = lane.from; i < lane.from + lane.count; i++) {
        const struct operation *operation = &operations->at[i];
        if (map_get(&seen, key_of(operation)) != MAP_NONE)
            continue;
        map_put(&seen, key_of(operation), i);
        nodes[(*count)++] = (struct plan_node){*operation, operations->types[operation->type].role, PLAN_NONE};
    }
    map_free(&seen);
    qsort(nodes, *count, sizeof *nodes, order_of);
    return nodes;
}

static const uint32_t *stages_of(const struct plan_node *nodes, uint32_t count, uint32_t stages, struct arena *arena)
{
    uint32_t *from = arena_array(arena, stages + 1, sizeof *from);
    uint32_t at = 0;
    for (uint32_t stage = 0; stage <= stages; stage++) {
        while (at < count && nodes[at].like.stage < stage)
            at++;
        from[stage] = at;
    }
    return from;
}

/* ---- which operation each lane has for a node ---- */

static void fill_rows(const struct operations *operations, struct straggler_plan *plan, struct arena *arena)
{
    uint32_t *row = arena_array(arena, (size_t)plan->node_count * plan->lanes, sizeof *row);
    memset(row, 0xff, (size_t)plan->node_count * plan->lanes * sizeof *row);
    struct map node_of = {0};
    for (uint32_t i = 0; i < plan->node_count; i++)
        map_put(&node_of, key_of(&plan->nodes[i].like), i);
    for (uint32_t i = 0; i < operations->count; i++) {
        const uint32_t node = map_get(&node_of, key_of(&operations->at[i]));
        uint32_t *at =
            node == MAP_NONE ? NULL : &row[(size_t)node * plan->lanes + lane_of(operations, &operations->at[i])];
        if (at && *at == PLAN_NONE)
            *at = i;
        else
            plan->strangers++;
    }
    map_free(&node_of);
    plan->row = row;
}

/* ---- meetings ---- */

static bool among_replicas(enum operation_role role)
{
    return role == ROLE_GATHER_WEIGHTS || role == ROLE_SCATTER_GRADIENTS || role == ROLE_REDUCE_APART ||
           role == ROLE_EXCHANGE || role == ROLE_CLIP;
}

/* Roles whose nodes of one number meet across all stages that have them. */
static bool across_stages(enum operation_role role)
{
    return role == ROLE_REDUCE_EMBEDDING || role == ROLE_CLIP;
}

/* The meeting of a node's partner, or of its like in an earlier stage; PLAN_NONE: it opens one. */
static uint32_t met_before(const struct plan_draft *draft, uint32_t node, const struct map *across)
{
    const uint32_t partner = draft->partner[node];
    if (partner != PLAN_NONE)
        return draft->nodes[partner].meeting;
    const uint32_t like =
        across_stages(draft->nodes[node].role)
            ? map_get(across, (int64_t)draft->nodes[node].role << 32 | draft->nodes[node].like.sequence)
            : MAP_NONE;
    return like == MAP_NONE ? PLAN_NONE : draft->nodes[like].meeting;
}

/* Gives every node its meeting; how many there are. */
static uint32_t meet(struct plan_draft *draft)
{
    struct map across = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < draft->node_count; i++) {
        struct plan_node *node = &draft->nodes[i];
        node->meeting = met_before(draft, i, &across);
        if (node->meeting == PLAN_NONE)
            node->meeting = count++;
        if (across_stages(node->role))
            map_put(&across, (int64_t)node->role << 32 | node->like.sequence, i);
    }
    map_free(&across);
    return count;
}

/* Counts into starts: after this, rows of a key k lie at [from[k], from[k + 1]). */
static void starts_of_counts(uint32_t *from, uint32_t keys)
{
    for (uint32_t i = 0; i < keys; i++)
        from[i + 1] += from[i];
}

/* ---- order ---- */

struct ordering {
    const struct plan_draft *draft;
    uint32_t meetings;
    uint32_t *after_from, *after; /* the nodes that wait for a node */
    uint32_t *member_from, *member;
    uint32_t *open; /* edges into a meeting that are not yet passed */
    uint32_t *queue, queued;
};

static void list_members(struct ordering *ordering, struct arena *scratch)
{
    const struct plan_draft *draft = ordering->draft;
    ordering->member_from = arena_array(scratch, ordering->meetings + 2, sizeof *ordering->member_from);
    ordering->member = arena_array(scratch, draft->node_count, sizeof *ordering->member);
    for (uint32_t i = 0; i < draft->node_count; i++)
        ordering->member_from[draft->nodes[i].meeting + 2]++;
    starts_of_counts(ordering->member_from + 1, ordering->meetings);
    for (uint32_t i = 0; i < draft->node_count; i++)
        ordering->member[ordering->member_from[draft->nodes[i].meeting + 1]++] = i;
}

static void list_edges(struct ordering *ordering, struct arena *scratch)
{
    const struct plan_draft *draft = ordering->draft;
    ordering->after_from = arena_array(scratch, draft->node_count + 2, sizeof *ordering->after_from);
    ordering->after = arena_array(scratch, draft->edge_count, sizeof *ordering->after);
    ordering->open = arena_array(scratch, ordering->meetings, sizeof *ordering->open);
    for (size_t i = 0; i < draft->edge_count; i++) {
        ordering->after_from[draft->edges[i].from + 2]++;
        ordering->open[draft->nodes[draft->edges[i].to].meeting]++;
    }
    starts_of_counts(ordering->after_from + 1, draft->node_count);
    for (size_t i = 0; i < draft->edge_count; i++)
        ordering->after[ordering->after_from[draft->edges[i].from + 1]++] = draft->edges[i].to;
}

static void pass(struct ordering *ordering, uint32_t node)
{
    for (uint32_t i = ordering->after_from[node]; i < ordering->after_from[node + 1]; i++) {
        const uint32_t meeting = ordering->draft->nodes[ordering->after[i]].meeting;
        if (!--ordering->open[meeting])
            ordering->queue[ordering->queued++] = meeting;
    }
}

/* Meetings, each after all that it waits for (Kahn 1962). False where some wait for each other in a circle. */
static bool order_meetings(struct ordering *ordering, struct arena *scratch)
{
    list_members(ordering, scratch);
    list_edges(ordering, scratch);
    ordering->queue = arena_array(scratch, ordering->meetings, sizeof *ordering->queue);
    for (uint32_t i = 0; i < ordering->meetings; i++)
        if (!ordering->open[i])
            ordering->queue[ordering->queued++] = i;
    for (uint32_t at = 0; at < ordering->queued; at++)
        for (uint32_t i = ordering->member_from[ordering->queue[at]];
             i < ordering->member_from[ordering->queue[at] + 1]; i++)
            pass(ordering, ordering->member[i]);
    return ordering->queued == ordering->meetings;
}

static void keep_meetings(const struct ordering *ordering, struct straggler_plan *plan, struct arena *arena)
{
    struct plan_meeting *meetings = arena_array(arena, ordering->meetings, sizeof *meetings);
    uint32_t *members = arena_array(arena, plan->node_count, sizeof *members);
    uint32_t at = 0;
    for (uint32_t i = 0; i < ordering->meetings; i++) {
        const uint32_t meeting = ordering->queue[i], from = ordering->member_from[meeting];
        const uint32_t count = ordering->member_from[meeting + 1] - from;
        memcpy(members + at, ordering->member + from, count * sizeof *members);
        meetings[i] = (struct plan_meeting){at, count, among_replicas(plan->nodes[members[at]].role)};
        at += count;
    }
    plan->meetings = meetings;
    plan->members = members;
    plan->meeting_count = ordering->meetings;
}

static void keep_edges(const struct plan_draft *draft, struct straggler_plan *plan, struct arena *arena)
{
    uint32_t *from = arena_array(arena, draft->node_count + 2, sizeof *from);
    uint32_t *before = arena_array(arena, draft->edge_count, sizeof *before);
    for (size_t i = 0; i < draft->edge_count; i++)
        from[draft->edges[i].to + 2]++;
    starts_of_counts(from + 1, draft->node_count);
    for (size_t i = 0; i < draft->edge_count; i++)
        before[from[draft->edges[i].to + 1]++] = draft->edges[i].from;
    plan->before_from = from;
    plan->before = before;
}

/* ---- the whole ---- */

static void describe(struct plan_draft *draft, const struct operations *operations)
{
    draft->stages = operations->stages;
    draft->many_replicas = operations->replicas > 1;
    draft->chunks = 1;
    for (uint32_t i = 0; i < draft->node_count; i++) {
        const struct plan_node *node = &draft->nodes[i];
        draft->hides_exchange |= node->role == ROLE_REDUCE_APART;
        draft->chunks = node->like.chunk >= draft->chunks ? node->like.chunk + 1 : draft->chunks;
    }
}

static void apply_rules(struct plan_draft *draft, struct arena *scratch)
{
    draft->partner = arena_array(scratch, draft->node_count, sizeof *draft->partner);
    memset(draft->partner, 0xff, draft->node_count * sizeof *draft->partner);
    for (uint32_t stage = 0; stage < draft->stages; stage++)
        draft_stage(draft, stage);
    draft_pairs(draft);
}

/* Lanes that share few nodes with the plan's make a table with many empty cells: none of one job. */
static bool fits(const struct operations *operations, const struct straggler_plan *plan)
{
    const uint64_t cells = (uint64_t)plan->node_count * plan->lanes;
    return cells <= 16 * (uint64_t)operations->count + (1 << 16);
}

static bool finish(struct plan_draft *draft, const struct operations *operations, struct arena *arena,
                   struct straggler_plan *plan, struct arena *scratch, struct steptime_error *err)
{
    struct ordering ordering = {.draft = draft, .meetings = meet(draft)};
    if (!order_meetings(&ordering, scratch))
        return fail(err, STEPTIME_INPUT,
                    "operations wait for each other in a circle: their starts contradict their kinds");
    keep_meetings(&ordering, plan, arena);
    keep_edges(draft, plan, arena);
    fill_rows(operations, plan, arena);
    return true;
}

bool straggler_plan(const struct operations *operations, struct arena *arena, struct straggler_plan *plan,
                    struct steptime_error *err)
{
    struct plan_draft draft = {0};
    draft.nodes = nodes_of(operations, arena, &draft.node_count);
    *plan = (struct straggler_plan){.nodes = draft.nodes,
                                    .node_count = draft.node_count,
                                    .lanes = operations->steps * operations->replicas,
                                    .replicas = operations->replicas};
    if (!fits(operations, plan))
        return fail(err, STEPTIME_INPUT, "steps and replicas differ too much in what they do to be those of one job");
    struct arena scratch = {0};
    draft.stage_from = stages_of(draft.nodes, draft.node_count, operations->stages, &scratch);
    describe(&draft, operations);
    apply_rules(&draft, &scratch);
    const bool good = finish(&draft, operations, arena, plan, &scratch, err);
    mem_free(draft.edges);
    arena_free(&scratch);
    return good;
}
