/* SPDX-License-Identifier: Apache-2.0 */
/* Several ranks of one job: their collectives are one, and begin when the last rank has come. */
#include "planted_plan.h"

#include <stdlib.h>

enum { RANKS = 3 };

struct job {
    struct planted_plan ranks[RANKS];
    const struct plan *plans[RANKS];
    struct walked walked[RANKS];
    struct arena arena;
    struct steptime_error err;
};

static int open_job(void **state)
{
    struct job *job = calloc(1, sizeof *job);
    for (int r = 0; r < RANKS; r++) {
        planted_plan_open(&job->ranks[r]);
        job->ranks[r].program.rank = r;
        job->plans[r] = &job->ranks[r].plan;
    }
    *state = job;
    return 0;
}

static int close_job(void **state)
{
    struct job *job = *state;
    arena_free(&job->arena);
    free(job);
    return 0;
}

static bool run(struct job *job, uint32_t ranks)
{
    return walk_ranks(job->plans, ranks, &job->arena, job->walked, &job->err);
}

/* Rank 1 computes longer. What the others recorded of the collective holds the waiting for it; its own 20 us do not. */
static void a_collective_begins_with_the_last_rank(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < RANKS; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "a", 0, 0);
        add_launch(p, 0, 0, r == 1 ? 400 : 100);
        struct plan_op *op = add_op(p, "all_reduce", 0, 0);
        add_all_reduce(p, 1, 0, 0, r == 1 ? 20 : 320);
        add_wait(p, &p->launches[1], 0);
        op->last_us = 1;
    }
    assert_true(run(job, RANKS));
    for (int r = 0; r < RANKS; r++) {
        assert_us(job->walked[r].launch_start_us[1], START_US + 400 + GAP_US);
        assert_us(job->walked[r].step_us, START_US + 400 + GAP_US + 20);
    }
}

/* Groups 0 and 1 on two streams, called in opposite orders: on streams of their own nothing waits in a circle. */
static void streams_of_their_own_do_not_block_each_other(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "both", 0, 0);
        add_all_reduce(p, r == 0 ? 1 : 2, 0, r == 0 ? 0 : 1, 10);
        add_all_reduce(p, r == 0 ? 2 : 1, 0, r == 0 ? 1 : 0, 10);
    }
    assert_true(run(job, 2));
    assert_us(job->walked[0].step_us, CALL_US + START_US + 10);
}

static void a_circle_of_ranks_is_named(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "both", 0, 0);
        add_all_reduce(p, 1, 4, r == 0 ? 0 : 1, 10);
        add_all_reduce(p, 1, 4, r == 0 ? 1 : 0, 10);
    }
    assert_false(run(job, 2));
    assert_int_equal(job->err.code, STEPTIME_INPUT);
    assert_non_null(strstr(job->err.message, "rank 0 in all_reduce 4"));
    assert_non_null(strstr(job->err.message, "rank 1 in all_reduce 4"));
}

static void other_kinds_at_one_place_are_named(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "one", 0, 0);
        add_all_reduce(p, 1, 0, 0, 10);
    }
    job->ranks[1].collectives[0].kind = COLLECTIVE_ALL_TO_ALL;
    assert_false(run(job, 2));
    assert_non_null(strstr(job->err.message, "all_reduce"));
    assert_non_null(strstr(job->err.message, "all_to_all"));
}

/* Without numbers the first of a group meets the first. */
static void order_matches_where_there_are_no_numbers(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "a", r * 100, 0);
        add_all_reduce(p, 1, -1, 0, 10);
        add_all_reduce(p, 1, -1, 0, 10);
    }
    assert_true(run(job, 2));
    assert_us(job->walked[0].launch_start_us[0], 100 + START_US);
    assert_us(job->walked[0].step_us, 100 + START_US + 10 + GAP_US + 10);
}

/* The host of rank 0 reads the result of a collective before it goes on. */
static void a_host_waits_for_other_ranks(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "a", r * 1000, 0);
        add_all_reduce(p, 1, -1, 0, 10);
        p->launches[0].wait_stream = 1;
        add_op(p, "b", 0, 50);
    }
    assert_true(run(job, 2));
    assert_us(job->walked[0].step_us, 1000 + START_US + 10 + RETURN_US + 50);
    assert_us(job->walked[0].wait_us, 1000 + START_US + 10 + RETURN_US - CALL_US);
}

/* The kernel of the first to come lies on its device until the last has come, as in a recording. */
static void who_waits_in_a_collective_is_active(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "a", r * 100, 0);
        add_all_reduce(p, 1, 0, 0, 10);
    }
    assert_true(run(job, 2));
    assert_us(job->walked[0].active_us, 100 + 10);
    assert_us(job->walked[0].communication_us, 100 + 10);
    assert_us(job->walked[1].active_us, 10);
}

static void a_rank_that_comes_less_often_is_named(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < RANKS; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "a", 0, 0);
        add_all_reduce(p, 1, -1, 0, 10);
        if (r != 1)
            add_all_reduce(p, 1, -1, 0, 10);
    }
    assert_false(run(job, RANKS));
    assert_int_equal(job->err.code, STEPTIME_INPUT);
    assert_non_null(strstr(job->err.message, "recorded 2 times on the 3 ranks"));
}

/* The group has a third rank, which may have been the last. */
static void nobody_waits_where_a_rank_is_missing(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        add_op(p, "a", r * 100, 0);
        add_all_reduce(p, 1, 0, 0, 10 + r);
        p->groups[0].size = 3;
    }
    assert_true(run(job, 2));
    assert_us(job->walked[0].step_us, START_US + 10);
    assert_us(job->walked[1].step_us, 100 + START_US + 11);
}

/* An all-reduce without a number that was recorded: it ended at `end_us` of the rank's trace. */
static void add_recorded(struct planted_plan *p, int64_t end_us)
{
    add_all_reduce(p, 1, -1, 0, 10);
    struct plan_launch *launch = &p->launches[p->plan.launch_count - 1];
    launch->source = p->plan.launch_count - 1;
    p->collectives[launch->collective].start_ns = (end_us - 10) * 1000;
}

/* Rank 1 has not recorded the first of three. By place its second would meet the first of rank 0. */
static void time_matches_where_one_was_not_recorded(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        struct planted_plan *p = &job->ranks[r];
        p->program.dated = true;
        add_op(p, "a", 0, 0);
        for (int64_t i = r; i < 3; i++) {
            add_op(p, "b", r && i == 1 ? 5000 : 0, 0);
            add_recorded(p, 1000 + 1700 * i * i);
        }
    }
    assert_true(run(job, 2));
    assert_int_equal(job->walked[0].unmet, 1);
    assert_int_equal(job->walked[1].unmet, 0);
    assert_true(job->walked[0].launch_start_us[0] < 100);
    assert_us(job->walked[0].launch_start_us[1], job->walked[1].launch_start_us[0]);
    assert_us(job->walked[0].launch_start_us[2], job->walked[1].launch_start_us[1]);
}

static void doubt_of_who_met_whom_is_told(void **state)
{
    struct job *job = *state;
    for (int r = 0; r < 2; r++) {
        job->ranks[r].program.step = -1;
        for (int64_t i = 0; i < 8; i++) {
            add_op(&job->ranks[r], "a", 0, 0);
            add_recorded(&job->ranks[r], 1000 * i + 100);
        }
    }
    assert_true(run(job, 2));
    assert_int_equal(job->walked[1].doubt.pairs, 8);
    assert_int_equal(job->walked[1].doubt.next, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_job, close_job)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_collective_begins_with_the_last_rank),
        TEST(streams_of_their_own_do_not_block_each_other),
        TEST(a_circle_of_ranks_is_named),
        TEST(other_kinds_at_one_place_are_named),
        TEST(order_matches_where_there_are_no_numbers),
        TEST(a_host_waits_for_other_ranks),
        TEST(who_waits_in_a_collective_is_active),
        TEST(a_rank_that_comes_less_often_is_named),
        TEST(nobody_waits_where_a_rank_is_missing),
        TEST(time_matches_where_one_was_not_recorded),
        TEST(doubt_of_who_met_whom_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
