/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over plans whose times can be told by hand. */
#include "planted_plan.h"

#include <stdlib.h>

static int open_plan(void **state)
{
    *state = malloc(sizeof(struct planted_plan));
    planted_plan_open(*state);
    return 0;
}

static int close_plan(void **state)
{
    struct planted_plan *p = *state;
    arena_free(&p->arena);
    free(p);
    return 0;
}

static void run(struct planted_plan *p)
{
    struct steptime_error err = {0};
    if (!walk(&p->plan, &p->arena, &p->walked, &err))
        fail_msg("%s", err.message);
}

static void host_alone(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 3, 10);
    add_op(p, "b", 4, 20);
    p->plan.tail_us = 7;
    run(p);
    assert_us(p->walked.step_us, 3 + 10 + 4 + 20 + 7);
    assert_us(p->walked.host_us, p->walked.step_us);
    assert_us(p->walked.op_start_us[1], 17);
    assert_us(p->walked.active_us, 0);
    assert_us(p->walked.idle_us, p->walked.step_us);
}

static void work_begins_after_its_call_or_after_the_work_before(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 3, 4);
    add_launch(p, 0, 10, 100);
    add_launch(p, 0, 6, 50);
    run(p);
    assert_us(p->walked.launch_start_us[0], 13 + START_US);
    assert_us(p->walked.launch_end_us[0], 118);
    assert_us(p->walked.launch_start_us[1], 118 + GAP_US);
    assert_us(p->walked.host_us, 3 + 10 + CALL_US + 6 + CALL_US + 4);
    assert_us(p->walked.step_us, 118 + 1 + 50);
    assert_us(p->walked.active_us, 150);
    assert_us(p->walked.idle_us, 19);
}

static void the_host_loads_before_its_first_operator(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 3, 10);
    add_op(p, "b", 4, 20);
    p->plan.load.own_us = 100;
    p->plan.repeats = true;
    run(p);
    assert_us(p->walked.step_us, 100 + 3 + 10 + 4 + 20);
    assert_us(p->walked.op_start_us[0], 103);
    plan_scale_host(&p->plan, 0.5);
    run(p);
    assert_us(p->walked.step_us, 137 / 2.0);
}

static void no_step_is_shorter_than_its_batches_take(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 3, 10);
    p->plan.repeats = true;
    p->plan.load.feed_us = 12;
    run(p);
    assert_us(p->walked.step_us, 13);
    p->plan.load.feed_us = 50;
    run(p);
    assert_us(p->walked.step_us, 50);
}

static void streams_run_side_by_side_until_an_event(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 0, 0);
    add_launch(p, 0, 0, 100); /* 5 .. 105 */
    add_launch(p, 1, 0, 10);  /* 7 .. 17 */
    add_wait(p, add_launch(p, 1, 0, 10), 0);
    run(p);
    assert_us(p->walked.launch_start_us[1], 7);
    assert_us(p->walked.launch_start_us[2], 105 + GAP_US);
    assert_us(p->walked.active_us, 110);
    assert_us(p->walked.step_us, 116);
}

static void a_blocking_copy_holds_the_host(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 0, 0);
    add_launch(p, 0, 0, 100);
    add_op(p, "copy", 0, 4);
    add_launch(p, 0, 0, 20)->wait_stream = 0; /* 106 .. 126 */
    add_op(p, "b", 0, 8);
    run(p);
    assert_us(p->walked.op_end_us[1], 126 + RETURN_US + 4);
    assert_us(p->walked.wait_us, 126 + RETURN_US - 4);
    assert_us(p->walked.step_us, 126 + RETURN_US + 4 + 8);
}

static void a_wait_for_the_device_waits_for_all_streams(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 0, 0);
    add_launch(p, 0, 0, 10);
    add_launch(p, 1, 0, 300); /* 7 .. 307 */
    add_op(p, "synchronize", 0, 1)->wait_stream = WAITS_FOR_ALL;
    run(p);
    assert_us(p->walked.step_us, 307 + RETURN_US + 1);
}

static void a_wait_for_what_is_done_takes_no_time(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 0, 100);
    add_launch(p, 0, 0, 10);
    add_op(p, "synchronize", 0, 1)->wait_stream = 0;
    run(p);
    assert_us(p->walked.wait_us, 0);
    assert_us(p->walked.step_us, CALL_US + 100 + 1);
}

static void the_autograd_thread_follows_the_main_thread(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "forward", 0, 50);
    struct plan_op *backward = add_op(p, "backward", 10, 30);
    backward->thread = 1;
    backward->follows = 0;
    add_op(p, "optimizer", 5, 20)->follows = 1;
    run(p);
    assert_us(p->walked.op_start_us[1], 60);
    assert_us(p->walked.op_start_us[2], 95);
    assert_us(p->walked.step_us, 115);
}

static void threads_that_follow_nobody_run_at_once(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 0, 50);
    add_op(p, "b", 10, 30)->thread = 1;
    run(p);
    assert_us(p->walked.op_start_us[1], 10);
    assert_us(p->walked.step_us, 50);
}

static void a_full_queue_holds_the_host(void **state)
{
    struct planted_plan *p = *state;
    p->plan.device.queue_room = 4;
    add_op(p, "a", 0, 0);
    for (int i = 0; i < 8; i++)
        add_launch(p, 0, 0, 100);
    run(p);
    /* The fifth is called when the first has begun, at 5; the eighth when the fourth has, at 308. */
    assert_us(p->walked.launch_start_us[3], 5 + 3 * 101);
    assert_us(p->walked.host_us, 308 + CALL_US);
    assert_us(p->walked.step_us, 5 + 8 * 100 + 7);
}

/* The device takes 210 us a step and the host 24: from step to step it is the device that counts. */
static void a_step_of_many_takes_what_the_slower_side_takes(void **state)
{
    struct planted_plan *p = *state;
    p->plan.repeats = true;
    add_op(p, "a", 10, 10);
    add_launch(p, 0, 0, 108);
    add_launch(p, 0, 0, 100);
    run(p);
    assert_us(p->walked.step_us, 210);
    assert_us(p->walked.idle_us, 2);
    p->launches[0].us = p->launches[1].us = 1;
    run(p);
    assert_us(p->walked.step_us, 24);
}

/* A wait at the end puts host and device one behind the other, in every step. */
static void a_wait_in_each_step_counts_in_each_step(void **state)
{
    struct planted_plan *p = *state;
    p->plan.repeats = true;
    add_op(p, "a", 10, 10);
    add_launch(p, 0, 0, 100)->wait_stream = 0;
    run(p);
    assert_us(p->walked.step_us, 10 + START_US + 100 + RETURN_US + 10);
}

static void what_is_gone_takes_no_time(void **state)
{
    struct planted_plan *p = *state;
    p->plan.between_us = 3;
    add_op(p, "a", 3, 4)->gone = true;
    add_launch(p, 0, 10, 100);
    add_op(p, "b", 1, 1);
    add_launch(p, 0, 0, 10)->gone = true;
    add_wait(p, add_launch(p, 1, 0, 7), 0);
    run(p);
    assert_true(isnan(p->walked.launch_start_us[0]));
    assert_true(isnan(p->walked.launch_start_us[1]));
    assert_us(p->walked.launch_start_us[2], 1 + START_US);
    assert_us(p->walked.active_us, 7);
}

/* The loader that the host waits for before an operator is not the operator's. */
static void what_is_gone_leaves_an_unusual_gap_before_it(void **state)
{
    struct planted_plan *p = *state;
    p->plan.between_us = 3;
    add_op(p, "a", 1000, 4)->gone = true;
    add_op(p, "b", 1, 1);
    run(p);
    assert_us(p->walked.host_us, 997 + 1 + 1);
}

static void communication_counts_as_exposed_where_nothing_else_runs(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "a", 0, 0);
    add_launch(p, 0, 0, 100);        /* 5 .. 105 */
    add_all_reduce(p, 1, 0, 0, 148); /* 7 .. 155 */
    run(p);
    assert_us(p->walked.communication_us, 148);
    assert_us(p->walked.exposed_communication_us, 50);
    assert_us(p->walked.active_us, 150);
}

/* The wait that goes against the order of the calls is left out; the other holds. */
static void events_that_wait_in_a_circle_contradict_the_calls(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "first", 0, 0);
    add_wait(p, add_launch(p, 0, 0, 10), 1);
    add_op(p, "second", 0, 0);
    add_wait(p, add_launch(p, 1, 0, 10), 0);
    run(p);
    assert_int_equal(p->walked.contradicting, 1);
    assert_us(p->walked.launch_start_us[0], START_US);
    assert_us(p->walked.launch_start_us[1], START_US + 10 + GAP_US);
}

/* Work may wait for what another thread calls later, unless that waits for it. */
static void work_may_wait_for_later_calls(void **state)
{
    struct planted_plan *p = *state;
    add_op(p, "first", 0, 0);
    add_wait(p, add_launch(p, 0, 0, 10), 1);
    add_op(p, "second", 50, 0)->thread = 1;
    add_launch(p, 1, 0, 10);
    run(p);
    assert_int_equal(p->walked.contradicting, 0);
    assert_us(p->walked.launch_start_us[1], 50 + START_US);
    assert_us(p->walked.launch_start_us[0], 50 + START_US + 10 + GAP_US);
}

/* The host comes a moment after the work has ended: it waits no longer than if it had come before. */
static void a_host_that_comes_earlier_is_never_later(void **state)
{
    double end_us[2];
    for (int i = 0; i < 2; i++) {
        struct planted_plan *p = *state;
        arena_free(&p->arena);
        planted_plan_open(p);
        add_op(p, "a", 0, 0);
        add_launch(p, 0, 0, 100); /* 5 .. 105 */
        add_op(p, "b", i ? 104 : 102, 1)->wait_stream = 0;
        run(p);
        end_us[i] = p->walked.host_us;
    }
    assert_us(end_us[0], 105 + RETURN_US + 1);
    assert_true(end_us[0] <= end_us[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_plan, close_plan)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(host_alone),
        TEST(work_begins_after_its_call_or_after_the_work_before),
        TEST(the_host_loads_before_its_first_operator),
        TEST(no_step_is_shorter_than_its_batches_take),
        TEST(streams_run_side_by_side_until_an_event),
        TEST(a_blocking_copy_holds_the_host),
        TEST(a_wait_for_the_device_waits_for_all_streams),
        TEST(a_wait_for_what_is_done_takes_no_time),
        TEST(the_autograd_thread_follows_the_main_thread),
        TEST(threads_that_follow_nobody_run_at_once),
        TEST(a_full_queue_holds_the_host),
        TEST(a_step_of_many_takes_what_the_slower_side_takes),
        TEST(a_wait_in_each_step_counts_in_each_step),
        TEST(what_is_gone_takes_no_time),
        TEST(what_is_gone_leaves_an_unusual_gap_before_it),
        TEST(communication_counts_as_exposed_where_nothing_else_runs),
        TEST(events_that_wait_in_a_circle_contradict_the_calls),
        TEST(work_may_wait_for_later_calls),
        TEST(a_host_that_comes_earlier_is_never_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
