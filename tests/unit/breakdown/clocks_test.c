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
    struct clock_solution solution;
};

static void read_clock(struct scene *s, uint32_t clock, int64_t time_ns)
{
    s->readings[s->count++] = (struct clock_reading){clock, s->events, time_ns};
}

static void solve(struct scene *s, uint32_t clocks)
{
    clocks_solve(s->readings, s->count, clocks, &s->arena, &s->solution);
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
    struct scene s = {0};
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
    struct scene s = {0};
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
        cmocka_unit_test(nothing_read_is_nothing_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
