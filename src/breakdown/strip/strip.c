/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the nodes of the graph, latest first. A way that comes to a node
 * is an arrival there; ways that meet at a node go on as one from its start.
 */
#include "strip.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/sort.h"
#include "breakdown/idle/node_phase.h"
#include "graph/meets.h"
#include "strip_parts.h"

enum { LONG_NS = 1000 * 1000 }; /* pieces of this length have names */

/* A stretch that comes to a node, from above. */
struct arrival {
    uint32_t stretch, next;
};

enum { ARRIVAL_NONE = UINT32_MAX };

struct maker {
    const struct graph *graph;
    const struct trace *trace;
    const struct rank_numbers *numbers;
    struct collective_rows collectives;
    const uint8_t *phases;
    struct path_judge *judge;
    struct path_back back;
    struct strip_parts parts;
    struct strip *out;

    uint32_t *coming; /* by node: list of its arrivals */
    struct arrival *arrivals;
    size_t arrival_count, arrival_room;
    const struct keyed *points,
        *works; /* by node, ascending: ways that begin at its start; collectives that it is the work of */
    size_t points_left, works_left;
    const struct keyed *holds; /* by node, and then by end: collectives for which the thread of the node waits in it */
    size_t holds_left;

    struct map names; /* text id to its place among names */
    size_t name_room;

    /* the current part */
    uint32_t stretch;
    uint8_t phase;
};

/* ---- kinds ---- */

static uint32_t named(struct maker *m, uint32_t text)
{
    const uint32_t known = map_get(&m->names, text);
    if (known != MAP_NONE)
        return known;
    m->out->names = mem_grow(m->out->names, &m->name_room, m->out->name_count + 1, sizeof *m->out->names);
    m->out->names[m->out->name_count] = trace_text(m->trace, text);
    map_put(&m->names, text, m->out->name_count);
    return m->out->name_count++;
}

/* The innermost range around the middle of a piece, but for that of the step. */
static uint32_t range_around(const struct maker *m, const struct path_piece *piece)
{
    const int64_t middle = piece->start_ns + (piece->end_ns - piece->start_ns) / 2;
    uint32_t row = trace_open_at(m->trace, piece->lane, NEST_ANNOTATION, middle);
    while (row != ROW_NONE && str_starts(trace_name(m->trace, row), S("ProfilerStep")))
        row = m->trace->parent[row];
    return row;
}

/* What is told of a long piece of the host: its event, or the range that it is in. */
static uint32_t name_of(struct maker *m, const struct path_piece *piece)
{
    if (piece->end_ns - piece->start_ns < LONG_NS || piece->class == PATH_UNKNOWN ||
        m->trace->lanes[piece->lane].device)
        return 0;
    const uint32_t row = piece->row == ROW_NONE ? range_around(m, piece) : piece->row;
    return row == ROW_NONE ? 0 : named(m, m->trace->name[row]);
}

static uint8_t phase_of_node(const struct maker *m, uint32_t node)
{
    const uint32_t row = m->graph->row[node];
    return m->graph->net.kind[node] == NODE_DEVICE ? m->phases[row] : (uint8_t)node_phase(m->graph, m->phases, node);
}

/* ---- growing at the front ---- */

static void take_piece(void *context, const struct path_piece *piece)
{
    struct maker *m = context;
    const struct strip_kind kind = {
        .name = name_of(m, piece),
        .class = piece->class,
        .cause = piece->cause,
        .phase = piece->class == PATH_LOADING ? PHASE_NONE : m->phase /* of the model */
    };
    m->stretch = strip_extend(&m->parts, m->stretch, piece->start_ns, &kind);
}

/* Down to a time, or the rank's beginning. Returns the stretch that goes on. */
static uint32_t take_part(struct maker *m, uint32_t stretch, int64_t start_ns, uint32_t node, bool waiting,
                          uint32_t via)
{
    const int64_t from = larger_of(start_ns, m->out->first_ns), until = m->parts.at[stretch].start_ns;
    if (from >= until)
        return stretch;
    m->stretch = stretch;
    m->phase = phase_of_node(m, node);
    path_judge(m->judge, &(struct path_part){from, until, node, waiting, via}, take_piece, m);
    return m->stretch;
}

/* Time that nothing is known of. */
static uint32_t take_unknown(struct maker *m, uint32_t stretch, int64_t start_ns)
{
    const struct strip_kind kind = {.class = PATH_UNKNOWN, .phase = PHASE_NONE};
    return start_ns < m->parts.at[stretch].start_ns ? strip_extend(&m->parts, stretch, start_ns, &kind) : stretch;
}

/* ---- from node to node ---- */

static void arrive(struct maker *m, uint32_t node, uint32_t stretch)
{
    m->arrivals = mem_grow(m->arrivals, &m->arrival_room, m->arrival_count + 1, sizeof *m->arrivals);
    m->arrivals[m->arrival_count] = (struct arrival){stretch, m->coming[node]};
    m->coming[node] = (uint32_t)m->arrival_count++;
}

/* The way goes on from the start of a node. */
static void step_back(struct maker *m, uint32_t node, uint32_t stretch)
{
    uint32_t via;
    const uint32_t before = graph_before(m->graph, &m->back, node, &via);
    if (before == NODE_NONE)
        stretch = take_unknown(m, stretch, m->out->first_ns);
    else
        stretch = take_part(m, stretch, graph_end_ns(m->graph, before), node, true, via);
    if (m->parts.at[stretch].start_ns <= m->out->first_ns)
        strip_close(&m->parts, stretch, (struct strip_link){STRIP_START, 0});
    else
        arrive(m, before, stretch);
}

/* The collective that a node is the work of; UINT32_MAX. */
static uint32_t collective_at(struct maker *m, uint32_t node)
{
    while (m->works_left && (uint64_t)m->works[m->works_left - 1].key > node)
        m->works_left--;
    return m->works_left && m->works[m->works_left - 1].key == node ? m->works[m->works_left - 1].row : UINT32_MAX;
}

static void close_all(struct maker *m, uint32_t list, struct strip_link before)
{
    for (uint32_t i = list; i != ARRIVAL_NONE; i = m->arrivals[i].next)
        strip_close(&m->parts, m->arrivals[i].stretch, before);
}

/* The collective that held the thread up in the node last before the time; UINT32_MAX. */
static uint32_t held_by(struct maker *m, uint32_t node, int64_t time_ns)
{
    while (m->holds_left && (uint64_t)m->holds[m->holds_left - 1].key > node)
        m->holds_left--;
    for (size_t i = m->holds_left; i-- > 0 && m->holds[i].key == node;)
        if (graph_hold_end_ns(&m->collectives, m->holds[i].row) <= time_ns)
            return m->holds[i].row;
    return UINT32_MAX;
}

/* Back to where the thread was let go, if that lies in the node. */
static bool stop_at_hold(struct maker *m, uint32_t node, struct arrival *one)
{
    const uint32_t held = held_by(m, node, m->parts.at[one->stretch].start_ns);
    const int64_t end = held == UINT32_MAX ? INT64_MIN : graph_hold_end_ns(&m->collectives, held);
    if (end <= m->out->first_ns)
        return false;
    one->stretch = take_part(m, one->stretch, end, node, false, EDGE_KINDS_MOST);
    strip_close(&m->parts, one->stretch, (struct strip_link){STRIP_COLLECTIVE, held});
    return true;
}

/* Through the work of the node; those that reach the rank's beginning end. Returns the list of the others. */
static uint32_t cross_node(struct maker *m, uint32_t node, uint32_t list)
{
    uint32_t left = ARRIVAL_NONE;
    for (uint32_t i = list, next; i != ARRIVAL_NONE; i = next) {
        struct arrival *one = &m->arrivals[i];
        next = one->next;
        if (stop_at_hold(m, node, one))
            continue;
        one->stretch = take_part(m, one->stretch, m->graph->net.start[node], node, false, EDGE_KINDS_MOST);
        if (m->parts.at[one->stretch].start_ns <= m->out->first_ns) {
            strip_close(&m->parts, one->stretch, (struct strip_link){STRIP_START, 0});
            continue;
        }
        one->next = left;
        left = i;
    }
    return left;
}

/* Ways that begin at the start of the node are told what goes before them. Returns how many there are. */
static uint32_t begin_ways(struct maker *m, uint32_t node, struct strip_link before)
{
    uint32_t count = 0;
    for (; m->points_left && (uint64_t)m->points[m->points_left - 1].key >= node; m->points_left--)
        if (m->points[m->points_left - 1].key == node) {
            m->out->ways[m->points[m->points_left - 1].row] = before;
            count++;
        }
    return count;
}

static bool ways_begin(const struct maker *m, uint32_t node)
{
    return m->points_left && m->points[m->points_left - 1].key == node;
}

static void visit(struct maker *m, uint32_t node)
{
    const uint32_t collective = collective_at(m, node);
    uint32_t list = m->coming[node];
    if (list == ARRIVAL_NONE && !ways_begin(m, node))
        return;
    if (collective != UINT32_MAX) {
        close_all(m, list, (struct strip_link){STRIP_COLLECTIVE, collective});
        list = ARRIVAL_NONE;
    } else {
        list = cross_node(m, node, list);
    }
    if (m->graph->net.start[node] <= m->out->first_ns) {
        begin_ways(m, node, (struct strip_link){STRIP_START, 0});
        return;
    }
    if (list == ARRIVAL_NONE && !ways_begin(m, node))
        return;
    uint32_t stretch = list == ARRIVAL_NONE ? 0 : m->arrivals[list].stretch;
    if (ways_begin(m, node) || m->arrivals[list].next != ARRIVAL_NONE) {
        stretch = strip_open(&m->parts, m->graph->net.start[node]);
        close_all(m, list, (struct strip_link){STRIP_STRETCH, stretch});
        begin_ways(m, node, (struct strip_link){STRIP_STRETCH, stretch});
    }
    step_back(m, node, stretch);
}

/* ---- where ways begin ---- */

static void list_points(struct maker *m, struct arena *scratch)
{
    const struct graph_meets meets = graph_meets_of(m->graph, &m->collectives, scratch);
    m->points = meets.entries;
    m->points_left = meets.entry_count;
    m->works = meets.works;
    m->works_left = meets.work_count;
    m->holds = meets.holds;
    m->holds_left = meets.hold_count;
}

static void list_ends(struct maker *m, struct arena *scratch)
{
    int64_t *ends = arena_array(scratch, m->numbers->collective_count, sizeof *ends);
    for (uint32_t i = 0; i < m->numbers->collective_count; i++) {
        const struct collective *of = &m->numbers->collectives[i].of;
        if (of->dur_ns >= 0)
            ends[m->parts.end_count++] = of->start_ns + of->dur_ns;
    }
    sort_values(ends, m->parts.end_count);
    m->parts.ends = ends;
}

/* ---- the rank ---- */

static void find_window(struct maker *m, struct step_range range)
{
    const struct trace *trace = m->trace;
    struct strip *out = m->out;
    if (!range.count)
        return;
    out->first_ns = trace->steps[range.first].start_ns;
    out->last_ns = trace->steps[range.first + range.count - 1].end_ns;
    if (range.first + range.count < trace->step_count)
        return;
    for (uint32_t node = 0; node < m->graph->net.count; node++)
        if (m->graph->net.kind[node] == NODE_DEVICE)
            out->last_ns = larger_of(out->last_ns, graph_end_ns(m->graph, node));
}

/* The node that is at work last before the rank's end: of the device where one ends there, else of the training thread. */
static uint32_t last_node(const struct maker *m)
{
    const struct graph *graph = m->graph;
    uint32_t last = NODE_NONE;
    int64_t best = INT64_MIN;
    for (uint32_t node = 0; node < graph->net.count && graph->net.start[node] < m->out->last_ns; node++) {
        const bool device = graph->net.kind[node] == NODE_DEVICE;
        if (!device && graph_lane(graph, node) != graph->main_lane)
            continue;
        const int64_t end = smaller_of(graph_end_ns(graph, node), m->out->last_ns);
        if (end > best || (end == best && device)) {
            best = end;
            last = node;
        }
    }
    return last;
}

static void begin_last_way(struct maker *m)
{
    const uint32_t node = last_node(m);
    uint32_t stretch = strip_open(&m->parts, m->out->last_ns);
    m->out->ways[m->out->way_count - 1] = (struct strip_link){STRIP_STRETCH, stretch};
    const int64_t end = node == NODE_NONE ? m->out->first_ns : graph_end_ns(m->graph, node);
    stretch = take_unknown(m, stretch, larger_of(smaller_of(end, m->out->last_ns), m->out->first_ns));
    if (m->parts.at[stretch].start_ns > m->out->first_ns)
        arrive(m, node, stretch);
}

static void own_names(struct strip *out, struct arena *arena)
{
    str *names = arena_array(arena, out->name_count, sizeof *names);
    for (uint32_t i = 0; i < out->name_count; i++)
        names[i] = str_copy(arena, out->names[i]);
    mem_free(out->names);
    out->names = names;
}

static void make(struct maker *m, struct arena *arena, struct arena *scratch)
{
    const uint32_t nodes = m->graph->net.count;
    m->out->way_count = m->numbers->collective_count + 1;
    m->out->ways = arena_array(arena, m->out->way_count, sizeof *m->out->ways);
    m->coming = arena_room(scratch, nodes, sizeof *m->coming);
    memset(m->coming, 0xFF, nodes * sizeof *m->coming); /* ARRIVAL_NONE */
    named(m, 0);
    list_ends(m, scratch);
    list_points(m, scratch);
    begin_last_way(m);
    for (uint32_t node = nodes; node-- > 0;)
        visit(m, node);
    strip_finish(&m->parts, m->out, arena);
    own_names(m->out, arena);
    map_free(&m->names);
    mem_free(m->arrivals);
}

void strip_of(const struct graph *graph, const struct judged_rows *rows, const struct selection *selection,
              const struct rank_numbers *numbers, struct arena *arena, struct strip *out)
{
    struct arena scratch = {0};
    struct maker m = {.graph = graph, .trace = graph->trace, .numbers = numbers, .out = out};
    m.collectives = rank_collectives(numbers);
    *out = (struct strip){0};
    find_window(&m, selection_steps(graph->trace, selection));
    if (numbers->collective_count) {
        m.phases = rows->phases;
        m.judge = path_judge_new(graph, rows, &scratch);
        m.back = path_back_of(&graph->net, NULL);
        make(&m, arena, &scratch);
    }
    arena_free(&scratch);
}
