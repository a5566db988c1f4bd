/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that each definition may be read by, through all meetings and changes that it comes to.
 *
 * Definitions that are seen through one another (in a loop all that its ifs bind) lead to the same names: they are
 * one group, and groups come up here after those that they lead to (Tarjan 1972, with a stack of its own). So each
 * gathers from lists that are done, at most FLOW_MOST_USES + 1 names: enough to tell that there are more. What a
 * definition leads to is then looked up, however many ways it meets; cost is the number of definitions and pairs.
 */
#include "flows.h"

#include "base/mem.h"
#include "base/search.h"

enum { KEPT = FLOW_MOST_USES + 1 };

struct walk {
    struct flow *flow;
    uint32_t *low;  /* per definition: the earliest on `open` that it is known to lead back to; by place in the walk */
    uint32_t *met;  /* per definition: place in the walk, from 1 on; 0: not yet */
    uint32_t *edge; /* per definition: the next of `nexts` to go along */
    uint32_t *path, path_count;
    uint32_t *open, open_count; /* met, and in no group yet */
    uint32_t met_count;
    size_t reached_room, group_room;
    uint32_t reached_count, group_count;
    uint32_t names[KEPT], name_count; /* of the group that closes, in order */
};

static void keep(struct walk *walk, uint32_t name)
{
    const size_t low = search_from(walk->names, walk->name_count, sizeof *walk->names, 0, name);
    if (walk->name_count == KEPT || (low < walk->name_count && walk->names[low] == name))
        return;
    memmove(walk->names + low + 1, walk->names + low, (walk->name_count - low) * sizeof *walk->names);
    walk->names[low] = name;
    walk->name_count++;
}

static void keep_own(struct walk *walk, uint32_t def)
{
    const struct flow *flow = walk->flow;
    for (uint32_t i = flow->first_use[def]; i < flow->first_use[def + 1] && walk->name_count < KEPT; i++)
        keep(walk, flow->uses[i]);
}

static void keep_reached(struct walk *walk, uint32_t def)
{
    const struct flow *flow = walk->flow;
    for (uint32_t e = flow->first_next[def]; e < flow->first_next[def + 1] && walk->name_count < KEPT; e++) {
        const uint32_t group = flow->group[flow->nexts[e]];
        for (uint32_t i = 0; group != walk->group_count && i < flow->groups[group].count; i++)
            keep(walk, flow->reached[flow->groups[group].first + i]);
    }
}

/* All that was opened since this definition is one group. */
static void close_group(struct walk *walk, uint32_t def)
{
    struct flow *flow = walk->flow;
    const uint32_t end = walk->open_count;
    do
        flow->group[walk->open[--walk->open_count]] = walk->group_count;
    while (walk->open[walk->open_count] != def);
    walk->name_count = 0;
    for (uint32_t i = walk->open_count; i < end; i++)
        keep_own(walk, walk->open[i]);
    for (uint32_t i = walk->open_count; i < end; i++)
        keep_reached(walk, walk->open[i]);
    flow->groups = mem_grow(flow->groups, &walk->group_room, walk->group_count + 1, sizeof *flow->groups);
    flow->groups[walk->group_count++] = (struct reached){walk->reached_count, walk->name_count};
    flow->reached =
        mem_grow(flow->reached, &walk->reached_room, walk->reached_count + walk->name_count, sizeof *flow->reached);
    for (uint32_t i = 0; i < walk->name_count; i++)
        flow->reached[walk->reached_count++] = walk->names[i];
}

static void enter(struct walk *walk, uint32_t def)
{
    walk->met[def] = walk->low[def] = ++walk->met_count;
    walk->edge[def] = walk->flow->first_next[def];
    walk->path[walk->path_count++] = def;
    walk->open[walk->open_count++] = def;
}

static void lower(struct walk *walk, uint32_t def, uint32_t to)
{
    if (to < walk->low[def])
        walk->low[def] = to;
}

static void step(struct walk *walk)
{
    const struct flow *flow = walk->flow;
    const uint32_t def = walk->path[walk->path_count - 1];
    if (walk->edge[def] < flow->first_next[def + 1]) {
        const uint32_t next = flow->nexts[walk->edge[def]++];
        if (!walk->met[next])
            enter(walk, next);
        else if (flow->group[next] == NONE)
            lower(walk, def, walk->met[next]);
        return;
    }
    walk->path_count--;
    if (walk->path_count)
        lower(walk, walk->path[walk->path_count - 1], walk->low[def]);
    if (walk->low[def] == walk->met[def])
        close_group(walk, def);
}

void flow_reach(struct flow *flow)
{
    const size_t room = flow->def_count + (size_t)1;
    uint32_t *const places = mem_zeroed(5 * room * sizeof *places);
    struct walk walk = {.flow = flow,
                        .low = places,
                        .met = places + room,
                        .edge = places + 2 * room,
                        .path = places + 3 * room,
                        .open = places + 4 * room};
    flow->group = mem_alloc(room * sizeof *flow->group);
    memset(flow->group, 0xff, room * sizeof *flow->group);
    for (uint32_t def = 0; def < flow->def_count; def++) {
        if (!walk.met[def])
            enter(&walk, def);
        while (walk.path_count)
            step(&walk);
    }
    mem_free(places);
}
