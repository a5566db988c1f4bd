/* SPDX-License-Identifier: Apache-2.0 */
#include "stretches.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/sum.h"
#include "breakdown/idle/node_event.h"

struct grouping {
    const struct lab *lab;
    const struct trace *trace;
    struct stretches *out;
    struct map places;           /* key of a group to its index */
    uint32_t short_ones[CAUSES]; /* the same of those without a name, which nearly all are; MAP_NONE */
    uint32_t step;               /* of the newest stretch */
};

static uint32_t new_group(struct stretches *out, enum cause cause, bool is_long, uint32_t name)
{
    out->groups = mem_grow(out->groups, &out->group_room, out->group_count + 1, sizeof *out->groups);
    out->groups[out->group_count] = (struct stretch_group){.cause = cause, .is_long = is_long, .name = name};
    return (uint32_t)out->group_count++;
}

static uint32_t short_group(struct grouping *g, enum cause cause)
{
    uint32_t *known = &g->short_ones[cause];
    if (*known == MAP_NONE)
        *known = new_group(g->out, cause, false, 0);
    return *known;
}

static uint32_t long_group(struct grouping *g, enum cause cause, uint32_t name)
{
    const int64_t key = (int64_t)name << 8 | (int64_t)cause;
    const uint32_t known = map_get(&g->places, key);
    if (known != MAP_NONE)
        return known;
    const uint32_t group = new_group(g->out, cause, true, name);
    map_put(&g->places, key, group);
    return group;
}

/* What a node waited for device work after the node before it. */
struct waited {
    bool waits;
    int64_t ns;
};

struct stretch {
    struct place place;
    int64_t ns; /* of its own */
    struct waited waited;
};

static void lose(struct stretches *out, uint32_t group, uint32_t node, const struct stretch *stretch)
{
    struct loss *last = out->count ? &out->losses[out->groups[group].loss] : NULL;
    if (last && last->node == node && last->group == group) {
        last->ns += stretch->ns;
        last->waits |= stretch->waited.waits;
        return;
    }
    out->losses = mem_grow(out->losses, &out->room, out->count + 1, sizeof *out->losses);
    out->groups[group].loss = out->count;
    out->losses[out->count++] = (struct loss){node, group, stretch->waited.waits, stretch->ns};
}

/* Nodes are numbered by start, so steps come in order; one that began before the first step counts to it. */
static uint32_t step_of(struct grouping *g, uint32_t node)
{
    const struct step_range range = g->lab->selected.range;
    const int64_t start = g->lab->graph->net.start[node];
    while (g->step + 1 < range.first + range.count && g->trace->steps[g->step + 1].start_ns <= start)
        g->step++;
    return g->step;
}

static void see(struct seen *seen, uint32_t step)
{
    if (seen->count && step == seen->last)
        return;
    const uint32_t apart = seen->count ? step - seen->last : 0;
    if (!seen->count)
        seen->first = step;
    else if (seen->count == 1)
        seen->apart = apart;
    else
        seen->uneven |= apart != seen->apart;
    seen->last = step;
    seen->count++;
}

/* Stretches that follow each other for one event are one run. */
static bool goes_on(const struct stretch_group *group, uint32_t row)
{
    return group->times && (group->cause < CAUSE_SYNC || group->cause == CAUSE_NO_LAUNCH) && row != ROW_NONE &&
           group->last == row;
}

/* What a request for memory waits for is the time of the device work that ends with it. */
static int64_t time_of(const struct stretch_group *group, const struct stretch *stretch)
{
    const bool memory = group->cause >= CAUSE_ALLOCATION && group->cause <= CAUSE_MAPPING;
    return stretch->ns + (memory ? 0 : stretch->waited.ns);
}

static void add(struct grouping *g, uint32_t at, const struct stretch *stretch)
{
    struct stretch_group *group = &g->out->groups[at];
    const int64_t ns = time_of(group, stretch);
    if (!goes_on(group, stretch->place.row)) {
        group->times++;
        group->run_ns = 0;
        group->run = stretch->place;
    }
    group->last = stretch->place.row;
    sum_to(&group->run_ns, ns);
    sum_to(&group->time_ns, ns);
    if (group->run_ns > group->longest_ns) {
        group->longest_ns = group->run_ns;
        group->longest = group->run;
    }
    see(&group->seen, step_of(g, stretch->place.node));
    lose(g->out, at, g->lab->joined.of[stretch->place.node], stretch);
}

/* Long ones that no event stands for are told apart by their order of magnitude: a second is none of many of 2 ms. */
uint32_t magnitude(int64_t ns)
{
    uint32_t tens = 0;
    for (; ns >= 10; ns /= 10)
        tens++;
    return tens;
}

/* A run of operators that launch nothing is told by the event around it. */
static void add_quiet(struct grouping *g, uint32_t node, int64_t ns)
{
    const uint32_t row = node_quiet_over(&g->lab->charges.causes, node);
    const uint32_t name = row == ROW_NONE ? 0 : g->trace->name[row];
    add(g, long_group(g, CAUSE_NO_LAUNCH, name), &(struct stretch){{node, row}, ns, {0}});
}

static void add_kernel(struct grouping *g, uint32_t node)
{
    const uint32_t row = g->lab->graph->row[node], group = long_group(g, CAUSE_DEVICE, g->trace->name[row]);
    g->out->groups[group].is_long = false;
    add(g, group, &(struct stretch){{node, row}, g->lab->graph->net.work[node], {0}});
}

static void add_rest(struct grouping *g, uint32_t node, int64_t ns, struct waited waited)
{
    const enum cause cause = (enum cause)(g->lab->charges.of[node] - CHARGE_HOST);
    if (cause == CAUSE_NO_LAUNCH) {
        add_quiet(g, node, ns);
        return;
    }
    const uint32_t row = ns >= LONG_STRETCH_NS ? node_event(g->lab->graph, node) : g->lab->graph->row[node];
    uint32_t group;
    if (ns >= LONG_STRETCH_NS && cause >= CAUSE_SYNC && cause != CAUSE_PAUSE)
        group = long_group(g, cause, row != ROW_NONE ? g->trace->name[row] : UINT32_MAX - magnitude(ns));
    else
        group = short_group(g, cause);
    add(g, group, &(struct stretch){{node, row}, ns, waited});
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
        const uint32_t group = short_group(g, (enum cause)(slice[i].charge - CHARGE_HOST));
        add(g, group, &(struct stretch){{slice[i].node, slice[i].row}, slice[i].ns, waited});
        waited = (struct waited){0};
    }
    return count > 0;
}

struct stretches stretches_of(const struct lab *lab, bool with_kernels)
{
    struct stretches out = {0};
    struct grouping g = {.lab = lab, .trace = lab->graph->trace, .out = &out, .step = lab->selected.range.first};
    memset(g.short_ones, 0xFF, sizeof g.short_ones); /* MAP_NONE */
    const struct net *net = &lab->graph->net;
    const struct charge_slice *slice = lab->charges.slices, *end = slice + lab->charges.slice_count;
    uint32_t edge = 0;
    for (uint32_t node = 0; node < lab->selected.steps.until; node++) {
        const struct charge_slice *first = slice;
        int64_t rest = net->work[node];
        for (; slice < end && slice->node == node; slice++)
            rest -= slice->ns;
        if (net->start[node] < lab->selected.steps.from_ns)
            continue;
        if (net->kind[node] == NODE_DEVICE) {
            if (with_kernels && lab->charges.of[node] == CHARGE_COMPUTE)
                add_kernel(&g, node);
            continue;
        }
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
    mem_free(stretches->losses);
    mem_free(stretches->groups);
}
