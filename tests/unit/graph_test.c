/* SPDX-License-Identifier: Apache-2.0 */
/* The dependency graph on traces small enough to see whole: what depends on what, the longest path, and replays. */
#include "cmocka_first.h"

#include <glob.h>
#include <stdlib.h>

#include "graph/graph.h"
#include "graph/runtime.h"
#include "read/read.h"
#include "trace/trace.h"

/* ---- traces, in microseconds ---- */

enum { PID = 100, MAIN = 1, AUTOGRAD = 2, NO_ID = -1 };

static uint32_t thread_lane(struct trace *t, int64_t tid)
{
    return trace_lane(t, (struct lane){.process = PID, .id = tid});
}

static uint32_t stream_lane(struct trace *t, int64_t id)
{
    return trace_lane(t, (struct lane){.device = true, .process = 0, .id = id});
}

static struct event event_at(struct trace *t, enum event_kind kind, uint32_t lane, const char *name, int64_t us,
                             int64_t dur_us)
{
    return (struct event){.start_ns = us * 1000,
                          .dur_ns = dur_us * 1000,
                          .name = intern_id(trace_names(t), str_of(name)),
                          .lane = lane,
                          .kind = kind};
}

static void add_id(struct event *e, int64_t correlation)
{
    if (correlation != NO_ID)
        event_set(e, ATTR_CORRELATION, correlation);
}

static void op(struct trace *t, int64_t tid, const char *name, int64_t us, int64_t dur_us)
{
    const struct event e = event_at(t, EVENT_OPERATOR, thread_lane(t, tid), name, us, dur_us);
    trace_add(t, &e);
}

static void call(struct trace *t, const char *name, int64_t correlation, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_RUNTIME, thread_lane(t, MAIN), name, us, dur_us);
    add_id(&e, correlation);
    trace_add(t, &e);
}

static void kernel(struct trace *t, int64_t stream, int64_t correlation, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_KERNEL, stream_lane(t, stream), "kernel", us, dur_us);
    add_id(&e, correlation);
    trace_add(t, &e);
}

static void copy(struct trace *t, const char *name, int64_t correlation, int64_t us, int64_t dur_us)
{
    struct event e = event_at(t, EVENT_COPY, stream_lane(t, 7), name, us, dur_us);
    add_id(&e, correlation);
    trace_add(t, &e);
}

struct sync {
    const char *kind;
    int64_t stream, correlation, wait_stream, wait_correlation; /* NO_ID: not recorded */
};

static void sync_row(struct trace *t, struct sync sync, int64_t us, int64_t dur_us)
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

static void take_part(void *context, const struct path_part *part)
{
    struct tiling *tiling = context;
    assert_true(part->start_ns < part->end_ns);
    assert_int_equal(part->end_ns, tiling->next_end_ns);
    tiling->next_end_ns = part->start_ns;
    const int64_t ns = part->end_ns - part->start_ns;
    if (part->waiting)
        tiling->waited_ns += ns;
    else
        tiling->worked_ns[tiling->graph->trace->kind[tiling->graph->row[part->node]]] += ns;
}

/* The path in parts, which tile the time from 0 to the end of the last node. */
static struct tiling path_of(const struct graph *g, const struct schedule *schedule)
{
    struct tiling tiling = {.graph = g};
    const uint32_t last = graph_last(g, schedule);
    if (last == NODE_NONE)
        return tiling;
    tiling.next_end_ns = schedule ? schedule->end_ns[last] : graph_end_ns(g, last);
    graph_path(g, schedule, last, take_part, &tiling);
    assert_int_equal(tiling.next_end_ns, 0);
    return tiling;
}

static void check_order(const struct graph *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        assert_true(g->work_ns[i] >= 0);
        assert_true(i == 0 || g->start_ns[i - 1] <= g->start_ns[i]);
        assert_true(g->before[i] == NODE_NONE || g->before[i] < i);
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        assert_true(g->edges[e].from < g->edges[e].to && g->edges[e].to < g->count);
        assert_true(e == 0 || g->edges[e - 1].to <= g->edges[e].to);
    }
}

static void check_replay(const struct graph *g)
{
    struct arena scratch = {0};
    const struct schedule as_recorded = graph_replay(g, NULL, &scratch);
    for (uint32_t i = 0; i < g->count; i++) {
        assert_int_equal(as_recorded.start_ns[i], g->start_ns[i]);
        assert_int_equal(as_recorded.end_ns[i], graph_end_ns(g, i));
    }
    path_of(g, &as_recorded);
    arena_free(&scratch);
}

static struct graph *graph_of_finished(struct trace *t)
{
    struct arena scratch = {0};
    struct graph *g = graph_new(t, work_classes_new(t, &scratch));
    arena_free(&scratch);
    check_order(g);
    check_replay(g);
    path_of(g, NULL);
    return g;
}

static struct graph *graph_of(struct trace *t)
{
    trace_finish(t);
    return graph_of_finished(t);
}

static void drop(struct trace *t, struct graph *g)
{
    graph_free(g);
    trace_free(t);
}

static bool has_edge(const struct graph *g, uint32_t from_row, uint32_t to_row, enum edge_kind kind)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == kind && g->row[g->edges[e].from] == from_row && g->row[g->edges[e].to] == to_row)
            return true;
    return false;
}

/* ---- threads and streams ---- */

static void a_thread_is_cut_where_calls_begin_and_end(void **state)
{
    struct trace *t = trace_new();
    op(t, MAIN, "outer", 0, 100);
    op(t, MAIN, "inner", 30, 20);
    op(t, MAIN, "next", 120, 10);
    struct graph *g = graph_of(t);
    static const struct {
        int64_t start_us, work_us;
        uint32_t row;
        enum node_kind kind;
    } expected[] = {
        {0, 30, 0, NODE_CALL},      {30, 20, 1, NODE_CALL},  {50, 50, 0, NODE_CALL},
        {100, 20, 2, NODE_BETWEEN}, {120, 10, 2, NODE_CALL},
    };
    assert_int_equal(g->count, 5);
    for (uint32_t i = 0; i < g->count; i++) {
        assert_int_equal(g->start_ns[i], expected[i].start_us * 1000);
        assert_int_equal(g->work_ns[i], expected[i].work_us * 1000);
        assert_int_equal(g->row[i], expected[i].row);
        assert_int_equal(g->kind[i], expected[i].kind);
    }
    drop(t, g);
}

static void calls_that_end_after_the_call_around_them_still_tile(void **state)
{
    struct trace *t = trace_new();
    op(t, MAIN, "outer", 0, 50);
    op(t, MAIN, "late", 40, 30);
    op(t, MAIN, "next", 60, 20);
    struct graph *g = graph_of(t);
    assert_int_equal(path_of(g, NULL).worked_ns[EVENT_OPERATOR], 80000);
    drop(t, g);
}

static void the_training_thread_lasts_as_long_as_its_annotations(void **state)
{
    struct trace *t = trace_new();
    const struct event step = event_at(t, EVENT_ANNOTATION, thread_lane(t, MAIN), "ProfilerStep#1", 0, 100);
    trace_add(t, &step);
    op(t, MAIN, "aten::mm", 20, 10);
    struct graph *g = graph_of(t);
    assert_int_equal(g->count, 3);
    assert_int_equal(g->kind[0], NODE_BETWEEN);
    assert_int_equal(g->kind[2], NODE_AFTER);
    assert_int_equal(graph_end_ns(g, graph_last(g, NULL)), 100000);
    drop(t, g);
}

static void a_kernel_depends_on_its_launch_and_on_the_stream(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 10);
    kernel(t, 7, 1, 15, 100);
    call(t, "cudaLaunchKernel", 2, 20, 10);
    kernel(t, 7, 2, 117, 50);
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 0, 1, EDGE_LAUNCH));
    assert_true(has_edge(g, 2, 3, EDGE_LAUNCH));
    assert_int_equal(g->before[g->node_of[3]], g->node_of[1]);
    const struct tiling path = path_of(g, NULL);
    assert_int_equal(path.worked_ns[EVENT_KERNEL], 150000);
    assert_int_equal(path.worked_ns[EVENT_RUNTIME], 10000);
    assert_int_equal(path.waited_ns, 7000);
    drop(t, g);
}

static void a_kernel_may_start_while_its_launch_call_runs(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 40);
    kernel(t, 7, 1, 10, 100);
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 0, 1, EDGE_LAUNCH));
    assert_int_equal(path_of(g, NULL).worked_ns[EVENT_RUNTIME], 10000);
    drop(t, g);
}

static void a_kernel_before_its_launch_is_counted_and_kept_without(void **state)
{
    struct trace *t = trace_new();
    kernel(t, 7, 1, 0, 10);
    call(t, "cudaLaunchKernel", 1, 5000, 10);
    struct graph *g = graph_of(t);
    assert_int_equal(g->inconsistent, 1);
    assert_int_equal(g->edge_count, 0);
    drop(t, g);
}

static void every_kernel_of_a_graph_depends_on_the_one_launch(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaGraphLaunch", 1, 0, 10);
    for (int i = 0; i < 3; i++)
        kernel(t, 7, 1, 20 + 10 * i, 10);
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_LAUNCH], 3);
    drop(t, g);
}

static void a_join_inside_a_graph_is_told_by_time(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaGraphLaunch", 1, 0, 10);
    kernel(t, 7, 1, 20, 100);
    kernel(t, 8, 1, 20, 300);
    kernel(t, 7, 1, 321, 50);
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 2, 3, EDGE_STREAM));
    assert_int_equal(g->inferred, 1);
    assert_int_equal(path_of(g, NULL).worked_ns[EVENT_KERNEL], 350000);
    drop(t, g);
}

static void a_kernel_that_finds_the_device_taken_depends_on_the_kernel_there(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 10);
    kernel(t, 7, 1, 20, 1000);
    call(t, "cudaLaunchKernel", 2, 30, 10);
    kernel(t, 20, 2, 990, 50); /* launched early, begun in the tail of the other */
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 1, 3, EDGE_BUSY));
    const struct tiling path = path_of(g, NULL);
    assert_int_equal(path.worked_ns[EVENT_KERNEL], (970 + 50) * 1000);
    assert_int_equal(path.waited_ns, 10000);
    drop(t, g);
}

static void a_device_clock_that_runs_ahead_keeps_its_launches(void **state)
{
    struct trace *t = trace_new();
    op(t, MAIN, "aten::linear", 0, 120);
    call(t, "cudaLaunchKernel", 1, 100, 10);
    kernel(t, 7, 1, 60, 50); /* 40 us before its launch */
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 0, 2, EDGE_LAUNCH));
    assert_int_equal(g->inconsistent, 0);
    drop(t, g);
}

/* ---- waits ---- */

/* A kernel that ends at 130, a call of the name that returns at 135, a further kernel. */
static struct trace *one_wait(const char *name)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 20);
    kernel(t, 7, 1, 30, 100);
    call(t, name, 2, 100, 35);
    call(t, "cudaLaunchKernel", 3, 150, 10);
    kernel(t, 7, 3, 170, 100);
    return t;
}

static void a_synchronisation_waits_for_the_last_work(void **state)
{
    static const char *const names[] = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                                        "hipDeviceSynchronize",  "hipStreamSynchronize",  "cudaFree"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct trace *t = one_wait(names[i]);
        struct graph *g = graph_of(t);
        assert_true(has_edge(g, 1, 2, EDGE_WAIT));
        assert_int_equal(g->start_ns[g->node_of[2]], 130000);
        assert_int_equal(g->work_ns[g->node_of[2]], 5000);
        assert_int_equal(path_of(g, NULL).worked_ns[EVENT_KERNEL], 200000);
        drop(t, g);
    }
}

static void a_query_waits_for_nothing(void **state)
{
    struct trace *t = one_wait("cudaEventQuery");
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_WAIT], 0);
    drop(t, g);
}

static void a_recorded_event_tells_which_work_was_awaited(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 5);
    kernel(t, 7, 1, 10, 50);
    call(t, "cudaEventRecord", 2, 6, 2);
    call(t, "cudaLaunchKernel", 3, 10, 5);
    kernel(t, 7, 3, 61, 200);
    call(t, "cudaEventSynchronize", 4, 20, 45);
    sync_row(t, (struct sync){"Event Sync", NO_ID, 4, 7, 2}, 21, 43);
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 1, 5, EDGE_WAIT));
    assert_false(has_edge(g, 4, 5, EDGE_WAIT));
    drop(t, g);
}

static void a_copy_to_pageable_memory_blocks_and_one_to_pinned_does_not(void **state)
{
    static const struct {
        const char *call, *copy;
        bool blocks;
    } cases[] = {
        {"cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", true},
        {"cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)", false},
        {"cudaMemcpyAsync", "Memcpy DtoD (Device -> Device)", false},
        {"cudaMemcpy", "Memcpy DtoH (Device -> Pinned)", true},
        {"hipMemcpyWithStream", "Memcpy DtoH (Device -> Host)", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace *t = trace_new();
        call(t, "cudaLaunchKernel", 1, 0, 5);
        kernel(t, 7, 1, 10, 500);
        call(t, cases[i].call, 2, 20, 600);
        copy(t, cases[i].copy, 2, 511, 100);
        struct graph *g = graph_of(t);
        assert_int_equal(has_edge(g, 3, 2, EDGE_WAIT), cases[i].blocks);
        if (cases[i].blocks)
            assert_int_equal(path_of(g, NULL).worked_ns[EVENT_KERNEL], 500000);
        drop(t, g);
    }
}

static void a_stream_wait_that_was_recorded_ties_two_streams(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 5);
    kernel(t, 20, 1, 10, 300);
    call(t, "cudaEventRecord", 2, 6, 2);
    call(t, "cudaStreamWaitEvent", 3, 9, 2);
    sync_row(t, (struct sync){"Stream Wait Event", 24, 3, 20, 2}, 10, 1);
    call(t, "cudaLaunchKernel", 4, 12, 5);
    kernel(t, 24, 4, 312, 50);
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 1, 6, EDGE_STREAM));
    assert_int_equal(g->inferred, 0);
    assert_int_equal(path_of(g, NULL).worked_ns[EVENT_KERNEL], 350000);
    drop(t, g);
}

static void a_stream_wait_is_told_by_its_calls_where_no_row_was_recorded(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 5);
    kernel(t, 20, 1, 10, 300);
    call(t, "cudaStreamWaitEvent", 3, 9, 2);
    call(t, "cudaLaunchKernel", 4, 12, 5);
    kernel(t, 24, 4, 350, 50);
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 1, 4, EDGE_STREAM));
    assert_int_equal(g->inferred, 1);
    drop(t, g);
}

static void a_launch_into_a_full_queue_waits_for_the_stream(void **state)
{
    enum { QUEUED = 1100 };
    struct trace *t = trace_new();
    for (int i = 0; i < QUEUED; i++)
        call(t, "cudaLaunchKernel", 1 + i, 5 * i, i + 1 < QUEUED ? 4 : 14600);
    for (int i = 0; i < QUEUED; i++)
        kernel(t, 7, 1 + i, 10 + 1000 * i, 1000);
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_QUEUE], 1);
    assert_int_equal(path_of(g, NULL).worked_ns[EVENT_KERNEL], 1000000LL * QUEUED);
    drop(t, g);
}

/* ---- threads ---- */

static void the_training_thread_pauses_while_autograd_runs(void **state)
{
    struct trace *t = trace_new();
    op(t, MAIN, "aten::linear", 0, 100);
    op(t, AUTOGRAD, "autograd::engine::evaluate_function: AddmmBackward0", 120, 300);
    op(t, AUTOGRAD, "autograd::engine::evaluate_function: TBackward0", 430, 70);
    op(t, MAIN, "aten::add_", 510, 40);
    op(t, AUTOGRAD, "autograd::engine::evaluate_function: AddmmBackward0", 600, 50);
    op(t, MAIN, "aten::add_", 660, 10);
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_THREAD], 4);
    const struct tiling path = path_of(g, NULL);
    assert_int_equal(path.waited_ns, 0);
    int64_t on_main = 0;
    for (uint32_t i = 0; i < g->count; i++)
        on_main += graph_lane(g, i) == g->main_lane ? g->work_ns[i] : 0;
    assert_int_equal(on_main, (100 + 20 + 10 + 40 + 50 + 10 + 10) * 1000);
    drop(t, g);
}

static void a_thread_that_works_beside_the_training_thread_hands_nothing_over(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 10; i++) {
        op(t, MAIN, "aten::linear", 100 * i, 90);
        op(t, AUTOGRAD, "autograd::engine::evaluate_function: AddmmBackward0", 100 * i + 50, 90);
    }
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_THREAD], 0);
    drop(t, g);
}

static void the_training_thread_waits_for_a_collective_that_ends_in_its_gap(void **state)
{
    enum { GLOO = 3 };
    struct trace *t = trace_new();
    op(t, MAIN, "c10d::allreduce_", 0, 20);
    op(t, MAIN, "aten::mm", 30, 70);
    const struct event gloo = event_at(t, EVENT_ANNOTATION, thread_lane(t, GLOO), "gloo:all_reduce", 25, 975);
    trace_add(t, &gloo);
    op(t, MAIN, "aten::copy_", 1010, 40);
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_THREAD], 2);
    const struct tiling path = path_of(g, NULL);
    assert_int_equal(path.worked_ns[EVENT_ANNOTATION], 975000);
    assert_int_equal(path.worked_ns[EVENT_OPERATOR], (20 + 5 + 10 + 40) * 1000); /* 5 and 10: gaps before an operator */
    drop(t, g);
}

/* ---- replay ---- */

static int64_t span_without(const struct graph *g, uint32_t row)
{
    struct arena scratch = {0};
    bool *rows = arena_array(&scratch, g->trace->count, sizeof *rows);
    rows[row] = true;
    const struct change change = change_without(rows);
    const struct schedule schedule = graph_replay(g, &change, &scratch);
    path_of(g, &schedule);
    arena_free(&scratch);
    return schedule.span_ns;
}

/* Without the wait the second launch (10 us later than the first call's end) comes before the first kernel ends. */
static void a_wait_taken_away_lets_the_next_launch_come_earlier(void **state)
{
    struct trace *t = one_wait("cudaStreamSynchronize");
    struct graph *g = graph_of(t);
    assert_int_equal(g->launch_floor_ns, 10000);
    /* host: 100 + 15 + 10 = 125, launched; kernel: 125 + 10 = 135, where the stream is free; end: 235 */
    assert_int_equal(span_without(g, 2), 235000);
    drop(t, g);
}

static void work_taken_away_beside_the_path_saves_nothing(void **state)
{
    struct trace *t = trace_new();
    call(t, "cudaLaunchKernel", 1, 0, 10);
    kernel(t, 7, 1, 15, 1000);
    op(t, MAIN, "aten::empty", 20, 500);
    call(t, "cudaDeviceSynchronize", 2, 530, 490);
    struct graph *g = graph_of(t);
    assert_int_equal(span_without(g, 2), 1020000);
    drop(t, g);
}

static int64_t half(const void *context, const struct graph *g, uint32_t node)
{
    return g->kind[node] == NODE_DEVICE ? g->work_ns[node] / 2 : g->work_ns[node];
}

static void faster_kernels_help_until_the_host_is_the_limit(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 10; i++) {
        call(t, "cudaLaunchKernel", 1 + i, 80 * i, 70);
        kernel(t, 7, 1 + i, 80 + 100 * i, 100);
    }
    struct graph *g = graph_of(t);
    struct arena scratch = {0};
    const struct change faster = {.work_ns = half};
    const struct schedule schedule = graph_replay(g, &faster, &scratch);
    /* the last launch ends at 790, 10 us after its predecessor's kernel; it takes the floor, here 0 */
    assert_int_equal(g->launch_floor_ns, 0);
    assert_int_equal(schedule.span_ns, 840000);
    arena_free(&scratch);
    drop(t, g);
}

/* ---- real traces ---- */

static void check_files(const char *pattern, size_t *seen)
{
    glob_t files;
    if (glob(pattern, 0, NULL, &files) != 0)
        return;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct trace *t = trace_read(files.gl_pathv[i], NULL, NULL);
        if (!t)
            continue; /* of another kind */
        drop(t, graph_of_finished(t));
        ++*seen;
    }
    globfree(&files);
}

/* Pieces in order, edges forward, the recorded times to the nanosecond, a path without a gap: in every trace there is. */
static void every_real_trace_replays_as_it_was_recorded(void **state)
{
    const char *source = getenv("STEPTIME_SOURCE");
    if (!source)
        skip();
    const char *others = getenv("STEPTIME_SHARED");
    struct arena scratch = {0};
    size_t seen = 0;
    check_files(str_printf(&scratch, "%s/tests/data/recorded/*.json.gz", source).at, &seen);
    assert_true(seen > 0);
    const str shared = others ? str_of(others) : str_printf(&scratch, "%s/../shared", source);
    check_files(str_printf(&scratch, "%.*s/data/traces/kineto/*.json.gz", (int)shared.len, shared.at).at, &seen);
    check_files(str_printf(&scratch, "%.*s/data/traces/multirank/*/*.json.gz", (int)shared.len, shared.at).at, &seen);
    arena_free(&scratch);
}

/* ---- names ---- */

static void runtime_calls_are_told_by_name(void **state)
{
    static const struct {
        const char *name;
        enum runtime_call call;
    } cases[] = {
        {"cudaLaunchKernel", RUNTIME_LAUNCH},
        {"cuLaunchKernelEx", RUNTIME_LAUNCH},
        {"hipExtModuleLaunchKernel", RUNTIME_LAUNCH},
        {"cudaGraphLaunch", RUNTIME_LAUNCH},
        {"cudaMemcpyAsync", RUNTIME_COPY},
        {"hipMemcpyWithStream", RUNTIME_BLOCKING_COPY},
        {"cudaMemcpy", RUNTIME_BLOCKING_COPY},
        {"cudaMemcpyPeerAsync", RUNTIME_COPY},
        {"cuMemcpyDtoHAsync_v2", RUNTIME_COPY},
        {"cuMemcpyDtoH_v2", RUNTIME_BLOCKING_COPY},
        {"cuCtxSynchronize", RUNTIME_DEVICE_SYNC},
        {"cuStreamSynchronize_ptsz", RUNTIME_STREAM_SYNC},
        {"hipEventSynchronize", RUNTIME_EVENT_SYNC},
        {"cudaEventQuery", RUNTIME_OTHER},
        {"cudaFreeAsync", RUNTIME_OTHER},
        {"cudaFreeHost", RUNTIME_FREE},
        {"cudaStreamWaitEvent", RUNTIME_STREAM_WAIT},
        {"cudaEventRecordWithFlags", RUNTIME_EVENT_RECORD},
        {"cudaMalloc", RUNTIME_OTHER},
        {"cudaStreamIsCapturing", RUNTIME_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(runtime_call_of(str_of(cases[i].name)), cases[i].call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_cut_where_calls_begin_and_end),
        cmocka_unit_test(calls_that_end_after_the_call_around_them_still_tile),
        cmocka_unit_test(the_training_thread_lasts_as_long_as_its_annotations),
        cmocka_unit_test(a_kernel_depends_on_its_launch_and_on_the_stream),
        cmocka_unit_test(a_kernel_may_start_while_its_launch_call_runs),
        cmocka_unit_test(a_kernel_before_its_launch_is_counted_and_kept_without),
        cmocka_unit_test(every_kernel_of_a_graph_depends_on_the_one_launch),
        cmocka_unit_test(a_join_inside_a_graph_is_told_by_time),
        cmocka_unit_test(a_kernel_that_finds_the_device_taken_depends_on_the_kernel_there),
        cmocka_unit_test(a_device_clock_that_runs_ahead_keeps_its_launches),
        cmocka_unit_test(a_synchronisation_waits_for_the_last_work),
        cmocka_unit_test(a_query_waits_for_nothing),
        cmocka_unit_test(a_recorded_event_tells_which_work_was_awaited),
        cmocka_unit_test(a_copy_to_pageable_memory_blocks_and_one_to_pinned_does_not),
        cmocka_unit_test(a_stream_wait_that_was_recorded_ties_two_streams),
        cmocka_unit_test(a_stream_wait_is_told_by_its_calls_where_no_row_was_recorded),
        cmocka_unit_test(a_launch_into_a_full_queue_waits_for_the_stream),
        cmocka_unit_test(the_training_thread_pauses_while_autograd_runs),
        cmocka_unit_test(a_thread_that_works_beside_the_training_thread_hands_nothing_over),
        cmocka_unit_test(the_training_thread_waits_for_a_collective_that_ends_in_its_gap),
        cmocka_unit_test(a_wait_taken_away_lets_the_next_launch_come_earlier),
        cmocka_unit_test(work_taken_away_beside_the_path_saves_nothing),
        cmocka_unit_test(faster_kernels_help_until_the_host_is_the_limit),
        cmocka_unit_test(every_real_trace_replays_as_it_was_recorded),
        cmocka_unit_test(runtime_calls_are_told_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
