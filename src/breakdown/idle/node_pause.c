/* SPDX-License-Identifier: Apache-2.0 */
#include "node_pause.h"

#include "base/sort.h"
#include "node_event.h"

enum {
    PAUSE_NS = 1000 * 1000, /* from here on a stretch of Python may be one */
    PAUSE_SPREAD = 1000,    /* lengths that differ by less than this part of them are the same */
    PAUSES_LEAST = 3,
    PAUSE_ABOUT = 10, /* and by less than this part where they stand in the same range */
};

static bool stands_over(const struct cause_track *track, int64_t start_ns, int64_t end_ns)
{
    const uint32_t first = cause_track_find(track, start_ns);
    return first < track->count && track->at[first].start_ns < end_ns;
}

/* With a frame around it, or a cause over it, it is known what ran. */
static bool is_long_python(const struct graph *graph, const uint8_t *causes, const struct cause_track *tracks,
                           uint32_t node)
{
    const uint32_t lane = graph->main_lane;
    return graph->net.work[node] >= PAUSE_NS && graph->net.kind[node] != NODE_DEVICE &&
           graph_lane(graph, node) == lane && causes[node] == CAUSE_PYTHON &&
           trace_open_at(graph->trace, lane, NEST_PYTHON, graph->net.start[node]) == ROW_NONE &&
           !stands_over(&tracks[lane], graph->net.start[node], graph_end_ns(graph, node));
}

/* The range that the node stands in, by its name; 0: in none. */
static uint32_t place_of(const struct graph *graph, uint32_t node)
{
    const uint32_t row = node_event(graph, node);
    return row == ROW_NONE ? 0 : graph->trace->name[row];
}

/* Whoever sleeps beside other work wakes late now and then: in the same range, and of about the same length, it is one of them. */
static void mark_beside(const struct graph *graph, const struct keyed *all, size_t count, struct keyed of,
                        uint8_t *causes)
{
    const uint32_t place = place_of(graph, of.row);
    for (size_t i = 0; i < count && place; i++)
        if (all[i].key >= of.key - of.key / PAUSE_ABOUT && all[i].key <= of.key + of.key / PAUSE_ABOUT &&
            place_of(graph, all[i].row) == place)
            causes[all[i].row] = CAUSE_PAUSE;
}

/*
 * No work takes the same time to a thousandth again and again: about once a step or more, and nothing known inside. What
 * does is a sleep, or something that wakes with a clock.
 */
static void mark_alike(const struct graph *graph, const struct keyed *all, size_t count, uint8_t *causes)
{
    const uint32_t steps = graph->trace->step_source == STEPS_NONE ? 0 : graph->steps.count;
    for (size_t first = 0, end = 0; steps && first < count;) {
        while (end < count && all[end].key - all[first].key <= all[first].key / PAUSE_SPREAD)
            end++;
        if (end - first < PAUSES_LEAST || end - first + 1 < steps) {
            first++;
            continue;
        }
        for (size_t i = first; i < end; i++)
            causes[all[i].row] = CAUSE_PAUSE;
        mark_beside(graph, all, count, all[first], causes);
        first = end;
    }
}

void node_pauses_find(const struct graph *graph, const struct cause_track *tracks, uint8_t *causes)
{
    struct arena scratch = {0};
    const struct net *net = &graph->net;
    struct keyed *all = arena_room(&scratch, net->count, sizeof *all);
    size_t count = 0;
    for (uint32_t node = 0; node < net->count; node++)
        if (is_long_python(graph, causes, tracks, node))
            all[count++] = (struct keyed){net->work[node], node};
    sort_keyed(all, count);
    mark_alike(graph, all, count, causes);
    arena_free(&scratch);
}
