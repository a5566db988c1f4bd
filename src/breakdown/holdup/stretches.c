/* SPDX-License-Identifier: Apache-2.0 */
#include "stretches.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sum.h"

struct grouping {
    const struct lab *lab;
    const struct trace *trace;
    struct stretches *out;
    struct map places; /* key of a group to its index */
};

static int64_t key_of(enum cause cause, bool is_long, uint32_t name)
{
    return (int64_t)name << 8 | (is_long ? 128 : 0) | (int64_t)cause;
}

static uint32_t group_of(struct grouping *g, enum cause cause, bool is_long, uint32_t name)
{
    struct stretches *out = g->out;
    const int64_t key = key_of(cause, is_long, name);
    const uint32_t known = map_get(&g->places, key);
    if (known != MAP_NONE)
        return known;
    const uint32_t group = (uint32_t)out->group_count;
    map_put(&g->places, key, group);
    out->groups = mem_grow(out->groups, &out->group_room, out->group_count + 1, sizeof *out->groups);
    out->groups[out->group_count++] = (struct stretch_group){.cause = cause, .is_long = is_long, .name = name};
    return group;
}

/* Stretches that follow each other for one event are one run. */
static bool goes_on(const struct stretch_group *group, const struct stretch *last, const struct stretch *next)
{
    return group->times && group->cause < CAUSE_SYNC && next->row != ROW_NONE && last->row == next->row;
}

static void add(struct grouping *g, struct stretch stretch)
{
    struct stretches *out = g->out;
    struct stretch_group *group = &out->groups[stretch.group];
    out->at = mem_grow(out->at, &out->room, out->count + 1, sizeof *out->at);
    const uint32_t at = (uint32_t)out->count++;
    out->at[at] = stretch;
    if (!goes_on(group, &out->at[group->last], &stretch)) {
        group->times++;
        group->run_ns = 0;
        group->run = at;
    }
    group->last = at;
    sum_to(&group->run_ns, stretch.ns + stretch.waited_ns);
    sum_to(&group->time_ns, stretch.ns + stretch.waited_ns);
    if (group->run_ns > group->longest_ns) {
        group->longest_ns = group->run_ns;
        group->longest = group->run;
    }
}

/* The innermost of a nest that was open for half of the node at least; ROW_NONE. */
static uint32_t open_over(const struct grouping *g, uint32_t node, enum nest nest)
{
    const struct graph *graph = g->lab->graph;
    const int64_t start = graph->net.start[node], end = graph_end_ns(graph, node), middle = start + (end - start) / 2;
    uint32_t row = trace_open_at(g->trace, graph_lane(graph, node), nest, middle);
    for (; row != ROW_NONE; row = g->trace->parent[row]) {
        const int64_t from = g->trace->start_ns[row] > start ? g->trace->start_ns[row] : start;
        const int64_t until = trace_end_ns(g->trace, row) < end ? trace_end_ns(g->trace, row) : end;
        if (2 * (until - from) >= end - start)
            return row;
    }
    return ROW_NONE;
}

/* The event of a node of the host: its call; or the innermost frame, or range but that of the step, around it. */
static uint32_t row_of(const struct grouping *g, uint32_t node)
{
    const struct graph *graph = g->lab->graph;
    if (graph->net.kind[node] == NODE_CALL)
        return graph->row[node];
    const uint32_t frame = open_over(g, node, NEST_PYTHON);
    const uint32_t range = frame == ROW_NONE ? open_over(g, node, NEST_ANNOTATION) : frame;
    return range != ROW_NONE && str_starts(trace_name(g->trace, range), S("ProfilerStep")) ? ROW_NONE : range;
}

/* What a node waited for device work after the node before it. */
struct waited {
    bool waits;
    int64_t ns;
};

static void add_rest(struct grouping *g, uint32_t node, int64_t ns, struct waited waited)
{
    const enum cause cause = (enum cause)(g->lab->charges.of[node] - CHARGE_HOST);
    const bool is_long = ns >= LONG_STRETCH_NS && cause != CAUSE_PAUSE;
    const uint32_t row = ns >= LONG_STRETCH_NS ? row_of(g, node) : g->lab->graph->row[node];
    const uint32_t name = is_long && row != ROW_NONE ? g->trace->name[row] : 0;
    add(g, (struct stretch){node, row, group_of(g, cause, is_long, name), waited.waits, ns, waited.ns});
}

/* `edge` is the first into the node or a later one. */
static struct waited waited_for(const struct net *net, uint32_t node, uint32_t *edge)
{
    struct waited waited = {0};
    while (*edge < net->edge_count && net->edges[*edge].to < node)
        ++*edge;
    for (; *edge < net->edge_count && net->edges[*edge].to == node; ++*edge)
        waited.waits |= net->edges[*edge].kind == EDGE_WAIT;
    const uint32_t before = net->before[node];
    if (waited.waits && before != NODE_NONE && net->start[node] > net_end(net, before))
        waited.ns = net->start[node] - net_end(net, before);
    return waited;
}

/* The slices of a node, each a stretch; the first has its waiting. False: there is none. */
static bool add_slices(struct grouping *g, const struct charge_slice *slice, uint32_t count, struct waited waited)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group = group_of(g, (enum cause)(slice[i].charge - CHARGE_HOST), false, 0);
        add(g, (struct stretch){slice[i].node, slice[i].row, group, waited.waits, slice[i].ns, waited.ns});
        waited = (struct waited){0};
    }
    return count > 0;
}

struct stretches stretches_of(const struct lab *lab)
{
    struct stretches out = {0};
    struct grouping g = {.lab = lab, .trace = lab->graph->trace, .out = &out};
    const struct net *net = &lab->graph->net;
    const struct charge_slice *slice = lab->charges.slices, *end = slice + lab->charges.slice_count;
    uint32_t edge = 0;
    for (uint32_t node = 0; node < lab->steps.until; node++) {
        const struct charge_slice *first = slice;
        int64_t rest = net->work[node];
        for (; slice < end && slice->node == node; slice++)
            rest -= slice->ns;
        if (net->kind[node] == NODE_DEVICE || net->start[node] < lab->steps.from_ns)
            continue;
        const struct waited waited = waited_for(net, node, &edge);
        const bool told = add_slices(&g, first, (uint32_t)(slice - first), waited);
        if (rest > 0 || (waited.waits && !told))
            add_rest(&g, node, rest, told ? (struct waited){0} : waited);
    }
    map_free(&g.places);
    return out;
}

void stretches_free(struct stretches *stretches)
{
    mem_free(stretches->at);
    mem_free(stretches->groups);
}
