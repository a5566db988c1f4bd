/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder left out of the replay of some steps. */
#include <math.h>

#include "graph/bare.h"
#include "graph_case.h"

/* Three steps of 100 us: an operator of 40 launches a kernel that takes `kernel_us` from 20 us on. */
static struct trace *steps_of(int64_t kernel_us, double slowed)
{
    static const char *const marks[] = {"ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"};
    struct trace *t = trace_new();
    for (int64_t step = 0; step < 3; step++) {
        const int64_t at = 100 * step;
        const struct event mark = event_at(t, EVENT_ANNOTATION, thread_lane(t, MAIN), marks[step], at, 100);
        trace_add(t, &mark);
        op(t, MAIN, "aten::mm", at, 90);
        call(t, "cudaLaunchKernel", 1 + step, at + 10, 5);
        kernel(t, 7, 1 + step, at + 20, kernel_us);
    }
    trace_finish(t);
    t->info.slowed = slowed;
    return t;
}

static double share_of(int64_t kernel_us, double slowed)
{
    struct arena arena = {0};
    struct trace *t = steps_of(kernel_us, slowed);
    const struct work_classes *classes = work_classes_new(t, &arena);
    struct graph *graph = graph_new(t, classes);
    const struct graph_steps steps = graph_steps_of(graph, (struct step_range){0, t->step_count}, &arena);
    const double share = graph_bare_share(graph, &steps);
    graph_free(graph);
    trace_free(t);
    arena_free(&arena);
    return share;
}

static void what_is_not_known_stays(void **state)
{
    assert_true(share_of(10, 0) == 1);
    assert_true(share_of(10, 1) == 1);
}

static void of_the_host_alone_it_is_the_whole(void **state)
{
    assert_true(fabs(share_of(10, 2) - 0.5) < 0.02);
    assert_true(fabs(share_of(10, 1.5) - 1 / 1.5) < 0.02);
}

/* The device alone takes most of the steps: no share of the host's time makes them a third. */
static void where_the_device_takes_longer_it_was_slowed_too(void **state)
{
    assert_true(fabs(share_of(95, 3) - 1.0 / 3) < 1e-6);
}

static void a_time_is_rounded(void **state)
{
    assert_int_equal(graph_bare_ns(1, 7), 7);
    assert_int_equal(graph_bare_ns(0.5, 7), 4);
    assert_int_equal(graph_bare_ns(0.25, 7), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_stays),
        cmocka_unit_test(of_the_host_alone_it_is_the_whole),
        cmocka_unit_test(where_the_device_takes_longer_it_was_slowed_too),
        cmocka_unit_test(a_time_is_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
