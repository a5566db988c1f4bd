/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks whose entries into their collectives were planted: late, waited and
 * caused times, clocks and reasons come back to the nanosecond.
 */
#include "planted_job.h"

#include <math.h>

/* ---- a straggler ---- */

static void expect_straggler(const struct job *job, uint32_t late)
{
    str sentence;
    struct arena scratch = {0};
    const uint32_t others = job->count - 1;
    assert_int_equal(job->ranks.meeting_count, STEPS);
    assert_int_equal(ranks_verdict(&job->ranks, &scratch, &sentence), late);
    for (uint32_t r = 0; r < job->count; r++) {
        const struct rank_account *account = &job->ranks.accounts[r];
        assert_int_equal(account->late_ns, r == late ? STEPS * 3 * MS : 0);
        assert_int_equal(account->late, r == late ? STEPS : 0);
        assert_int_equal(account->last, r == late ? STEPS : 0);
        assert_int_equal(account->saving_ns, r == late ? STEPS * 3 * MS : 0);
        assert_int_equal(account->waited_ns, r == late ? 0 : STEPS * 3 * MS);
        assert_int_equal(account->caused_ns, r == late ? others * STEPS * 3 * MS : 0);
        assert_true(account->comparable);
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        assert_int_equal(job->ranks.meetings[i].skew_ns, 3 * MS);
        assert_int_equal(job->ranks.meetings[i].last_rank, late);
        assert_int_equal(job->ranks.meetings[i].transfer_ns, TRANSFER_US * 1000);
        assert_int_equal(job->ranks.meetings[i].bytes, 4 << 20);
    }
    arena_free(&scratch);
}

static void a_straggler_of_3_ms_is_late_by_3_ms(void **state)
{
    static const struct {
        uint32_t ranks, late;
    } jobs[] = {{2, 0}, {2, 1}, {3, 1}, {4, 3}, {8, 5}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct job *job = job_new(jobs[i].ranks);
        int64_t late_us[MOST_RANKS] = {0};
        late_us[jobs[i].late] = LATE_US;
        plant_training(job, late_us);
        compare(job);
        expect_straggler(job, jobs[i].late);
        done(job);
    }
}

static void what_made_it_late_is_its_compute(void **state)
{
    struct job *job = job_new(4);
    plant_training(job, (int64_t[]){0, 0, LATE_US, 0});
    compare(job);
    const struct rank_account *late = &job->ranks.accounts[2];
    for (int time = 0; time < RANK_TIMES; time++)
        assert_int_equal((int64_t)late->excess_ns[time], time == TIME_COMPUTE ? STEPS * 3 * MS : 0);
    assert_int_equal((int64_t)late->began_ns, 0);
    assert_int_equal(job->numbers[2].time_ns[TIME_COMPUTE], STEPS * (COMPUTE_US + LATE_US) * 1000LL);
    assert_int_equal(job->numbers[2].communication_ns, STEPS * TRANSFER_US * 1000LL);
    assert_int_equal(job->numbers[0].communication_ns, STEPS * (TRANSFER_US + LATE_US) * 1000LL);
    done(job);
}

/* Rank 1 computes as long as rank 0, after a pause of 3 ms in which its host loads data. */
static void or_its_data_loader(void **state)
{
    struct job *job = job_new(2);
    for (uint32_t r = 0; r < 2; r++) {
        plant_all_steps(job, r);
        for (int64_t start = 0; start < STEPS * STEP_US; start += STEP_US) {
            const int64_t begin = start + (r ? LATE_US : 0);
            if (r)
                plant_host(&job->p[r], EVENT_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                           start, LATE_US);
            plant_work(&job->p[r], (struct planted_work){
                                       .launch_us = begin, .launch_dur_us = 0, .us = begin, .dur_us = COMPUTE_US});
            plant_all_reduce(job, r, begin + COMPUTE_US, start + LATE_US + COMPUTE_US + TRANSFER_US);
        }
    }
    compare(job);
    expect_straggler(job, 1);
    for (int time = 0; time < RANK_TIMES; time++)
        if (time != TIME_LOADING && time != TIME_HOST) /* the wait for the next step is idle time of both alike */
            assert_int_equal((int64_t)job->ranks.accounts[1].excess_ns[time], 0);
    assert_int_equal((int64_t)job->ranks.accounts[1].excess_ns[TIME_LOADING], STEPS * 3 * MS);
    done(job);
}

/* ---- clocks ---- */

/* Files whose times count from different bases, on clocks that agree. */
static void bases_are_taken_into_account(void **state)
{
    static const int64_t base_us[] = {0, 123456789, 5};
    struct job *job = job_new(3);
    for (uint32_t r = 0; r < 3; r++) {
        job->p[r].trace->info.base_ns = 1700000000000000000 + base_us[r] * 1000;
        job->shift_us[r] = -base_us[r];
    }
    plant_training(job, (int64_t[]){0, LATE_US, 0});
    compare(job);
    expect_straggler(job, 1);
    assert_int_equal(job->ranks.clocks.corrected, 0);
    done(job);
}

static void clocks_of_several_hosts_are_aligned(void **state)
{
    static const int64_t off_us[] = {0, 0, 7000, -40000};
    static const char *const hosts[] = {"node1", "node1", "node2", "node3"};
    struct job *job = job_new(4);
    for (uint32_t r = 0; r < 4; r++) {
        job->p[r].trace->info.host = str_of(hosts[r]);
        job->shift_us[r] = off_us[r];
    }
    plant_training(job, (int64_t[]){0, 0, LATE_US, 0});
    compare(job);
    expect_straggler(job, 2);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(job->ranks.accounts[r].offset_ns, off_us[r] * 1000);
    assert_int_equal(job->ranks.clocks.corrected, 2);
    assert_int_equal(job->ranks.clocks.residual_p95_ns, 0);
    assert_false(job->ranks.one_host);
    done(job);
}

static void a_damaged_base_is_left_out(void **state)
{
    struct job *job = job_new(2);
    job->p[1].trace->info.base_ns = INT64_MAX;
    plant_training(job, (int64_t[]){0, LATE_US});
    compare(job);
    assert_true(job->numbers[0].dated);
    assert_false(job->numbers[1].dated);
    expect_straggler(job, 1);
    done(job);
}

static void epochs_years_apart_are_not_compared(void **state)
{
    struct job *job = job_new(2);
    job->p[0].trace->info.base_ns = EVENT_TIME_LIMIT - 1;
    plant_training(job, (int64_t[]){0, LATE_US});
    compare(job);
    expect_straggler(job, 1);
    done(job);
}

/* ---- nobody ---- */

static void a_tie_blames_nobody(void **state)
{
    struct job *job = job_new(4);
    plant_training(job, (int64_t[]){0, 0, 0, 0});
    compare(job);
    expect_nobody(job);
    for (uint32_t r = 0; r < 4; r++) {
        const struct rank_account *account = &job->ranks.accounts[r];
        assert_int_equal(account->late_ns + account->waited_ns + account->caused_ns + account->saving_ns, 0);
        assert_int_equal(account->last, 0);
    }
    for (uint32_t i = 0; i < STEPS; i++)
        assert_int_equal(job->ranks.meetings[i].last_rank, RANK_NONE_LATE);
    done(job);
}

static void nearly_a_tie_is_one(void **state)
{
    struct job *job = job_new(3);
    plant_training(job, (int64_t[]){0, 20, 7});
    compare(job);
    expect_nobody(job);
    assert_int_equal(job->ranks.accounts[1].late_ns, 0);
    assert_int_equal(job->ranks.accounts[0].waited_ns, STEPS * 20 * 1000);
    done(job);
}

static void two_that_are_late_alike_share_it(void **state)
{
    struct job *job = job_new(4);
    plant_training(job, (int64_t[]){0, LATE_US, 0, LATE_US});
    compare(job);
    expect_nobody(job);
    for (uint32_t r = 0; r < 4; r++) {
        const struct rank_account *account = &job->ranks.accounts[r];
        assert_int_equal(account->late_ns, r % 2 ? STEPS * 3 * MS : 0);
        assert_int_equal(account->caused_ns, r % 2 ? STEPS * 3 * MS : 0); /* two others wait, two are to blame */
        assert_int_equal(account->saving_ns, 0);                          /* either alone would change nothing */
    }
    done(job);
}

static void one_rank_alone_is_never_late(void **state)
{
    struct job *job = job_new(1);
    plant_training(job, (int64_t[]){0});
    compare(job);
    expect_nobody(job);
    assert_int_equal(job->ranks.meeting_count, 0);
    done(job);
}

/* ---- unions ---- */

/* Two collectives at once, on two streams: rank 1 comes to both 3 ms late, and that is 3 ms, not 6. */
static void collectives_at_once_count_once(void **state)
{
    struct job *job = job_new(2);
    on_one_host(job);
    for (uint32_t r = 0; r < 2; r++) {
        plant_all_steps(job, r);
        for (int64_t start = 0; start < STEPS * STEP_US; start += STEP_US)
            for (int64_t stream = 20; stream < 22; stream++) {
                const struct event e = all_reduce(job, r, stream, start + COMPUTE_US + r * LATE_US,
                                                  start + COMPUTE_US + LATE_US + TRANSFER_US, stream);
                trace_add(job->p[r].trace, &e);
            }
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, 2 * STEPS);
    assert_int_equal(job->ranks.accounts[1].late, 2 * STEPS);
    assert_int_equal(job->ranks.accounts[1].late_ns, STEPS * 3 * MS);
    assert_int_equal(job->ranks.accounts[1].saving_ns, STEPS * 3 * MS);
    assert_int_equal(job->ranks.accounts[1].caused_ns, STEPS * 3 * MS);
    assert_int_equal(job->ranks.accounts[0].waited_ns, STEPS * 3 * MS);
    done(job);
}

/* Whatever the entries: what all have waited is what all have caused, and what was done before a call sums to the time. */
static void waits_and_blame_balance(void **state)
{
    srand(3);
    for (int round = 0; round < 20; round++) {
        struct job *job = job_new(2 + (uint32_t)(rand() % 7));
        int64_t late_us[MOST_RANKS];
        for (uint32_t r = 0; r < job->count; r++)
            late_us[r] = rand() % 5000;
        on_one_host(job);
        plant_training(job, late_us);
        compare(job);
        int64_t waited = 0, caused = 0;
        for (uint32_t r = 0; r < job->count; r++) {
            waited += job->ranks.accounts[r].waited_ns;
            caused += job->ranks.accounts[r].caused_ns;
            for (uint32_t i = 0; i < job->numbers[r].collective_count; i++) {
                const struct rank_collective *c = &job->numbers[r].collectives[i];
                const struct rank_before before = rank_before(&job->numbers[r].befores, i);
                int64_t sum = 0;
                for (int time = 0; time < RANK_TIMES; time++)
                    sum += before.ns[SINCE_STEP][time];
                assert_int_equal(sum, c->of.call_ns % (STEP_US * 1000));
            }
        }
        assert_int_equal(waited, caused);
        done(job);
    }
}

/* ---- bandwidth ---- */

static void bandwidths_are_over_the_transfer(void **state)
{
    struct job *job = job_new(4);
    plant_training(job, (int64_t[]){0, LATE_US, 0, 0});
    compare(job);
    const double algorithm = (4 << 20) / (TRANSFER_US * 1e-6);
    assert_int_equal(job->ranks.kind_count, 1);
    const struct meeting_kind *kind = job->ranks.kinds;
    assert_int_equal(kind->count, STEPS);
    assert_int_equal(kind->skew_ns, STEPS * 3 * MS);
    assert_true(fabs(kind->algorithm_bandwidth / algorithm - 1) < 1e-12);
    assert_true(fabs(kind->bus_bandwidth / algorithm - 1.5) < 1e-12);
    assert_true(fabs(meeting_bus_bandwidth(&job->ranks.meetings[0]) / algorithm - 1.5) < 1e-12);
    done(job);
}

/* ---- on the host ---- */

static void plant_call(struct job *job, uint32_t r, int64_t us)
{
    struct event e =
        planted_event(&job->p[r], EVENT_OPERATOR, planted_thread(&job->p[r], PLANTED_MAIN), "c10d::allreduce_", us, 5);
    event_set(&e, ATTR_INPUT_DIMS, intern_id(trace_names(job->p[r].trace), S("[[[100]], []]")));
    event_set(&e, ATTR_INPUT_TYPES, intern_id(trace_names(job->p[r].trace), S("[\"TensorList\", \"\"]")));
    trace_add(job->p[r].trace, &e);
}

static void plant_gloo(struct job *job, uint32_t r, int64_t us, int64_t end_us)
{
    struct event e = planted_event(&job->p[r], EVENT_ANNOTATION, planted_thread(&job->p[r], PLANTED_GLOO),
                                   "gloo:all_reduce", us, end_us - us);
    event_set(&e, ATTR_INPUT_DIMS, intern_id(trace_names(job->p[r].trace), S("[[100]]")));
    event_set(&e, ATTR_INPUT_TYPES, intern_id(trace_names(job->p[r].trace), S("[\"float\"]")));
    trace_add(job->p[r].trace, &e);
}

/* Host-only, rank 1 late by 3 ms of data loading; of rank r the work of step r is not recorded. */
static void host_only_ranks_are_compared_by_their_calls(void **state)
{
    struct job *job = job_new(2);
    on_one_host(job);
    for (uint32_t r = 0; r < 2; r++) {
        plant_all_steps(job, r);
        for (int64_t step = 0; step < STEPS; step++) {
            const int64_t start = step * STEP_US, call = start + COMPUTE_US + r * LATE_US;
            if (r)
                plant_host(&job->p[r], EVENT_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                           start + 1000, LATE_US);
            plant_host(&job->p[r], EVENT_OPERATOR, "aten::linear", call - 1000, 1000);
            plant_call(job, r, call);
            if (step != r)
                plant_gloo(job, r, call + 10, start + COMPUTE_US + LATE_US + TRANSFER_US);
        }
    }
    compare(job);
    assert_int_equal(job->ranks.meeting_count, STEPS);
    assert_int_equal(job->ranks.accounts[1].late_ns, STEPS * 3 * MS);
    assert_int_equal(job->ranks.accounts[0].waited_ns, STEPS * 3 * MS);
    assert_int_equal((int64_t)job->ranks.accounts[1].excess_ns[TIME_LOADING], STEPS * 3 * MS);
    assert_int_equal(job->ranks.meetings[2].transfer_ns, (TRANSFER_US - 10) * 1000);
    assert_int_equal(job->ranks.meetings[0].transfer_ns, -1);
    assert_false(job->numbers[0].device);
    done(job);
}

/* Of three ranks, rank 1 is late by 3 ms; `came`: whether a rank's all-reduce of a step was recorded. */
static struct job *recorded_in_part(bool (*came)(uint32_t r, int64_t step))
{
    struct job *job = job_new(3);
    on_one_host(job);
    for (uint32_t r = 0; r < 3; r++) {
        plant_all_steps(job, r);
        for (int64_t step = 0; step < STEPS; step++) {
            const int64_t start = step * STEP_US, call = start + COMPUTE_US + (r == 1 ? LATE_US : 0);
            plant_host(&job->p[r], EVENT_OPERATOR, "aten::linear", call - 1000, 1000);
            if (!came(r, step))
                continue;
            plant_call(job, r, call);
            plant_gloo(job, r, call + 10, start + COMPUTE_US + LATE_US + TRANSFER_US);
        }
    }
    compare(job);
    return job;
}

static bool rank_2_ends_early(uint32_t r, int64_t step)
{
    return r != 2 || step + 1 < STEPS;
}

static void late_time_is_spread_over_the_steps_that_could_be_compared(void **state)
{
    struct job *job = recorded_in_part(rank_2_ends_early);
    const struct rank_account *late = &job->ranks.accounts[1];
    assert_int_equal(job->numbers[1].steps, STEPS);
    assert_int_equal(late->compared, STEPS - 1);
    assert_int_equal(late->late_ns, (STEPS - 1) * 3 * MS);
    assert_true(fabs(rank_per_compared(&job->ranks, 1, late->late_ns) - 3e6) < 1);
    assert_int_equal(job->ranks.accounts[0].compared, STEPS - 1);
    done(job);
}

static bool in_the_last_step(uint32_t r, int64_t step)
{
    return step + 1 == STEPS;
}

/* Gradients that are gathered over three steps: what was late in each shows in the third. */
static void steps_without_collectives_are_steps(void **state)
{
    struct job *job = recorded_in_part(in_the_last_step);
    for (uint32_t r = 0; r < 3; r++)
        assert_int_equal(job->ranks.accounts[r].compared, STEPS);
    done(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straggler_of_3_ms_is_late_by_3_ms),
        cmocka_unit_test(what_made_it_late_is_its_compute),
        cmocka_unit_test(or_its_data_loader),
        cmocka_unit_test(bases_are_taken_into_account),
        cmocka_unit_test(clocks_of_several_hosts_are_aligned),
        cmocka_unit_test(a_damaged_base_is_left_out),
        cmocka_unit_test(epochs_years_apart_are_not_compared),
        cmocka_unit_test(a_tie_blames_nobody),
        cmocka_unit_test(nearly_a_tie_is_one),
        cmocka_unit_test(two_that_are_late_alike_share_it),
        cmocka_unit_test(one_rank_alone_is_never_late),
        cmocka_unit_test(collectives_at_once_count_once),
        cmocka_unit_test(waits_and_blame_balance),
        cmocka_unit_test(bandwidths_are_over_the_transfer),
        cmocka_unit_test(host_only_ranks_are_compared_by_their_calls),
        cmocka_unit_test(late_time_is_spread_over_the_steps_that_could_be_compared),
        cmocka_unit_test(steps_without_collectives_are_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
