/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler_net.h"

#include "straggler_work.h"
#include "time/build.h"
#include "time/run.h"

enum { EDGE_WAIT = EDGE_LANE + 1 };

/* ---- building ---- */

struct making {
    const struct straggler_plan *plan;
    struct net_build build;
    uint32_t *node_of; /* by node of the plan and replica */
    size_t *cell;
};

/* Replicas of a step. */
struct range {
    uint32_t from, to;
};

static uint32_t *node_at(const struct making *m, uint32_t node, uint32_t replica)
{
    return &m->node_of[(size_t)node * m->plan->replicas + replica];
}

static uint32_t add(struct making *m, uint32_t before, size_t cell)
{
    m->cell[m->build.count] = cell;
    return net_add(&m->build, before, 0, 0);
}

static uint32_t add_operation(struct making *m, uint32_t node, uint32_t replica, uint32_t before)
{
    return *node_at(m, node, replica) = add(m, before, (size_t)node * m->plan->lanes + replica);
}

/* What an operation waits for lets the node of the net go. */
static void wait_for_all(struct making *m, uint32_t node, uint32_t replica, uint32_t waiting)
{
    for (uint32_t i = m->plan->before_from[node]; i < m->plan->before_from[node + 1]; i++)
        net_link(&m->build, *node_at(m, m->plan->before[i], replica), waiting, EDGE_WAIT);
}

static void add_alone(struct making *m, uint32_t node, uint32_t replica)
{
    wait_for_all(m, node, replica, add_operation(m, node, replica, NODE_NONE));
}

static void add_meeting(struct making *m, const uint32_t *members, uint32_t count, struct range replicas)
{
    const uint32_t begins = add(m, NODE_NONE, NO_CELL);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t replica = replicas.from; replica < replicas.to; replica++)
            wait_for_all(m, members[i], replica, begins);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t replica = replicas.from; replica < replicas.to; replica++)
            add_operation(m, members[i], replica, begins);
}

static void add_all(struct making *m, const struct plan_meeting *meeting)
{
    const uint32_t *members = m->plan->members + meeting->from;
    const struct range all = {0, m->plan->replicas};
    if (meeting->among_replicas)
        add_meeting(m, members, meeting->count, all);
    for (uint32_t i = 0; i < all.to && !meeting->among_replicas; i++)
        if (meeting->count > 1)
            add_meeting(m, members, meeting->count, (struct range){i, i + 1});
        else
            add_alone(m, members[0], i);
}

struct straggler_net straggler_net_of(const struct straggler_plan *plan, struct arena *arena)
{
    struct arena scratch = {0};
    const size_t most = ((size_t)plan->node_count + plan->meeting_count) * plan->replicas;
    struct making m = {.plan = plan,
                       .build = net_build_open(arena, most),
                       .node_of = arena_array(&scratch, (size_t)plan->node_count * plan->replicas, sizeof *m.node_of),
                       .cell = arena_array(arena, most, sizeof *m.cell)};
    for (uint32_t i = 0; i < plan->meeting_count; i++)
        add_all(&m, &plan->meetings[i]);
    const uint32_t *unused; /* meetings come after all that they wait for, so the nodes keep their numbers */
    const struct net net = net_built(&m.build, &unused);
    arena_free(&scratch);
    return (struct straggler_net){plan, net, m.cell};
}

/* ---- walking ---- */

static const int64_t *works_of_step(const struct straggler_net *net, uint32_t step, const int64_t *work,
                                    struct arena *arena)
{
    int64_t *of_step = arena_array(arena, net->net.count, sizeof *of_step);
    const size_t first = (size_t)step * net->plan->replicas;
    for (uint32_t node = 0; node < net->net.count; node++)
        of_step[node] = net->cell[node] == NO_CELL ? 0 : work[first + net->cell[node]];
    return of_step;
}

bool straggler_walk(const struct straggler_net *net, const int64_t *work, double *step_s)
{
    bool told = true;
    for (uint32_t step = 0; step < net->plan->lanes / net->plan->replicas; step++) {
        struct arena scratch = {0};
        struct net of_step = net->net;
        of_step.work = works_of_step(net, step, work, &scratch);
        const int64_t span = net_run(&of_step, NULL, &scratch).span;
        step_s[step] = straggler_seconds(span);
        told = told && span < INT64_MAX;
        arena_free(&scratch);
    }
    return told;
}
