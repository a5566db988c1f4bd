/* SPDX-License-Identifier: Apache-2.0 */
/* Traces small enough to see whole, their graphs, and what must hold of every graph. */
#ifndef UNIT_GRAPH_CASE_H
#define UNIT_GRAPH_CASE_H

#include "unit/cmocka_first.h"
#include "graph/graph.h"
#include "trace/trace.h"

/* ---- traces, in microseconds ---- */

enum { PID = 100, MAIN = 1, AUTOGRAD = 2, NO_ID = -1 };

static inline uint32_t thread_lane(struct trace *t, int64_t tid)
{
    return trace_lane(t, (struct lane){.process = PID, .id = tid});
}

static inline uint32_t stream_of(struct trace *t, int64_t device, int64_t id)
{
    return trace_lane(t, (struct lane){.device = true, .process = device, .id = id});
}

static inline uint32_t stream_lane(struct trace *t, int64_t id)
{
    return stream_of(t, 0, id);
}

static inline struct event event_at(struct trace *t, enum event_kind kind, uint32_t lane, const char *name, int64_t us,
                                    int64_t dur_us)
{
    return (struct event){.start_ns = us * 1000,
                          .dur_ns = dur_us * 1000,
                          .name = intern_id(trace_names(t), str_of(name)),
                          .lane = lane,
                          .kind = kind};
}

static inline void add_id(struct event *e, int64_t correlation)
{
    if (correlation != NO_ID)
        event_set(e, ATTR_CORRELATION, correlation);
}

static inline void op(struct trace *t, int64_t tid, const char *name, int64_t us, int64_t dur_us)
{
    const struct event e = event_at(t, EVENT_OPERATOR, thread_lane(t, tid), name, us, dur_us);
    trace_add(t, &e);
}

static inline void call(struct trace *t, const char *name, int64_t correlation, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_RUNTIME, thread_lane(t, MAIN), name, us, dur_us);
    add_id(&e, correlation);
    trace_add(t, &e);
}

static inline void kernel(struct trace *t, int64_t stream, int64_t correlation, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_KERNEL, stream_lane(t, stream), "kernel", us, dur_us);
    add_id(&e, correlation);
    trace_add(t, &e);
}

static inline void copy(struct trace *t, const char *name, int64_t correlation, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_COPY, stream_lane(t, 7), name, us, dur_us);
    add_id(&e, correlation);
    trace_add(t, &e);
}

struct sync {
    const char *kind;
    int64_t stream, correlation, wait_stream, wait_correlation; /* NO_ID: not recorded */
};

static inline void sync_row(struct trace *t, struct sync sync, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_SYNC, stream_lane(t, sync.stream), sync.kind, us, dur_us);
    add_id(&e, sync.correlation);
    event_set(&e, ATTR_SYNC_KIND, e.name);
    if (sync.wait_stream != NO_ID)
        event_set(&e, ATTR_WAIT_STREAM, sync.wait_stream);
    if (sync.wait_correlation != NO_ID)
        event_set(&e, ATTR_WAIT_CORRELATION, sync.wait_correlation);
    trace_add(t, &e);
}

/* ---- graphs, and what must hold of every one ---- */

struct tiling {
    int64_t next_end_ns; /* of the part to come */
    int64_t waited_ns;
    int64_t worked_ns[EVENT_KINDS];
    const struct graph *graph;
};

static inline void take_part(void *context, const struct path_part *part)
{
    struct tiling *tiling = context;
    assert_true(part->start < part->end);
    assert_int_equal(part->end, tiling->next_end_ns);
    tiling->next_end_ns = part->start;
    const int64_t ns = part->end - part->start;
    if (part->waiting)
        tiling->waited_ns += ns;
    else
        tiling->worked_ns[tiling->graph->trace->kind[tiling->graph->row[part->node]]] += ns;
}

/* The path in parts, which tile the time from 0 to the end of the last node. */
static inline struct tiling path_of(const struct graph *g, const struct schedule *schedule)
{
    struct tiling tiling = {.graph = g};
    const uint32_t last = graph_last(g, schedule);
    if (last == NODE_NONE)
        return tiling;
    tiling.next_end_ns = schedule ? schedule->end[last] : graph_end_ns(g, last);
    graph_path(g, schedule, last, take_part, &tiling);
    assert_int_equal(tiling.next_end_ns, 0);
    return tiling;
}

static inline void check_order(const struct graph *g)
{
    for (uint32_t i = 0; i < g->net.count; i++) {
        assert_true(g->net.work[i] >= 0);
        assert_true(i == 0 || g->net.start[i - 1] <= g->net.start[i]);
        assert_true(g->net.before[i] == NODE_NONE || g->net.before[i] < i);
    }
    for (uint32_t e = 0; e < g->net.edge_count; e++) {
        assert_true(g->net.edges[e].from < g->net.edges[e].to && g->net.edges[e].to < g->net.count);
        assert_true(e == 0 || g->net.edges[e - 1].to <= g->net.edges[e].to);
    }
}

static inline void check_replay(const struct graph *g)
{
    struct arena scratch = {0};
    const struct schedule as_recorded = net_run(&g->net, NULL, &scratch);
    for (uint32_t i = 0; i < g->net.count; i++) {
        assert_int_equal(as_recorded.start[i], g->net.start[i]);
        assert_int_equal(as_recorded.end[i], graph_end_ns(g, i));
    }
    path_of(g, &as_recorded);
    arena_free(&scratch);
}

static inline struct graph *graph_of_finished(struct trace *t)
{
    struct arena scratch = {0};
    struct graph *g = graph_new(t, work_classes_new(t, &scratch));
    arena_free(&scratch);
    check_order(g);
    check_replay(g);
    path_of(g, NULL);
    return g;
}

static inline struct graph *graph_of(struct trace *t)
{
    trace_finish(t);
    return graph_of_finished(t);
}

static inline void drop(struct trace *t, struct graph *g)
{
    graph_free(g);
    trace_free(t);
}

static inline bool has_edge(const struct graph *g, uint32_t from_row, uint32_t to_row, enum edge_kind kind)
{
    for (uint32_t e = 0; e < g->net.edge_count; e++)
        if (g->net.edges[e].kind == kind && g->row[g->net.edges[e].from] == from_row &&
            g->row[g->net.edges[e].to] == to_row)
            return true;
    return false;
}

/* A kernel that ends at 130, a call of the name that returns at 135, a further kernel. */
static inline struct trace *one_wait(const char *name)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 20);
    kernel(t, 7, 1, 30, 100);
    call(t, name, 2, 100, 35);
    call(t, "cudaLaunchKernel", 3, 150, 10);
    kernel(t, 7, 3, 170, 100);
    return t;
}

#endif
