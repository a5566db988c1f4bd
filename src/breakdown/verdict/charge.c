/* SPDX-License-Identifier: Apache-2.0 */
#include "charge.h"

#include "base/mem.h"

static const struct {
    const char *id, *title;
} words[RESOURCES] = {
    [RESOURCE_DEVICE] = {"device", "device"},
    [RESOURCE_HOST] = {"host", "host"},
    [RESOURCE_OPERATORS] = {"operators", "operators"},
    [RESOURCE_FORWARD] = {"forward", "forward operators"},
    [RESOURCE_BACKWARD] = {"backward", "backward operators"},
    [RESOURCE_OPTIMIZER] = {"optimizer", "operators of the optimizer"},
    [RESOURCE_BESIDE] = {"beside", "Python and what else is in no operator"},
    [RESOURCE_COMMUNICATION] = {"communication", "communication"},
    [RESOURCE_DATA] = {"data", "data loading"},
    [RESOURCE_COPIES] = {"copies", "copies"},
    [RESOURCE_STALLS] = {"stalls", "stalls"},
    [RESOURCE_START] = {"start_up", "start-up"},
    [RESOURCE_LATENESS] = {"lateness", "a late rank"},
    [RESOURCE_NONE] = {"none", "recorder"},
};

const char *resource_id(enum resource resource)
{
    return words[resource].id;
}

const char *resource_title(enum resource resource)
{
    return words[resource].title;
}

enum resource resource_of(enum charge charge)
{
    switch ((int)charge) {
    case CHARGE_COMPUTE:
        return RESOURCE_DEVICE;
    case CHARGE_COMMUNICATION:
    case CHARGE_HOST + CAUSE_COLLECTIVE:
        return RESOURCE_COMMUNICATION;
    case CHARGE_COPY:
        return RESOURCE_COPIES;
    case CHARGE_HOST + CAUSE_LOADING:
    case CHARGE_HOST + CAUSE_LOADER_WAIT:
        return RESOURCE_DATA;
    case CHARGE_HOST + CAUSE_SLEEP:
    case CHARGE_HOST + CAUSE_WAITING:
    case CHARGE_HOST + CAUSE_PAUSE:
    case CHARGE_HOST + CAUSE_CHECKPOINT:
    case CHARGE_HOST + CAUSE_LOGGING:
        return RESOURCE_STALLS;
    case CHARGE_HOST + CAUSE_START:
    case CHARGE_HOST + CAUSE_MODULES:
    case CHARGE_HOST + CAUSE_SEARCH:
    case CHARGE_HOST + CAUSE_CAPTURE:
        return RESOURCE_START;
    case CHARGE_HOST + CAUSE_RECORDER:
        return RESOURCE_NONE;
    default:
        return RESOURCE_HOST;
    }
}

/* ---- a node as a whole ---- */

static enum charge of_work(const struct work_classes *classes, uint32_t row)
{
    switch (work_class(classes, row)) {
    case WORK_COMMUNICATION:
        return CHARGE_COMMUNICATION;
    case WORK_COPY:
        return work_copy_direction(classes, row) == COPY_D2D ? CHARGE_COMPUTE : CHARGE_COPY;
    default:
        return CHARGE_COMPUTE;
    }
}

struct charging {
    const struct graph *graph;
    const struct cause_track *tracks; /* by lane */
    uint32_t *next;                   /* by lane: the first stretch that may reach the nodes to come */
    struct charge_slice *slices;
    size_t count, room;
};

/* ---- stretches that something stands over ---- */

static void add_slice(struct charging *c, struct charge_slice slice)
{
    c->slices = mem_grow(c->slices, &c->room, c->count + 1, sizeof *c->slices);
    c->slices[c->count++] = slice;
}

static int64_t overlap_ns(const struct cause_stretch *stretch, int64_t start_ns, int64_t end_ns)
{
    const int64_t from = stretch->start_ns > start_ns ? stretch->start_ns : start_ns;
    const int64_t to = stretch->end_ns < end_ns ? stretch->end_ns : end_ns;
    return to > from ? to - from : 0;
}

/* Nodes of a lane follow each other, so its stretches are passed once. */
static void slice(struct charging *c, uint32_t node)
{
    const uint32_t lane = graph_lane(c->graph, node);
    const struct cause_track *track = &c->tracks[lane];
    const int64_t start = c->graph->net.start[node], end = graph_end_ns(c->graph, node);
    uint32_t *next = &c->next[lane];
    while (*next < track->count && track->at[*next].end_ns <= start)
        ++*next;
    for (uint32_t i = *next; i < track->count && track->at[i].start_ns < end; i++) {
        const int64_t ns = overlap_ns(&track->at[i], start, end);
        if (ns)
            add_slice(c,
                      (struct charge_slice){node, track->at[i].row, (uint8_t)(CHARGE_HOST + track->at[i].cause), ns});
    }
}

/* ---- what comes again ---- */

enum { AGAIN_LEAST = 3 }; /* steps from which it is a habit */

/* Slices are in order of their starts, and so by step. */
static void find_again(const struct charging *c, bool again[CAUSES])
{
    const struct trace *trace = c->graph->trace;
    const struct step_range range = c->graph->steps;
    uint32_t steps[CAUSES] = {0}, last[CAUSES], step = range.first;
    memset(last, 0xFF, sizeof last);
    for (size_t i = 0; i < c->count && range.count; i++) {
        const int64_t start = c->graph->net.start[c->slices[i].node];
        const int cause = c->slices[i].charge - CHARGE_HOST;
        while (step + 1 < range.first + range.count && trace->steps[step + 1].start_ns <= start)
            step++;
        steps[cause] += last[cause] != step;
        last[cause] = step;
    }
    for (int cause = 0; cause < CAUSES; cause++)
        again[cause] = steps[cause] >= AGAIN_LEAST && 2 * steps[cause] > range.count;
}

enum resource charged_to(const struct charges *charges, enum charge charge)
{
    const enum resource resource = resource_of(charge);
    return resource == RESOURCE_START && charges->again[charge - CHARGE_HOST] ? RESOURCE_HOST : resource;
}

/* ---- all ---- */

static struct charges finish(struct charging *c, const uint8_t *of, struct arena *arena)
{
    struct charge_slice *slices = arena_array(arena, c->count, sizeof *slices);
    if (c->count)
        memcpy(slices, c->slices, c->count * sizeof *slices);
    struct charges charges = {.of = of, .slices = slices, .slice_count = (uint32_t)c->count};
    find_again(c, charges.again);
    mem_free(c->slices);
    return charges;
}

struct charges charges_of(const struct graph *graph, const struct work_classes *classes,
                          const struct cause_track *tracks, struct arena *arena)
{
    struct charging c = {
        .graph = graph,
        .tracks = tracks,
        .next = arena_array(arena, graph->trace->lane_count, sizeof *c.next),
    };
    const struct node_causes causes = node_causes_of(graph, classes, tracks, arena);
    uint8_t *of = arena_room(arena, graph->net.count, sizeof *of);
    for (uint32_t node = 0; node < graph->net.count; node++)
        if (graph->net.kind[node] == NODE_DEVICE) {
            of[node] = (uint8_t)of_work(classes, graph->row[node]);
        } else {
            of[node] = (uint8_t)(CHARGE_HOST + node_cause(&causes, node));
            slice(&c, node);
        }
    struct charges charges = finish(&c, of, arena);
    charges.causes = causes;
    return charges;
}

const int64_t *charges_not_of_host(const struct graph *graph, const struct charges *charges, struct arena *arena)
{
    int64_t *ns = arena_array(arena, graph->net.count, sizeof *ns);
    bool any = false;
    for (uint32_t node = 0, slice = 0; node < graph->net.count; node++) {
        int64_t own = graph->net.work[node];
        for (; slice < charges->slice_count && charges->slices[slice].node == node; slice++) {
            own -= charges->slices[slice].ns;
            if (charged_to(charges, (enum charge)charges->slices[slice].charge) != RESOURCE_HOST)
                ns[node] += charges->slices[slice].ns;
        }
        if (graph->net.kind[node] != NODE_DEVICE &&
            charged_to(charges, (enum charge)charges->of[node]) != RESOURCE_HOST)
            ns[node] += own;
        any |= ns[node] > 0;
    }
    return any ? ns : NULL;
}
