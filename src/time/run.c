/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include "run_private.h"

static int64_t from_of(const struct change *change)
{
    return change ? change->from : INT64_MIN;
}

int64_t change_work(const struct change *change, const struct net *net, uint32_t node)
{
    return change && change->work ? change->work(change->context, node) : net->work[node];
}

/* Not before it is let go, and then at once. */
static bool change_prompts(const struct change *change)
{
    return change && change->prompt;
}

static bool change_holds(const struct change *change, const struct edge *edge)
{
    return !change || !change->holds || change->holds(change->context, edge);
}

static bool change_takes(const struct change *change, uint32_t node)
{
    return change && change->gone && change->gone(change->context, node);
}

/* ---- when an edge arrives ---- */

static int64_t left_at(const struct net *net, const struct edge *edge, int64_t start, int64_t end)
{
    if (net->early >> edge->kind & 1)
        return start;
    const int64_t leaves = net_leaves(net, edge->from, edge->to, edge->kind), work = net->work[edge->from];
    return leaves == work ? end : time_sum(start, time_share(leaves, work, time_sum(end, -start)));
}

int64_t net_arrival(const struct net *net, const struct schedule *schedule, const struct edge *edge)
{
    const int64_t lag = net_lag(net, edge->from, edge->to, edge->kind);
    if (schedule)
        return time_sum(left_at(net, edge, schedule->start[edge->from], schedule->end[edge->from]), lag);
    return time_sum(left_at(net, edge, net->start[edge->from], net_end(net, edge->from)), lag);
}

static void later(int64_t *at, int64_t time)
{
    *at = time > *at ? time : *at;
}

const int64_t *net_arrivals(const struct net *net, struct arena *arena)
{
    int64_t *arrivals = arena_room(arena, net->count, sizeof *arrivals);
    for (uint32_t node = 0, i = 0; node < net->count; node++) {
        arrivals[node] = INT64_MIN;
        if (net->before[node] != NODE_NONE)
            arrivals[node] = net_arrival(net, NULL, &(struct edge){net->before[node], node, EDGE_LANE});
        for (; i < net->edge_count && net->edges[i].to <= node; i++)
            later(&arrivals[node], net_arrival(net, NULL, &net->edges[i]));
    }
    return arrivals;
}

/* When the last of the predecessors lets the node go. INT64_MIN: there is none. */
struct arrival {
    int64_t recorded, changed; /* as recorded; after the change */
    int64_t otherwise;         /* after the change, if all edges held */
};

static void meet(const struct run *run, const struct edge *edge, struct arrival *arrival)
{
    const struct net *net = run->net;
    const struct schedule so_far = {.start = run->start, .end = run->end};
    const int64_t changed = net_arrival(net, &so_far, edge);
    if (net->start && !net->arrival)
        later(&arrival->recorded, net_arrival(net, NULL, edge));
    later(&arrival->otherwise, changed);
    if (change_holds(run->change, edge))
        later(&arrival->changed, changed);
}

/* When an earlier pass lets a node go; INT64_MIN: there was none so long ago. */
static int64_t carry_at(const struct run *run, uint32_t i)
{
    const struct carry *carry = &run->net->carries[i];
    if (!run->let_go || carry->back > run->pass)
        return INT64_MIN;
    const int64_t left = run->let_go[(size_t)(run->pass - carry->back) * run->net->carry_count + i];
    return time_sum(left, net_lag(run->net, carry->edge.from, carry->edge.to, carry->edge.kind));
}

/* When the last of the earlier passes lets the node go; INT64_MIN: none does. */
static int64_t carried_at(struct run *run, uint32_t node)
{
    int64_t at = INT64_MIN;
    while (run->carry < run->net->carry_count && run->net->carries[run->carry].edge.to < node)
        run->carry++; /* of nodes that were passed */
    for (; run->carry < run->net->carry_count && run->net->carries[run->carry].edge.to == node; run->carry++)
        later(&at, carry_at(run, run->carry));
    return at;
}

static struct arrival arrival_of(struct run *run, uint32_t node)
{
    const struct net *net = run->net;
    struct arrival arrival = {net->arrival ? net->arrival[node] : INT64_MIN, INT64_MIN, INT64_MIN};
    if (net->before[node] != NODE_NONE)
        meet(run, &(struct edge){net->before[node], node, EDGE_LANE}, &arrival);
    while (run->edge < net->edge_count && net->edges[run->edge].to < node)
        run->edge++;
    for (; run->edge < net->edge_count && net->edges[run->edge].to == node; run->edge++)
        meet(run, &net->edges[run->edge], &arrival);
    const int64_t carried = carried_at(run, node);
    later(&arrival.changed, carried);
    later(&arrival.otherwise, carried);
    return arrival;
}

/* The same where nothing was recorded and all edges hold: the end of what lets the node go last; 0: nothing does. */
static int64_t let_go_at(struct run *run, uint32_t node)
{
    const struct net *net = run->net;
    const int64_t *const floor = net->floor[net->kind[node]];
    int64_t at = 0;
    if (net->before[node] != NODE_NONE)
        at = time_sum(run->end[net->before[node]], floor[EDGE_LANE]);
    for (; run->edge < net->edge_count && net->edges[run->edge].to <= node; run->edge++) {
        const struct edge *edge = &net->edges[run->edge];
        const bool early = net->early >> edge->kind & 1;
        later(&at, time_sum(early ? run->start[edge->from] : run->end[edge->from], floor[edge->kind]));
    }
    if (run->carry < net->carry_count && net->carries[run->carry].edge.to <= node)
        later(&at, carried_at(run, node));
    return at;
}

/* ---- a node ---- */

static void begin(struct run *run, uint32_t node)
{
    const struct net *net = run->net;
    if (!net->start && !run->change) {
        run->start[node] = let_go_at(run, node);
        return;
    }
    const struct arrival arrival = arrival_of(run, node);
    const int64_t changed = arrival.changed == INT64_MIN ? arrival.otherwise : arrival.changed;
    const int64_t alone = net->start ? net->start[node] : 0;
    run->start[node] = alone;
    if (changed != INT64_MIN)
        run->start[node] = net->start && !change_prompts(run->change)
                               ? time_sum(alone, time_sum(changed, -arrival.recorded))
                               : changed;
    if (net->start)
        later(&run->start[node], from_of(run->change));
}

/* It ends when the node before it lets it go; the first of a lane has nobody to wait for. */
static void pass(struct run *run, uint32_t node)
{
    const struct edge lane = {run->net->before[node], node, EDGE_LANE};
    run->start[node] = 0;
    if (lane.from != NODE_NONE)
        run->start[node] = left_at(run->net, &lane, run->start[lane.from], run->end[lane.from]);
    if (run->net->start)
        later(&run->start[node], from_of(run->change));
    run->end[node] = run->start[node];
}

/* What had begun before the change. */
static void keep(struct run *run, uint32_t node)
{
    const struct net *net = run->net;
    const int64_t from = from_of(run->change), end = net_end(net, node);
    run->start[node] = net->start[node];
    run->end[node] = end;
    if (end <= from)
        return;
    const int64_t work = change_takes(run->change, node) ? 0 : change_work(run->change, net, node);
    run->end[node] = time_sum(from, time_share(end - from, net->work[node], work));
}

static bool has_begun(const struct run *run, uint32_t node)
{
    return run->net->start && run->net->start[node] < from_of(run->change);
}

/* ---- runs ---- */

struct run run_open(const struct net *net, const struct change *change, struct schedule earlier, struct arena *arena)
{
    return (struct run){.net = net,
                        .change = change,
                        .start = earlier.start ? earlier.start : arena_room(arena, net->count, sizeof(int64_t)),
                        .end = earlier.end ? earlier.end : arena_room(arena, net->count, sizeof(int64_t))};
}

/* True where the current node waits to be told its end. */
static bool step(struct run *run, bool stop)
{
    const uint32_t node = run->node;
    if (has_begun(run, node)) {
        keep(run, node);
    } else if (change_takes(run->change, node)) {
        pass(run, node);
    } else {
        begin(run, node);
        if (stop)
            return true;
        run->end[node] = time_sum(run->start[node], change_work(run->change, run->net, node));
    }
    run->node++;
    return false;
}

/* The first of the edges (or carries, whose first member is one) that lead to a node or a later one. */
static uint32_t first_into(const void *edges, size_t size, uint32_t count, uint32_t node)
{
    uint32_t low = 0;
    while (low < count) {
        const uint32_t middle = low + (count - low) / 2;
        if (((const struct edge *)((const char *)edges + middle * size))->to < node)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

bool run_one(struct run *run, uint32_t node, bool stop)
{
    run->node = node;
    run->edge = first_into(run->net->edges, sizeof *run->net->edges, run->net->edge_count, node);
    run->carry = first_into(run->net->carries, sizeof *run->net->carries, run->net->carry_count, node);
    return step(run, stop);
}

/* Of a planned net as it is. */
static void run_plain(struct run *run, uint32_t stop)
{
    for (uint32_t node = run->node; node < stop; node++) {
        run->start[node] = let_go_at(run, node);
        run->end[node] = time_sum(run->start[node], run->net->work[node]);
    }
    run->node = stop > run->node ? stop : run->node;
}

/* All nodes below `stop`. */
static void run_to(struct run *run, uint32_t stop)
{
    if (!run->net->start && !run->change)
        run_plain(run, stop);
    while (run->node < stop)
        step(run, false);
}

bool run_until(struct run *run, uint32_t stop)
{
    run_to(run, stop);
    return stop < run->net->count && step(run, true);
}

void run_end(struct run *run, int64_t end)
{
    run->end[run->node++] = end;
}

/* For the passes to come. */
static void keep_carried(const struct run *run)
{
    const struct net *net = run->net;
    for (uint32_t i = 0; run->let_go && i < net->carry_count; i++) {
        const struct edge *edge = &net->carries[i].edge;
        run->let_go[(size_t)run->pass * net->carry_count + i] =
            left_at(net, edge, run->start[edge->from], run->end[edge->from]);
    }
}

struct schedule run_close(const struct run *run)
{
    keep_carried(run);
    int64_t span = 0;
    for (uint32_t node = 0; node < run->net->count; node++) /* 0 of one that was not run */
        later(&span, run->end[node]);
    return (struct schedule){run->change, run->start, run->end, span};
}

/* What was not run is at 0. */
static void leave_rest(const struct run *run)
{
    for (uint32_t node = run->node; node < run->net->count; node++)
        run->start[node] = run->end[node] = 0;
}

struct schedule net_run_until(const struct net *net, const struct change *change, uint32_t until,
                              struct schedule earlier, struct arena *arena)
{
    struct run run = run_open(net, change, earlier, arena);
    run_to(&run, until < net->count ? until : net->count);
    leave_rest(&run);
    return run_close(&run);
}

struct schedule net_run(const struct net *net, const struct change *change, struct arena *arena)
{
    return net_run_until(net, change, net->count, (struct schedule){0}, arena);
}
