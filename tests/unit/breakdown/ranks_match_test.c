/* SPDX-License-Identifier: Apache-2.0 */
/* Which collectives of several ranks are the same one, and which have no partner. */
#include "planted_job.h"

/* Rank 1's recording begins a step later and rank 2's ends a step earlier: what all have is compared. */
static void recordings_of_other_lengths_match_by_step(void **state)
{
    struct job *job = job_new(3);
    on_one_host(job);
    for (uint32_t r = 0; r < 3; r++)
        for (int64_t step = r == 1; step < (r == 2 ? 4 : 5); step++) {
            const int64_t start = step * STEP_US;
            plant_step(&job->p[r], step, start, STEP_US);
            plant_work(&job->p[r], (struct planted_work){.launch_us = start, .us = start, .dur_us = COMPUTE_US});
            plant_all_reduce(job, r, start + COMPUTE_US + (r == 2 ? LATE_US : 0),
                             start + COMPUTE_US + LATE_US + TRANSFER_US);
        }
    for (uint32_t r = 0; r < 3; r++)
        job->p[r].trace->info.base_ns = 0;
    compare(job);
    assert_int_equal(job->ranks.meeting_count, 3);
    assert_int_equal(job->ranks.unmatched, 2 + 1 + 1);
    assert_int_equal(job->ranks.accounts[2].late_ns, 3 * 3 * MS);
    assert_true(job->ranks.accounts[0].comparable);
    done(job);
}

/* Rank 1 alone has recorded the launch of a collective that the others had called before: clocks differ by 7 s. */
static void a_collective_queued_before_the_recording_shifts_nothing(void **state)
{
    struct job *job = job_new(3);
    for (uint32_t r = 0; r < 3; r++) {
        job->shift_us[r] = r == 2 ? 7 * 1000 * 1000 : 0;
        plant_all_steps(job, r);
        if (r == 1)
            plant_all_reduce(job, r, 0, 300);
        for (int64_t start = 0; start < STEPS * STEP_US; start += STEP_US)
            for (int64_t i = 1; i <= 4; i++)
                plant_all_reduce(job, r, start + i * 3000 + (r == 2 ? 1000 : 0), start + i * 3000 + 1000 + TRANSFER_US);
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, STEPS * 4);
    assert_int_equal(job->ranks.unmatched, 1);
    assert_int_equal(job->ranks.accounts[2].late_ns, STEPS * 4 * MS);
    done(job);
}

static void sequence_numbers_match_whatever_the_step(void **state)
{
    struct job *job = job_new(2);
    on_one_host(job);
    for (uint32_t r = 0; r < 2; r++) {
        plant_host(&job->p[r], EVENT_OPERATOR, "aten::mm", 0, 1);
        for (int64_t seq = r; seq < 10; seq++) { /* rank 1 has not recorded number 0 */
            struct event e = all_reduce(job, r, 20, seq * 5000 + r * 1000, seq * 5000 + 1100, 64);
            event_set(&e, ATTR_COLLECTIVE_SEQ, seq);
            event_set(&e, ATTR_GROUP_NAME, intern_id(trace_names(job->p[r].trace), S("0")));
            trace_add(job->p[r].trace, &e);
        }
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, 9);
    assert_int_equal(job->ranks.accounts[1].late_ns, 9 * MS);
    assert_int_equal(job->ranks.unmatched, 1);
    done(job);
}

/* Without numbers and steps the order is all there is; ranks on one clock that are not inside together were matched wrongly. */
static void wrong_matches_are_left_out(void **state)
{
    struct job *job = job_new(2);
    on_one_host(job);
    for (uint32_t r = 0; r < 2; r++) {
        plant_host(&job->p[r], EVENT_OPERATOR, "aten::mm", 0, 1);
        for (int64_t i = r; i < 10 + r; i++)
            plant_all_reduce(job, r, i * 5000, i * 5000 + 300);
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, 0);
    assert_int_equal(job->ranks.disjoint, 20);
    expect_nobody(job);
    done(job);
}

/* Rank 3 of another job: other sizes in the same places. */
static void ranks_with_other_collectives_are_not_comparable(void **state)
{
    struct job *job = job_new(4);
    plant_training(job, (int64_t[]){0, LATE_US, 0, 0});
    trace_free(job->p[3].trace);
    job->p[3] = planted_new();
    plant_all_steps(job, 3);
    for (int64_t start = 0; start < STEPS * STEP_US; start += STEP_US) {
        const struct event e = all_reduce(job, 3, 20, start, start + 100, 12345);
        trace_add(job->p[3].trace, &e);
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, STEPS);
    assert_int_equal(job->ranks.unmatched, STEPS);
    assert_false(job->ranks.accounts[3].comparable);
    assert_int_equal(job->ranks.accounts[1].late_ns, STEPS * 3 * MS);
    done(job);
}

/* Groups of two among four ranks: each compares within itself. */
static void groups_are_compared_within_themselves(void **state)
{
    struct job *job = job_new(4);
    on_one_host(job);
    for (uint32_t r = 0; r < 4; r++) {
        plant_all_steps(job, r);
        for (int64_t start = 0; start < STEPS * STEP_US; start += STEP_US) {
            struct event e =
                all_reduce(job, r, 20, start + COMPUTE_US + r * LATE_US, start + COMPUTE_US + 3 * LATE_US + 100, 64);
            event_set(&e, ATTR_GROUP_RANKS, intern_id(trace_names(job->p[r].trace), r < 2 ? S("[0, 1]") : S("[2, 3]")));
            event_set(&e, ATTR_GROUP_SIZE, 2);
            trace_add(job->p[r].trace, &e);
        }
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, 2 * STEPS);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(job->ranks.accounts[r].late_ns, r % 2 ? STEPS * 3 * MS : 0);
    done(job);
}

static void messages_between_two_of_many_are_left_out(void **state)
{
    struct job *job = job_new(3);
    for (uint32_t r = 0; r < 3; r++) {
        plant_all_steps(job, r);
        struct event e = kernel(job, r, 20, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 100, 50);
        event_set(&e, ATTR_COLLECTIVE, intern_id(trace_names(job->p[r].trace), r ? S("recv") : S("send")));
        event_set(&e, ATTR_GROUP_SIZE, 3);
        trace_add(job->p[r].trace, &e);
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, 0);
    assert_int_equal(job->ranks.not_matchable, 3);
    done(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_of_other_lengths_match_by_step),
        cmocka_unit_test(a_collective_queued_before_the_recording_shifts_nothing),
        cmocka_unit_test(sequence_numbers_match_whatever_the_step),
        cmocka_unit_test(wrong_matches_are_left_out),
        cmocka_unit_test(ranks_with_other_collectives_are_not_comparable),
        cmocka_unit_test(groups_are_compared_within_themselves),
        cmocka_unit_test(messages_between_two_of_many_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
