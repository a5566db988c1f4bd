/* SPDX-License-Identifier: Apache-2.0 */
/* Delay costs and the path across ranks, of jobs whose answers are known. */
#include "breakdown/job/ideal.h"
#include "example_job.h"

static int64_t cost_of(const struct example *e, const struct delays *delays, uint32_t rank, int class, bool handed_on)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < delays->count; i++)
        if (delays->at[i].rank == rank && e->lines.kinds[delays->at[i].kind].class == class)
            ns += handed_on ? delays->at[i].long_ns : delays->at[i].short_ns;
    return ns / EXAMPLE_MS;
}

static int64_t sum_of(const struct delays *delays)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < delays->count; i++)
        ns += delays->at[i].short_ns + delays->at[i].long_ns;
    return ns;
}

static void waiting_is_followed_to_where_it_began(void **state)
{
    struct example *e = worked_example();
    const struct delays delays = delays_of(&e->lines, &e->arena);
    assert_int_equal(cost_of(e, &delays, 0, PATH_FORWARD, false), 600);
    assert_int_equal(cost_of(e, &delays, 0, PATH_FORWARD, true), 300);
    assert_int_equal(cost_of(e, &delays, 1, PATH_BACKWARD, false), 100);
    assert_int_equal(cost_of(e, &delays, 1, KIND_TRANSFER, false), 50);
    assert_int_equal(delays.count, 3);
    assert_int_equal(delays.waiting_ns, 1050 * EXAMPLE_MS);
    assert_int_equal(sum_of(&delays), delays.waiting_ns);
    assert_int_equal(delays.of_rank[0], 900 * EXAMPLE_MS);
    assert_int_equal(delays.of_rank[2], 0);
    example_free(e);
}

static void expect_part(const struct across *path, uint32_t part, uint32_t rank, bool transfer, int64_t ms)
{
    assert_int_equal(path->parts[part].rank, rank);
    assert_int_equal(path->parts[part].transfer, transfer);
    assert_int_equal(path->parts[part].end_ns - path->parts[part].start_ns, ms * EXAMPLE_MS);
}

static void the_path_crosses_to_the_last_to_come(void **state)
{
    struct example *e = worked_example();
    const struct across path = across_of(&e->lines, &e->arena);
    assert_true(across_check(&path));
    assert_int_equal(path.end_ns - path.start_ns, 1450 * EXAMPLE_MS);
    assert_int_equal(path.part_count, 5);
    expect_part(&path, 4, 0, false, 900); /* forward */
    expect_part(&path, 3, 1, true, 100);
    expect_part(&path, 2, 1, false, 200); /* backward */
    expect_part(&path, 1, 2, true, 50);
    expect_part(&path, 0, 2, false, 200); /* optimizer */
    assert_int_equal(path.crossing_count, 2);
    assert_int_equal(path.crossings[0].at_ns, 900 * EXAMPLE_MS);
    assert_int_equal(path.crossings[0].from, 1);
    assert_int_equal(path.crossings[0].to, 0);
    assert_int_equal(path.crossings[1].at_ns, 1200 * EXAMPLE_MS);
    assert_int_equal(path.crossings[1].to, 1);
    example_free(e);
}

static void what_is_saved_where_something_is_ideal(void **state)
{
    struct example *e = worked_example();
    struct ideal *ideal = ideal_new(&e->lines, IDEAL_MEAN, &e->arena);
    static const int64_t without[] = {1200, 1400, 1400}, alone[] = {1350, 1150, 1150};
    static const double returned[] = {0.714286, 0.142857, 0.142857}, slowdown[] = {1.227273, 1.045455, 1.045455};
    const int64_t as_is = ideal_as_is_ns(ideal), all = ideal_all_ns(ideal);
    assert_int_equal(as_is, 1450 * EXAMPLE_MS);
    assert_int_equal(all, 1100 * EXAMPLE_MS);
    assert_float_equal((double)as_is / (double)all, 1.318182, 1e-6);
    for (uint32_t r = 0; r < 3; r++) {
        const int64_t with = ideal_rank_ns(ideal, r), but = ideal_all_but_ns(ideal, r);
        assert_int_equal(with, without[r] * EXAMPLE_MS);
        assert_int_equal(but, alone[r] * EXAMPLE_MS);
        assert_float_equal((double)(as_is - with) / (double)(as_is - all), returned[r], 1e-6);
        assert_float_equal((double)but / (double)all, slowdown[r], 1e-6);
    }
    assert_int_equal(ideal_class_ns(ideal, PATH_FORWARD), 1200 * EXAMPLE_MS);
    assert_int_equal(ideal_transfers_ns(ideal), 1300 * EXAMPLE_MS);
    example_free(e);
}

/* Over all ranks, of a class; transfers are those of each member. */
static int64_t time_of(const struct example *e, int class)
{
    int64_t ns = 0;
    for (uint32_t r = 0; r < e->count; r++)
        for (uint32_t i = 0; i < e->strips[r].stretch_count; i++)
            for (struct strip_walk walk = strip_walk(&e->strips[r], &e->strips[r].stretches[i]); strip_next(&walk);)
                ns += e->strips[r].kinds[walk.kind].class == class ? walk.ns : 0;
    for (uint32_t r = 0; class == KIND_TRANSFER && r < e->count; r++)
        for (uint32_t i = 0; i < e->numbers[r].collective_count; i++)
            ns += line_exit_ns(&e->lines, r, i) - line_blocking(&e->lines, r, i)->last_ns;
    return ns;
}

/* Path imbalance: what is on the path of a kind beyond the mean of all ranks. */
static int64_t imbalance_of(const struct example *e, const struct across *path, int class)
{
    int64_t on_path = 0;
    for (uint32_t i = 0; i < path->sum_count; i++)
        if (e->lines.kinds[path->sums[i].kind].class == class)
            on_path += path->sums[i].ns;
    return (on_path - time_of(e, class) / e->count) / EXAMPLE_MS;
}

static void the_path_has_more_of_a_kind_than_the_mean_rank(void **state)
{
    static const struct {
        int class;
        int64_t ms;
    } expected[] = {{PATH_FORWARD, 250}, {PATH_BACKWARD, 100}, {PATH_OPTIMIZER, 50}, {KIND_TRANSFER, 50}};
    struct example *e = worked_example();
    const struct across path = across_of(&e->lines, &e->arena);
    int64_t sum = 0, means = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(imbalance_of(e, &path, expected[i].class), expected[i].ms);
        sum += imbalance_of(e, &path, expected[i].class);
        means += time_of(e, expected[i].class) / e->count;
    }
    assert_int_equal(sum, 450);
    assert_int_equal(path.end_ns - path.start_ns, 1450 * EXAMPLE_MS);
    assert_int_equal(path.end_ns - path.start_ns - means, sum * EXAMPLE_MS); /* the wall less the sum of means */
    example_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_is_followed_to_where_it_began),
        cmocka_unit_test(the_path_crosses_to_the_last_to_come),
        cmocka_unit_test(what_is_saved_where_something_is_ideal),
        cmocka_unit_test(the_path_has_more_of_a_kind_than_the_mean_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
