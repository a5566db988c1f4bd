/* SPDX-License-Identifier: Apache-2.0 */
#include "resource.h"

#include "base/mem.h"
#include "breakdown/idle/host_marks.h"

static const struct {
    const char *id, *title;
} words[RESOURCES] = {
    [RESOURCE_DEVICE] = {"device", "device"},
    [RESOURCE_HOST] = {"host", "host"},
    [RESOURCE_COMMUNICATION] = {"communication", "communication"},
    [RESOURCE_DATA] = {"data", "data loading"},
    [RESOURCE_COPIES] = {"copies", "copies"},
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

/* ---- a node as a whole ---- */

static enum resource of_work(const struct work_classes *classes, uint32_t row)
{
    switch (work_class(classes, row)) {
    case WORK_COMMUNICATION:
        return RESOURCE_COMMUNICATION;
    case WORK_COPY:
        return work_copy_direction(classes, row) == COPY_D2D ? RESOURCE_DEVICE : RESOURCE_COPIES;
    default:
        return RESOURCE_DEVICE;
    }
}

/* ---- stretches of the host that are something else ---- */

static enum resource of_mark(enum host_state state)
{
    switch (state) {
    case HOST_LOADING:
        return RESOURCE_DATA;
    case HOST_COMMUNICATING:
        return RESOURCE_COMMUNICATION;
    case HOST_PROFILING:
        return RESOURCE_NONE;
    default:
        return RESOURCE_HOST;
    }
}

struct slicing {
    const struct graph *graph;
    const struct host_marks *marks; /* by lane */
    uint32_t *next;                 /* by lane: the first mark that may reach the nodes to come */
    struct resource_slice *slices;
    size_t count, room;
};

static void add_slice(struct slicing *s, struct resource_slice slice)
{
    s->slices = mem_grow(s->slices, &s->room, s->count + 1, sizeof *s->slices);
    s->slices[s->count++] = slice;
}

static int64_t overlap_ns(const struct host_mark *mark, int64_t start_ns, int64_t end_ns)
{
    const int64_t from = mark->start_ns > start_ns ? mark->start_ns : start_ns;
    const int64_t to = mark->end_ns < end_ns ? mark->end_ns : end_ns;
    return to > from ? to - from : 0;
}

/* Nodes of a lane follow each other, so the marks of a lane are passed once. */
static void slice(struct slicing *s, uint32_t node)
{
    const uint32_t lane = graph_lane(s->graph, node);
    const struct host_marks *marks = &s->marks[lane];
    const int64_t start = s->graph->net.start[node], end = graph_end_ns(s->graph, node);
    uint32_t *next = &s->next[lane];
    while (*next < marks->count && marks->at[*next].end_ns <= start)
        ++*next;
    for (uint32_t i = *next; i < marks->count && marks->at[i].start_ns < end; i++) {
        const enum resource resource = of_mark(marks->at[i].state);
        const int64_t ns = resource == RESOURCE_HOST ? 0 : overlap_ns(&marks->at[i], start, end);
        if (ns)
            add_slice(s, (struct resource_slice){node, (uint8_t)resource, ns});
    }
}

struct resources resources_of(const struct graph *graph, const struct work_classes *classes, struct arena *arena)
{
    struct slicing slicing = {
        .graph = graph,
        .marks = host_marks_of(graph->trace, classes, arena),
        .next = arena_array(arena, graph->trace->lane_count, sizeof *slicing.next),
    };
    uint8_t *of = arena_array(arena, graph->net.count, sizeof *of);
    for (uint32_t node = 0; node < graph->net.count; node++)
        if (graph->net.kind[node] == NODE_DEVICE) {
            of[node] = (uint8_t)of_work(classes, graph->row[node]);
        } else {
            of[node] = RESOURCE_HOST;
            slice(&slicing, node);
        }
    struct resource_slice *slices = arena_array(arena, slicing.count, sizeof *slices);
    if (slicing.count)
        memcpy(slices, slicing.slices, slicing.count * sizeof *slices);
    mem_free(slicing.slices);
    return (struct resources){of, slices, (uint32_t)slicing.count};
}
