/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building: the pieces of all lanes, merged by start, become nodes; what a node
 * depends on has then been numbered already, so its edges are added with it.
 */
#include "base/mem.h"
#include "base/order.h"
#include "floors.h"
#include "order.h"
#include "pause.h"
#include "walk.h"

/* The columns behind the const pointers of a graph. */
struct columns {
    int64_t *start_ns, *work_ns;
    uint32_t *row, *before;
    uint8_t *kind;
    size_t room;
    struct edge *edges;
    size_t edge_room;
};

/* A lane and its next piece. */
struct source {
    struct walk walk;
    struct piece piece;
};

struct build {
    struct graph *graph;
    const struct trace *trace;
    struct columns columns;
    struct waits waits;
    struct orders orders;
    uint32_t *node_of; /* by row, as in struct graph */
    uint32_t *last_of; /* by lane: its newest node */
    struct source *sources;
    uint32_t *heap; /* of sources, the earliest piece first */
    uint32_t heap_count;
};

/* ---- the earliest piece of all lanes ---- */

/* A launch call that begins with its kernel goes first. */
static bool earlier(const struct build *build, uint32_t a, uint32_t b)
{
    const struct piece *p = &build->sources[a].piece, *q = &build->sources[b].piece;
    if (p->start_ns != q->start_ns)
        return p->start_ns < q->start_ns;
    if ((p->kind == NODE_DEVICE) != (q->kind == NODE_DEVICE))
        return q->kind == NODE_DEVICE;
    return a < b;
}

static void sift_down(struct build *build, uint32_t at)
{
    const uint32_t moving = build->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= build->heap_count)
            break;
        if (child + 1 < build->heap_count && earlier(build, build->heap[child + 1], build->heap[child]))
            child++;
        if (!earlier(build, build->heap[child], moving))
            break;
        build->heap[at] = build->heap[child];
        at = child;
    }
    build->heap[at] = moving;
}

static void fill_heap(struct build *build, const uint8_t *phases, struct arena *arena)
{
    const struct pauses *pauses = pauses_of(build->trace, build->waits.classes, phases, arena);
    build->sources = arena_array(arena, build->trace->lane_count, sizeof *build->sources);
    build->heap = arena_array(arena, build->trace->lane_count, sizeof *build->heap);
    for (uint32_t lane = 0; lane < build->trace->lane_count; lane++) {
        build->sources[lane].walk = walk_of(&build->waits, lane, pauses[lane]);
        if (walk_next(&build->sources[lane].walk, &build->sources[lane].piece))
            build->heap[build->heap_count++] = lane;
    }
    for (uint32_t i = build->heap_count / 2; i-- > 0;)
        sift_down(build, i);
}

static void advance(struct build *build)
{
    struct source *top = &build->sources[build->heap[0]];
    if (!walk_next(&top->walk, &top->piece))
        build->heap[0] = build->heap[--build->heap_count];
    if (build->heap_count)
        sift_down(build, 0);
}

/* ---- nodes ---- */

static void *grown(void *column, size_t room, size_t need, size_t size)
{
    return mem_grow(column, &room, need, size);
}

static void make_room(struct columns *c, size_t need)
{
    if (need <= c->room)
        return;
    c->work_ns = grown(c->work_ns, c->room, need, sizeof *c->work_ns);
    c->row = grown(c->row, c->room, need, sizeof *c->row);
    c->before = grown(c->before, c->room, need, sizeof *c->before);
    c->kind = grown(c->kind, c->room, need, sizeof *c->kind);
    c->start_ns = mem_grow(c->start_ns, &c->room, need, sizeof *c->start_ns);
}

static uint32_t add_node(struct build *build, uint32_t lane, const struct piece *piece)
{
    struct columns *c = &build->columns;
    const uint32_t node = build->graph->net.count++;
    make_room(c, build->graph->net.count);
    c->start_ns[node] = piece->start_ns;
    c->work_ns[node] = piece->end_ns - piece->start_ns;
    c->row[node] = piece->row;
    c->before[node] = build->last_of[lane];
    c->kind[node] = (uint8_t)piece->kind;
    build->last_of[lane] = node;
    if (piece->kind == NODE_DEVICE || piece->kind == NODE_CALL)
        build->node_of[piece->row] = ~node;
    return node;
}

static uint32_t node_of(const struct build *build, uint32_t row)
{
    return ~build->node_of[row];
}

static int64_t end_of(const struct build *build, uint32_t node)
{
    return build->columns.start_ns[node] + build->columns.work_ns[node];
}

/* ---- edges ---- */

static void add_edge(struct build *build, uint32_t from, uint32_t to, enum edge_kind kind)
{
    struct graph *graph = build->graph;
    struct columns *c = &build->columns;
    const bool may_overlap = kind == EDGE_LAUNCH || kind == EDGE_BUSY || kind == EDGE_THREAD;
    if (from == NODE_NONE || from >= to || (!may_overlap && end_of(build, from) > c->start_ns[to] + SKEW_NS)) {
        graph->inconsistent++;
        return;
    }
    c->edges = mem_grow(c->edges, &c->edge_room, graph->net.edge_count + 1, sizeof *c->edges);
    c->edges[graph->net.edge_count++] = (struct edge){from, to, kind};
    graph->by_kind[kind]++;
}

/* Where the clock of a device runs ahead, work seems to begin before the call that launched it: up to so much. */
enum { AHEAD_NS = 1000 * 1000 };

/* From the stretch of the launching thread that ran when the work began, or the call's last where it had returned. */
static void add_launch(struct build *build, uint32_t node, uint32_t work)
{
    const struct trace *trace = build->trace;
    const uint32_t call = trace->cause[work];
    if (call == ROW_NONE)
        return;
    uint32_t from = build->last_of[trace->lane[call]];
    if (trace_end_ns(trace, call) <= trace->start_ns[work] && node_of(build, call) != NODE_NONE)
        from = node_of(build, call);
    if (trace->start_ns[call] > trace->start_ns[work] + AHEAD_NS)
        from = NODE_NONE;
    add_edge(build, from, node, EDGE_LAUNCH);
}

static void add_orders(struct build *build, uint32_t node, uint32_t work)
{
    const struct orders *orders = &build->orders;
    if (!orders->count)
        return;
    for (uint32_t i = orders_of(orders, work); i < orders->count && orders->at[i].key == work; i++) {
        add_edge(build, node_of(build, orders->at[i].row), node, EDGE_STREAM);
        build->graph->inferred += !orders->recorded;
    }
}

enum {
    UNEXPLAINED_NS = 20 * 1000, /* a start this long after all that is known has another reason */
    COINCIDENT_NS = 5 * 1000,   /* and work of another stream that ended this shortly before it may be that */
};

static int64_t arrival(const struct build *build, uint32_t node, uint32_t first_edge)
{
    const uint32_t before = build->columns.before[node];
    int64_t latest = before == NODE_NONE ? INT64_MIN : end_of(build, before);
    for (uint32_t e = first_edge; e < build->graph->net.edge_count; e++) {
        const int64_t end = end_of(build, build->columns.edges[e].from);
        latest = end > latest ? end : latest;
    }
    return latest;
}

/* The newest work of a stream that had ended by the time; the newest of all may still run. */
static uint32_t ended_by(const struct build *build, uint32_t stream, int64_t time_ns)
{
    uint32_t node = build->last_of[stream];
    if (node != NODE_NONE && end_of(build, node) > time_ns)
        node = build->columns.before[node];
    return node != NODE_NONE && end_of(build, node) <= time_ns ? node : NODE_NONE;
}

/* A compute kernel: it may fill the device, and it begins late where another fills it. */
static bool computes(const struct build *build, uint32_t node)
{
    return work_class(build->waits.classes, build->columns.row[node]) == WORK_COMPUTE;
}

/* What other streams of the device did when a node began. */
struct beside {
    uint32_t ended;   /* the work that ended last before; NODE_NONE */
    uint32_t running; /* the compute kernel that still runs and began first; NODE_NONE */
};

static struct beside look_beside(const struct build *build, uint32_t node, uint32_t lane)
{
    const struct rows streams = trace_streams(build->trace, build->trace->lanes[lane].process);
    const int64_t start = build->columns.start_ns[node];
    struct beside beside = {NODE_NONE, NODE_NONE};
    for (uint32_t i = 0; i < streams.count; i++) {
        const uint32_t other = streams.at[i];
        if (other == lane)
            continue;
        const uint32_t ended = ended_by(build, other, start), newest = build->last_of[other];
        if (ended != NODE_NONE && (beside.ended == NODE_NONE || end_of(build, ended) > end_of(build, beside.ended)))
            beside.ended = ended;
        if (newest != NODE_NONE && end_of(build, newest) > start && newest < beside.running && computes(build, newest))
            beside.running = newest;
    }
    return beside;
}

/*
 * A start that nothing known explains: at a fork or join inside a captured graph,
 * after a wait that nobody recorded, or on a device that another stream had filled.
 */
static void infer_order(struct build *build, uint32_t node, uint32_t lane, uint32_t first_edge)
{
    const int64_t start = build->columns.start_ns[node];
    if (arrival(build, node, first_edge) > start - UNEXPLAINED_NS)
        return;
    const struct beside beside = look_beside(build, node, lane);
    if (beside.ended != NODE_NONE && end_of(build, beside.ended) + COINCIDENT_NS >= start)
        add_edge(build, beside.ended, node, EDGE_STREAM);
    else if (beside.running != NODE_NONE && computes(build, node))
        add_edge(build, beside.running, node, EDGE_BUSY);
    else
        return;
    build->graph->inferred++;
}

static void add_device_edges(struct build *build, uint32_t node, uint32_t lane, uint32_t work)
{
    const uint32_t first_edge = build->graph->net.edge_count;
    add_launch(build, node, work);
    add_orders(build, node, work);
    infer_order(build, node, lane, first_edge);
}

static void add_host_edges(struct build *build, uint32_t node, const struct walk *walk, enum gate gate)
{
    if (gate == GATE_THREAD)
        add_edge(build, build->last_of[walk->partner], node, EDGE_THREAD);
    for (uint32_t i = 0; gate == GATE_DEVICE && i < walk->wait.count; i++)
        add_edge(build, node_of(build, walk->wait.sources[i]), node, walk->wait.kind);
}

static void take_piece(struct build *build)
{
    const uint32_t lane = build->heap[0];
    const struct source *source = &build->sources[lane];
    const uint32_t node = add_node(build, lane, &source->piece);
    if (source->piece.kind == NODE_DEVICE)
        add_device_edges(build, node, lane, source->piece.row);
    else if (source->piece.gate != GATE_NONE)
        add_host_edges(build, node, &source->walk, source->piece.gate);
}

/* ---- whole ---- */

static uint32_t *all_none(uint32_t count)
{
    uint32_t *nodes = mem_alloc(count * sizeof *nodes);
    memset(nodes, 0xFF, count * sizeof *nodes); /* NODE_NONE */
    return nodes;
}

static void publish(struct build *build)
{
    struct graph *graph = build->graph;
    graph->net.start = build->columns.start_ns;
    graph->net.work = build->columns.work_ns;
    graph->net.before = build->columns.before;
    graph->net.kind = build->columns.kind;
    graph->net.edges = build->columns.edges;
    graph->row = build->columns.row;
    graph->node_of = build->node_of;
    graph->main_lane = trace_main_lane(build->trace);
    graph_find_floors(graph);
}

/* What the threads do in the steps, and the device work that they launched. */
static struct span window_of(const struct trace *trace, struct step_range steps)
{
    if (steps.count == trace->step_count)
        return waits_always;
    const uint32_t last = steps.first + steps.count - 1;
    struct span window = {trace->steps[steps.first].start_ns, trace->steps[last].host_end_ns};
    const int64_t from = window.start_ns;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        const struct rows work = trace_rows(trace, lane, NEST_WORK);
        uint32_t i = trace_first_from(trace, work, from);
        if (i < work.count && trace->cause[work.at[i]] != ROW_NONE)
            window.start_ns = smaller_of(window.start_ns, trace->start_ns[trace->cause[work.at[i]]]);
        for (i = trace_first_from(trace, work, window.end_ns); i < work.count; i++) {
            if (trace_step(trace, work.at[i]) > last)
                break;
            window.end_ns = larger_of(window.end_ns, trace->start_ns[work.at[i]] + 1);
        }
    }
    return window;
}

static struct graph *build_graph(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                                 struct step_range steps)
{
    struct arena scratch = {0};
    struct build build = {.graph = mem_zeroed(sizeof *build.graph), .trace = trace};
    build.graph->trace = trace;
    build.graph->steps = steps;
    build.node_of = mem_zeroed(trace->count * sizeof *build.node_of);
    build.last_of = all_none(trace->lane_count);
    waits_open(&build.waits, trace, window_of(trace, steps), classes, runtime_calls_of(trace, &scratch), &scratch);
    build.orders = stream_orders(&build.waits, &scratch);
    for (fill_heap(&build, phases, &scratch); build.heap_count; advance(&build))
        take_piece(&build);
    publish(&build);
    waits_close(&build.waits);
    mem_free(build.last_of);
    arena_free(&scratch);
    return build.graph;
}

struct graph *graph_new_steps(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                              struct step_range steps)
{
    return build_graph(trace, classes, phases, steps);
}

struct graph *graph_new_phased(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases)
{
    return build_graph(trace, classes, phases, (struct step_range){0, trace->step_count});
}

struct graph *graph_new(const struct trace *trace, const struct work_classes *classes)
{
    return graph_new_phased(trace, classes, NULL);
}

void graph_free(struct graph *graph)
{
    if (!graph)
        return;
    mem_free((void *)graph->net.start);
    mem_free((void *)graph->net.work);
    mem_free((void *)graph->row);
    mem_free((void *)graph->net.before);
    mem_free((void *)graph->net.kind);
    mem_free((void *)graph->net.edges);
    mem_free((void *)graph->node_of);
    mem_free(graph);
}
