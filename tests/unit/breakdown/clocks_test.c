/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks with planted offsets: exact readings give exact offsets, noise and outliers do not move them. */
#include "unit/cmocka_first.h"

#include <stdlib.h>

#include "breakdown/ranks/clocks.h"

enum { MS = 1000 * 1000, MOST = 4096 };

struct scene {
    struct arena arena;
    struct clock_reading readings[MOST];
    size_t count;
    uint32_t events;
    int64_t inside_ns; /* from entry to end of every reading; -1: entries are not known */
    struct clock_solution solution;
};

static void read_clock(struct scene *s, uint32_t clock, int64_t time_ns)
{
    s->readings[s->count++] =
        (struct clock_reading){clock, s->events, s->inside_ns < 0 ? INT64_MIN : time_ns - s->inside_ns, time_ns};
}

static void solve(struct scene *s, uint32_t clocks)
{
    clocks_solve(s->readings, s->count, clocks, NULL, &s->arena, &s->solution);
}

static void done(struct scene *s)
{
    arena_free(&s->arena);
}

static void exact_readings_give_exact_offsets(void **state)
{
    static const int64_t offsets[] = {0, 7 * MS + 1, -123456789, 3600LL * 1000 * MS};
    struct scene s = {0};
    for (; s.events < 10; s.events++)
        for (uint32_t clock = 0; clock < 4; clock++)
            read_clock(&s, clock, 1000000LL * s.events * s.events + offsets[clock]);
    solve(&s, 4);
    for (uint32_t clock = 0; clock < 4; clock++)
        assert_int_equal(s.solution.offset_ns[clock], offsets[clock]);
    assert_int_equal(s.solution.corrected, 3);
    assert_int_equal(s.solution.islands, 1);
    assert_int_equal(s.solution.events, 10);
    assert_int_equal(s.solution.residual_p95_ns, 0);
    done(&s);
}

/* Clocks that never meet are tied through the ones between: a row of eight, each event between two neighbours. */
static void offsets_are_carried_along_a_chain(void **state)
{
    struct scene s = {0};
    for (uint32_t round = 0; round < 5; round++)
        for (uint32_t clock = 0; clock + 1 < 8; clock++, s.events++)
            for (uint32_t side = 0; side < 2; side++)
                read_clock(&s, clock + side, 1000LL * s.events + (clock + side) * 11LL * MS);
    solve(&s, 8);
    for (uint32_t clock = 0; clock < 8; clock++)
        assert_int_equal(s.solution.offset_ns[clock], clock * 11LL * MS);
    done(&s);
}

static void clocks_that_never_meet_keep_their_own_time(void **state)
{
    struct scene s = {0};
    for (; s.events < 4; s.events++)
        for (uint32_t side = 0; side < 2; side++)
            read_clock(&s, side + 2 * (s.events % 2), 500 * s.events + side * 9LL * MS + 100LL * MS * (s.events % 2));
    solve(&s, 5);
    assert_int_equal(s.solution.islands, 3); /* 0-1, 2-3, 4 alone */
    assert_int_equal(s.solution.offset_ns[0], 0);
    assert_int_equal(s.solution.offset_ns[1], 9 * MS);
    assert_int_equal(s.solution.offset_ns[2], 0);
    assert_int_equal(s.solution.offset_ns[3], 9 * MS);
    assert_int_equal(s.solution.offset_ns[4], 0);
    done(&s);
}

/* Leaving together is only roughly so: what is within the scatter is no offset. */
static void noise_is_no_offset(void **state)
{
    struct scene s = {.inside_ns = -1};
    srand(1);
    for (; s.events < 200; s.events++)
        for (uint32_t clock = 0; clock < 4; clock++)
            read_clock(&s, clock, 5LL * MS * s.events + rand() % (2 * MS));
    solve(&s, 4);
    assert_int_equal(s.solution.corrected, 0);
    assert_in_range(s.solution.residual_p50_ns, MS / 2, 2 * MS);
    done(&s);
}

static void a_small_steady_difference_is_no_offset(void **state)
{
    struct scene s = {.inside_ns = -1};
    for (; s.events < 20; s.events++)
        for (uint32_t clock = 0; clock < 2; clock++)
            read_clock(&s, clock, 5LL * MS * s.events + clock * (int64_t)CLOCKS_AGREE_NS);
    solve(&s, 2);
    assert_int_equal(s.solution.corrected, 0);
    assert_int_equal(s.solution.residual_p50_ns, CLOCKS_AGREE_NS);
    done(&s);
}

/* The first event and every fifth are wrong by seconds on one clock; the middle is not impressed. */
static void outliers_do_not_move_an_offset(void **state)
{
    struct scene s = {0};
    srand(2);
    for (; s.events < 100; s.events++)
        for (uint32_t clock = 0; clock < 3; clock++)
            read_clock(&s, clock,
                       5LL * MS * s.events + clock * 40LL * MS + rand() % 1000 +
                           (clock == 1 && s.events % 5 == 0 ? 3000LL * MS : 0));
    solve(&s, 3);
    assert_in_range(s.solution.offset_ns[1], 40 * MS - 2000, 40 * MS + 2000);
    assert_in_range(s.solution.offset_ns[2], 80 * MS - 2000, 80 * MS + 2000);
    done(&s);
}

/* A slow link in a ring: ends differ by 40 ms, but all were inside together, so nothing says that clocks do. */
static void ends_apart_are_no_offset_where_bounds_allow_none(void **state)
{
    static const int64_t apart[] = {0, -19 * MS, -41 * MS, 0};
    struct scene s = {.inside_ns = 220 * MS};
    for (; s.events < 20; s.events++)
        for (uint32_t clock = 0; clock < 4; clock++)
            read_clock(&s, clock, 300LL * MS * s.events + apart[clock]);
    solve(&s, 4);
    assert_int_equal(s.solution.corrected, 0);
    assert_int_equal(s.solution.contradicted, 0);
    done(&s);
}

/* From a microsecond to ten seconds, with transfers of 0.4 ms and ends that scatter by 20 us: back within 50 us. */
static void planted_offsets_come_back(void **state)
{
    static const int64_t offsets[] = {1000, -37 * MS, 250 * MS, 10LL * 1000 * MS};
    srand(3);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        struct scene s = {.inside_ns = 400 * 1000};
        for (; s.events < 60; s.events++)
            for (uint32_t clock = 0; clock < 3; clock++)
                read_clock(&s, clock, 25LL * MS * s.events + (clock ? offsets[i] : 0) + rand() % 20000);
        solve(&s, 3);
        for (uint32_t clock = 1; clock < 3; clock++)
            if (llabs(s.solution.offset_ns[clock] - offsets[i]) > CLOCKS_AGREE_NS)
                fail_msg("%lld came back as %lld", (long long)offsets[i], (long long)s.solution.offset_ns[clock]);
        assert_int_equal(s.solution.drifting, 0);
        done(&s);
    }
}

/* 250 ms off and 100 ppm fast over 20 s, 2 ms in all: every reading comes back within 50 us. */
static void a_planted_drift_comes_back(void **state)
{
    struct scene s = {.inside_ns = 400 * 1000};
    srand(4);
    for (; s.events < 200; s.events++) {
        const int64_t time = 100LL * MS * s.events;
        read_clock(&s, 0, time + rand() % 20000);
        read_clock(&s, 1, time + 250 * MS + time / 10000 + rand() % 20000);
    }
    solve(&s, 2);
    assert_int_equal(s.solution.corrected, 1);
    assert_int_equal(s.solution.drifting, 1);
    for (size_t i = 0; i < s.count; i++) {
        const struct clock_reading *r = &s.readings[i];
        const int64_t time = clock_true_ns(r->time_ns, s.solution.offset_ns[r->clock], s.solution.drift[r->clock]);
        assert_true(llabs(time - 100LL * MS * r->event) <= CLOCKS_AGREE_NS);
    }
    done(&s);
}

/* A drift alone, between clocks that agree at the start. */
static void a_drift_without_an_offset_is_seen(void **state)
{
    struct scene s = {.inside_ns = 400 * 1000};
    for (; s.events < 200; s.events++)
        for (uint32_t clock = 0; clock < 2; clock++)
            read_clock(&s, clock, 100LL * MS * s.events + (clock ? 10000LL * s.events : 0));
    solve(&s, 2);
    assert_int_equal(s.solution.contradicted, 1); /* no constant offset fits */
    assert_int_equal(s.solution.drifting, 1);
    assert_true(s.solution.drift[1].rate > 0.99e-4 && s.solution.drift[1].rate < 1.01e-4);
    done(&s);
}

/* Devices of one host: collectives allow that they agree, launches and waits do not. */
static void what_is_known_of_devices_narrows_bounds(void **state)
{
    static const struct clock_own own[] = {{0, -5000, 0}, {0, 38000, 42000}, {CLOCK_ALONE, 38000, 42000}};
    struct scene s = {.inside_ns = 10 * MS};
    for (; s.events < 10; s.events++)
        for (uint32_t clock = 0; clock < 3; clock++)
            read_clock(&s, clock, 20LL * MS * s.events + (clock ? 40000 : 0));
    clocks_solve(s.readings, s.count, 3, own, &s.arena, &s.solution);
    assert_int_equal(s.solution.offset_ns[1], 40000);
    assert_int_equal(s.solution.offset_ns[2], 0);
    done(&s);
}

/* No device is as far from its host as these collectives say: they are not the same. */
static void clocks_of_one_host_are_not_far_apart(void **state)
{
    static const struct clock_own own[] = {{0, -MS, MS}, {0, -MS, MS}};
    struct scene s = {.inside_ns = MS / 10};
    for (; s.events < 10; s.events++)
        for (uint32_t clock = 0; clock < 2; clock++)
            read_clock(&s, clock, 20LL * MS * s.events + clock * 5LL * MS);
    clocks_solve(s.readings, s.count, 2, own, &s.arena, &s.solution);
    assert_int_equal(s.solution.offset_ns[1], 0);
    done(&s);
}

static void nothing_read_is_nothing_known(void **state)
{
    struct scene s = {0};
    solve(&s, 3);
    assert_int_equal(s.solution.events, 0);
    assert_int_equal(s.solution.corrected, 0);
    assert_int_equal(s.solution.islands, 3);
    assert_int_equal(s.solution.residual_p95_ns, 0);
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_readings_give_exact_offsets),
        cmocka_unit_test(offsets_are_carried_along_a_chain),
        cmocka_unit_test(clocks_that_never_meet_keep_their_own_time),
        cmocka_unit_test(noise_is_no_offset),
        cmocka_unit_test(a_small_steady_difference_is_no_offset),
        cmocka_unit_test(outliers_do_not_move_an_offset),
        cmocka_unit_test(ends_apart_are_no_offset_where_bounds_allow_none),
        cmocka_unit_test(planted_offsets_come_back),
        cmocka_unit_test(a_planted_drift_comes_back),
        cmocka_unit_test(a_drift_without_an_offset_is_seen),
        cmocka_unit_test(what_is_known_of_devices_narrows_bounds),
        cmocka_unit_test(clocks_of_one_host_are_not_far_apart),
        cmocka_unit_test(nothing_read_is_nothing_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
