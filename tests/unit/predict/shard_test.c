/* SPDX-License-Identifier: Apache-2.0 */
/* Placements of tables whose costs can be told by hand. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/shard/shard.h"

static struct arena arena;

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct shard_asked on(uint32_t devices, double memory_bytes)
{
    struct hardware *hardware = arena_alloc(&arena, sizeof *hardware);
    struct steptime_error err = {0};
    if (!hardware_find(S("V100 SXM2 16GB"), &arena, hardware, &err) &&
        !hardware_find(S("NVIDIA Tesla V100 SXM2"), &arena, hardware, &err))
        fail_msg("%s", err.message);
    return (struct shard_asked){
        .models = models_new(&arena),
        .hardware = hardware,
        .devices = devices,
        .batch = 1024,
        .memory_bytes = memory_bytes,
        .bytes_element = 4,
        .level = 0.9,
    };
}

static struct sharding run(const struct shard_asked *asked, const struct shard_table *tables, uint32_t count)
{
    struct sharding sharding;
    struct steptime_error err = {0};
    if (!shard_run(asked, tables, count, &arena, &sharding, &err))
        fail_msg("%s", err.message);
    return sharding;
}

static void equal_tables_are_spread_evenly(void **state)
{
    struct shard_table tables[16];
    for (int i = 0; i < 16; i++)
        tables[i] = (struct shard_table){S("t"), 100000, 64, 10};
    const struct shard_asked asked = on(4, 1e12);
    const struct sharding sharding = run(&asked, tables, 16);
    for (int m = 0; m < SHARD_METHODS; m++) {
        const struct shard_choice *choice = &sharding.choices[m];
        assert_true(fabs(choice->largest_us - choice->mean_us) < 1e-6 * choice->mean_us);
        assert_true(choice->fits);
        assert_true(choice->exchange_us > 0);
    }
}

/* Every time lies in its interval, a step's is that of slowest and exchange, and a wider level is wider. */
static void times_lie_in_their_intervals(void **state)
{
    struct shard_table tables[8];
    for (int i = 0; i < 8; i++)
        tables[i] = (struct shard_table){S("t"), 100000 * (i + 1), 64, i + 0.5};
    struct shard_asked asked = on(4, 1e12);
    const struct sharding nine = run(&asked, tables, 8);
    asked.level = 0.5;
    const struct sharding half = run(&asked, tables, 8);
    for (int m = 0; m < SHARD_METHODS; m++) {
        const struct shard_choice *choice = &nine.choices[m], *narrow = &half.choices[m];
        assert_true(choice->step.low_us < choice->step_us && choice->step_us < choice->step.high_us);
        assert_true(choice->largest.low_us < choice->largest_us && choice->largest_us < choice->largest.high_us);
        assert_true(choice->mean.low_us < choice->mean_us && choice->mean_us < choice->mean.high_us);
        assert_true(choice->exchange.low_us < choice->exchange_us && choice->exchange_us < choice->exchange.high_us);
        assert_true(choice->step.high_us > choice->largest.high_us);
        assert_true(choice->step.high_us < choice->largest.high_us + choice->exchange.high_us);
        assert_true(narrow->step.low_us > choice->step.low_us && narrow->step.high_us < choice->step.high_us);
    }
}

/* In the file the heavy tables meet on one device; by time they do not. */
static void heavy_tables_part(void **state)
{
    struct shard_table tables[8];
    for (int i = 0; i < 8; i++)
        tables[i] = (struct shard_table){S("t"), 1000000, 64, i % 2 ? 2 : 100};
    const struct shard_asked asked = on(2, 1e12);
    const struct sharding sharding = run(&asked, tables, 8);
    const struct shard_choice *naive = &sharding.choices[SHARD_NAIVE], *best = &sharding.choices[sharding.best];
    assert_true(naive->largest_us > 1.5 * naive->mean_us);
    assert_true(best->largest_us < 1.01 * best->mean_us);
    assert_true(fabs(naive->mean_us - best->mean_us) < 1e-6 * naive->mean_us);
}

static void improving_never_slows(void **state)
{
    struct shard_table tables[40];
    srand(5);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 40; i++)
            tables[i] = (struct shard_table){S("t"), 1000 + rand() % 1000000, 16 << rand() % 4, 1 + rand() % 60};
        const struct shard_asked asked = on(2 + (uint32_t)round % 7, 1e12);
        const struct sharding sharding = run(&asked, tables, 40);
        const double greedy = sharding.choices[SHARD_TIME].largest_us;
        const double improved = sharding.choices[SHARD_LOCAL].largest_us;
        assert_true(improved <= greedy * (1 + 1e-9));
        assert_true(improved >= sharding.choices[SHARD_LOCAL].mean_us * (1 - 1e-9));
        for (int m = 0; m < SHARD_METHODS; m++)
            assert_true(sharding.choices[sharding.best].step_us <= sharding.choices[m].step_us);
    }
}

static void memory_is_kept_to(void **state)
{
    const double table_bytes = 1000000.0 * 64 * 4;
    struct shard_table tables[6];
    for (int i = 0; i < 6; i++)
        tables[i] = (struct shard_table){S("t"), 1000000, 64, i < 3 ? 1 : 100};
    const struct shard_asked asked = on(3, 2 * table_bytes);
    const struct sharding sharding = run(&asked, tables, 6);
    for (int m = 0; m < SHARD_METHODS; m++) {
        assert_true(sharding.choices[m].fits);
        for (uint32_t i = 0; i < 3; i++)
            assert_true(fabs(sharding.choices[m].bytes[i] - 2 * table_bytes) < 1);
    }
}

static void a_table_too_large_is_cut_by_its_rows(void **state)
{
    const struct shard_table tables[] = {{S("huge"), 1000000, 64, 8}, {S("small"), 1000, 64, 8}};
    const struct shard_asked asked = on(4, 1000000.0 * 64 * 4 / 3);
    const struct sharding sharding = run(&asked, tables, 2);
    assert_int_equal(sharding.cut, 1);
    assert_int_equal(sharding.piece_count, 5);
    double rows = 0, lookups = 0;
    for (uint32_t i = 0; i < 4; i++) {
        rows += sharding.pieces[i].rows;
        lookups += sharding.pieces[i].lookups;
    }
    assert_true(fabs(rows - 1000000) < 1e-6 && fabs(lookups - 8) < 1e-9);
    assert_true(sharding.choices[sharding.best].fits);
}

static void too_much_is_said_not_to_fit(void **state)
{
    const struct shard_table tables[] = {{S("huge"), 1000000, 64, 8}};
    const struct shard_asked asked = on(2, 1000);
    const struct sharding sharding = run(&asked, tables, 1);
    for (int m = 0; m < SHARD_METHODS; m++)
        assert_false(sharding.choices[m].fits);
}

static void one_device_exchanges_nothing(void **state)
{
    const struct shard_table tables[] = {{S("a"), 1000, 64, 8}, {S("b"), 1000, 64, 8}};
    const struct shard_asked asked = on(1, 1e12);
    const struct sharding sharding = run(&asked, tables, 2);
    assert_true(sharding.choices[SHARD_LOCAL].exchange_us == 0);
    assert_true(sharding.choices[SHARD_LOCAL].largest_us > 0);
}

static void methods_have_words(void **state)
{
    for (int m = 0; m < SHARD_METHODS; m++) {
        enum shard_method method;
        assert_true(shard_method_of_word(shard_method_word((enum shard_method)m), &method));
        assert_int_equal(method, m);
    }
    enum shard_method method;
    assert_false(shard_method_of_word(S("best"), &method));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_lie_in_their_intervals),
        cmocka_unit_test(equal_tables_are_spread_evenly),
        cmocka_unit_test(heavy_tables_part),
        cmocka_unit_test(improving_never_slows),
        cmocka_unit_test(memory_is_kept_to),
        cmocka_unit_test(a_table_too_large_is_cut_by_its_rows),
        cmocka_unit_test(too_much_is_said_not_to_fit),
        cmocka_unit_test(one_device_exchanges_nothing),
        cmocka_unit_test(methods_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
