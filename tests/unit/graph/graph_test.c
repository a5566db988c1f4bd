/* SPDX-License-Identifier: Apache-2.0 */
/* The dependency graph: what depends on what, the longest path, and replays. */
#include <glob.h>
#include <stdlib.h>

#include "graph/runtime.h"
#include "graph_case.h"
#include "read/read.h"
#include "unit/shared_data.h"

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
    assert_int_equal(g->net.count, 5);
    for (uint32_t i = 0; i < g->net.count; i++) {
        assert_int_equal(g->net.start[i], expected[i].start_us * 1000);
        assert_int_equal(g->net.work[i], expected[i].work_us * 1000);
        assert_int_equal(g->row[i], expected[i].row);
        assert_int_equal(g->net.kind[i], expected[i].kind);
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
    assert_int_equal(g->net.count, 3);
    assert_int_equal(g->net.kind[0], NODE_BETWEEN);
    assert_int_equal(g->net.kind[2], NODE_AFTER);
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
    assert_int_equal(g->net.before[graph_node_of(g, 3)], graph_node_of(g, 1));
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
    assert_int_equal(g->net.edge_count, 0);
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

/* So many kernels of one graph, each on a stream of its own, 40 streams a device. */
static struct trace *many_streams(int count)
{
    struct trace *t = trace_new();
    call(t, "cudaGraphLaunch", 1, 0, 10);
    for (int i = 0; i < count; i++) {
        struct event e = event_at(t, EVENT_KERNEL, stream_of(t, i / 40, i), "kernel", 20, i == 118 ? 300 : 100);
        add_id(&e, 1);
        trace_add(t, &e);
    }
    return t;
}

static void a_join_is_told_on_any_of_many_devices(void **state)
{
    struct trace *t = many_streams(120);
    struct event e = event_at(t, EVENT_KERNEL, stream_of(t, 2, 119), "kernel", 321, 50);
    add_id(&e, 1);
    trace_add(t, &e);
    struct graph *g = graph_of(t);
    assert_true(has_edge(g, 119, 121, EDGE_STREAM));
    assert_int_equal(t->note_count, 0);
    drop(t, g);
}

static void more_streams_than_are_looked_at_are_told(void **state)
{
    struct trace *t = trace_new();
    for (int i = 0; i < 70; i++)
        kernel(t, 100 + i, 1, 20, 10);
    trace_finish(t);
    assert_int_equal(t->note_count, 1);
    assert_true(str_starts(t->notes[0].text, S("a device has 70 streams; ")));
    trace_free(t);
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

/* ---- replay ---- */

static int64_t half(const void *context, uint32_t node)
{
    const struct graph *g = context;
    return g->net.kind[node] == NODE_DEVICE ? g->net.work[node] / 2 : g->net.work[node];
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
    const struct change faster = {.context = g, .work = half};
    const struct schedule schedule = net_run(&g->net, &faster, &scratch);
    /* the last launch ends at 790, 10 us after its predecessor's kernel; it takes the floor, here 0 */
    assert_int_equal(g->launch_floor_ns, 0);
    assert_int_equal(schedule.span, 840000);
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
    struct arena scratch = {0};
    size_t seen = 0;
    check_files(str_printf(&scratch, "%s/tests/data/recorded/*.json.gz", source).at, &seen);
    assert_true(seen > 0);
    check_files(shared_data("traces/kineto/*.json.gz"), &seen);
    check_files(shared_data("traces/multirank/*/*.json.gz"), &seen);
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
        cmocka_unit_test(a_join_is_told_on_any_of_many_devices),
        cmocka_unit_test(more_streams_than_are_looked_at_are_told),
        cmocka_unit_test(a_kernel_that_finds_the_device_taken_depends_on_the_kernel_there),
        cmocka_unit_test(a_device_clock_that_runs_ahead_keeps_its_launches),
        cmocka_unit_test(faster_kernels_help_until_the_host_is_the_limit),
        cmocka_unit_test(every_real_trace_replays_as_it_was_recorded),
        cmocka_unit_test(runtime_calls_are_told_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
