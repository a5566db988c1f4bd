/* SPDX-License-Identifier: Apache-2.0 */
/* What waits for what: synchronisations, copies, events, full queues, threads that hand over. */
#include "graph_case.h"

/* ---- waits ---- */

static void a_synchronisation_waits_for_the_last_work(void **state)
{
    static const char *const names[] = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                                        "hipDeviceSynchronize",  "hipStreamSynchronize",  "cudaFree"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct trace *t = one_wait(names[i]);
        struct graph *g = graph_of(t);
        assert_true(has_edge(g, 1, 2, EDGE_WAIT));
        assert_int_equal(g->net.start[graph_node_of(g, 2)], 130000);
        assert_int_equal(g->net.work[graph_node_of(g, 2)], 5000);
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
    for (uint32_t i = 0; i < g->net.count; i++)
        on_main += graph_lane(g, i) == g->main_lane ? g->net.work[i] : 0;
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

/* Up to the end of what another thread did; what it does beside that is its own work. */
static void an_operator_that_waits_waits_for_what_ends_in_it_last(void **state)
{
    enum { WORKER = 3, OTHER = 4 };
    struct trace *t = trace_new();
    op(t, MAIN, "aten::mm", 0, 50);
    op(t, WORKER, "aten::mm", 30, 450);
    op(t, OTHER, "aten::mm", 60, 100);
    op(t, MAIN, "aten::wait", 60, 440);
    op(t, MAIN, "aten::empty", 62, 8);
    op(t, MAIN, "aten::mm", 510, 40);
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_THREAD], 2); /* given at 30, waited for at 480 */
    int64_t on_main = 0;
    for (uint32_t i = 0; i < g->net.count; i++)
        on_main += graph_lane(g, i) == g->main_lane ? g->net.work[i] : 0;
    assert_int_equal(on_main, (50 + 10 + 2 + 8 + 20 + 10 + 40) * 1000);
    drop(t, g);
}

static void an_operator_of_another_name_waits_for_nobody(void **state)
{
    enum { WORKER = 3 };
    struct trace *t = trace_new();
    op(t, MAIN, "aten::mm", 0, 50);
    op(t, WORKER, "aten::mm", 30, 450);
    op(t, MAIN, "aten::conv2d", 60, 440);
    struct graph *g = graph_of(t);
    assert_int_equal(g->by_kind[EDGE_THREAD], 0);
    drop(t, g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(an_operator_that_waits_waits_for_what_ends_in_it_last),
        cmocka_unit_test(an_operator_of_another_name_waits_for_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
