/* SPDX-License-Identifier: Apache-2.0 */
/* Time without waits for a processor: found where a step is longer than the others, or else by how long was waited. */
#include <math.h>

#include "trace/trace.h"
#include "trace/undisturbed.h"
#include "unit/cmocka_first.h"

enum { STEPS = 5, BEFORE_US = 100, LONG_US = 3000 };

/* Steps of an operator of `us[step]`, one of 3000, and 100 between; in us. */
static struct trace *steps_of(const int64_t us[STEPS])
{
    struct trace *t = trace_new();
    const uint32_t lane = trace_lane(t, (struct lane){.process = 1, .id = 1});
    int64_t at = 0;
    for (int step = 0; step < STEPS; step++) {
        const int64_t all = BEFORE_US + us[step] + BEFORE_US + LONG_US + BEFORE_US;
        char mark[] = "ProfilerStep#1";
        mark[sizeof mark - 2] = (char)('1' + step);
        const struct event events[] = {
            {.name = intern_id(trace_names(t), str_of(mark)), .start_ns = at, .dur_ns = all, .kind = EVENT_ANNOTATION},
            {.name = intern_id(trace_names(t), S("aten::short")),
             .start_ns = at + BEFORE_US,
             .dur_ns = us[step],
             .kind = EVENT_OPERATOR},
            {.name = intern_id(trace_names(t), S("aten::long")),
             .start_ns = at + 2 * BEFORE_US + us[step],
             .dur_ns = LONG_US,
             .kind = EVENT_OPERATOR},
        };
        for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
            struct event event = events[i];
            event.lane = lane;
            event.start_ns *= 1000;
            event.dur_ns *= 1000;
            trace_add(t, &event);
        }
        at += all;
    }
    trace_finish(t);
    assert_int_equal(t->step_count, STEPS);
    return t;
}

/* What is left of the short operator and of the long one of a step, in us. */
static void check(const int64_t us[STEPS], const int64_t *waited_ns, int step, double in_short, double in_long)
{
    struct arena arena = {0};
    struct trace *const t = steps_of(us);
    const struct undisturbed_of of = {.lane = trace_main_lane(t), .waited_ns = waited_ns};
    const struct undisturbed map = undisturbed_of(t, &of, &arena);
    const int64_t begin = t->steps[step].start_ns + 1000 * BEFORE_US, end = begin + 1000 * us[step];
    assert_true(fabs(undisturbed_between(&map, begin, end) / 1000 - in_short) < 1);
    assert_true(fabs(undisturbed_between(&map, end + 1000 * BEFORE_US, end + 1000 * (BEFORE_US + LONG_US)) / 1000 -
                     in_long) < 1);
    for (int64_t at = 0; at + 50000 < t->end_ns; at += 50000)
        assert_true(undisturbed_time(&map, at) <= undisturbed_time(&map, at + 50000));
    trace_free(t);
    arena_free(&arena);
}

static void what_is_much_longer_is_a_wait(void **state)
{
    const int64_t us[STEPS] = {100, 100, 2100, 100, 100}, waited[STEPS] = {0, 0, 2000000, 0, 0};
    check(us, waited, 2, 100, LONG_US);
    check(us, NULL, 2, 100, LONG_US);
    check(us, NULL, 1, 100, LONG_US);
}

static void no_more_is_taken_than_was_waited(void **state)
{
    const int64_t us[STEPS] = {100, 100, 2100, 100, 100}, waited[STEPS] = {0, 0, 500000, 0, 0}, none[STEPS] = {0};
    check(us, waited, 2, 1600, LONG_US);
    check(us, none, 2, 2100, LONG_US);
}

static void a_little_more_is_chance(void **state)
{
    const int64_t us[STEPS] = {100, 100, 500, 100, 100};
    check(us, NULL, 2, 500, LONG_US);
}

/* The short one is as in all other steps. */
static void what_is_left_lies_in_what_is_long(void **state)
{
    const int64_t us[STEPS] = {100, 100, 100, 100, 100}, waited[STEPS] = {0, 1000000, 0, 0, 0};
    check(us, waited, 1, 100, LONG_US - 1000);
}

static void a_step_that_waits_for_all_of_its_time_has_none(void **state)
{
    const int64_t us[STEPS] = {100, 100, 100, 100, 100}, waited[STEPS] = {0, 1000000000, 0, 0, 0};
    check(us, waited, 1, 0, 0);
}

static void nothing_known_is_the_time_itself(void **state)
{
    const struct undisturbed map = {0};
    assert_true(undisturbed_time(&map, 7) == 7);
    assert_true(undisturbed_between(&map, 7, 10) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_much_longer_is_a_wait),
        cmocka_unit_test(no_more_is_taken_than_was_waited),
        cmocka_unit_test(a_little_more_is_chance),
        cmocka_unit_test(what_is_left_lies_in_what_is_long),
        cmocka_unit_test(a_step_that_waits_for_all_of_its_time_has_none),
        cmocka_unit_test(nothing_known_is_the_time_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
