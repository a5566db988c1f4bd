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
    sum_to(&group->run_ns, stretch.ns);
    sum_to(&group->time_ns, stretch.ns);
    if (group->run_ns > group->longest_ns) {
        group->longest_ns = group->run_ns;
        group->longest = group->run;
    }
}

/* The innermost of a nest that was open all through the node; ROW_NONE. */
static uint32_t open_through(const struct grouping *g, uint32_t node, enum nest nest)
{
    const struct graph *graph = g->lab->graph;
    uint32_t row = trace_open_at(g->trace, graph_lane(graph, node), nest, graph->net.start[node]);
    while (row != ROW_NONE && trace_end_ns(g->trace, row) < graph_end_ns(graph, node))
        row = g->trace->parent[row];
    return row;
}

/* The event of a node of the host: its call; or the innermost frame, or range but that of the step, around it. */
static uint32_t row_of(const struct grouping *g, uint32_t node)
{
    const struct graph *graph = g->lab->graph;
    if (graph->net.kind[node] == NODE_CALL)
        return graph->row[node];
    const uint32_t frame = open_through(g, node, NEST_PYTHON);
    const uint32_t range = frame == ROW_NONE ? open_through(g, node, NEST_ANNOTATION) : frame;
    return range != ROW_NONE && str_starts(trace_name(g->trace, range), S("ProfilerStep")) ? ROW_NONE : range;
}

static void add_rest(struct grouping *g, uint32_t node, int64_t ns)
{
    const enum cause cause = (enum cause)(g->lab->charges.of[node] - CHARGE_HOST);
    const bool is_long = ns >= LONG_STRETCH_NS;
    const uint32_t row = is_long ? row_of(g, node) : g->lab->graph->row[node];
    const uint32_t name = is_long && row != ROW_NONE ? g->trace->name[row] : 0;
    add(g, (struct stretch){node, row, group_of(g, cause, is_long, name), ns});
}

struct stretches stretches_of(const struct lab *lab)
{
    struct stretches out = {0};
    struct grouping g = {.lab = lab, .trace = lab->graph->trace, .out = &out};
    const struct net *net = &lab->graph->net;
    const struct charge_slice *slice = lab->charges.slices, *end = slice + lab->charges.slice_count;
    for (uint32_t node = 0; node < lab->steps.until; node++) {
        const bool inside = net->kind[node] != NODE_DEVICE && net->start[node] >= lab->steps.from_ns;
        int64_t rest = net->work[node];
        for (; slice < end && slice->node == node; slice++) {
            rest -= slice->ns;
            if (inside)
                add(&g, (struct stretch){node, slice->row,
                                         group_of(&g, (enum cause)(slice->charge - CHARGE_HOST), false, 0), slice->ns});
        }
        if (inside && rest > 0)
            add_rest(&g, node, rest);
    }
    map_free(&g.places);
    return out;
}

void stretches_free(struct stretches *stretches)
{
    mem_free(stretches->at);
    mem_free(stretches->groups);
}
