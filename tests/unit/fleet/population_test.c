/* SPDX-License-Identifier: Apache-2.0 */
/* Populations against the sorted values themselves: exact while rows are kept, within the stated error beyond. */
#include "unit/cmocka_first.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fleet/population/population.h"

/* ---- numbers that come the same in every run ---- */

struct random {
    uint64_t state;
};

static uint64_t next_bits(struct random *random)
{
    random->state += 0x9E3779B97F4A7C15; /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = random->state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static double uniform(struct random *random)
{
    return (double)(next_bits(random) >> 11) * 0x1p-53;
}

static double normal(struct random *random)
{
    return sqrt(-2 * log(1 - uniform(random))) * cos(2 * M_PI * uniform(random));
}

enum shape { UNIFORM, LOGNORMAL, PARETO, CONSTANT, MANY_ZEROS, SHAPES };

static double draw(struct random *random, enum shape shape)
{
    switch (shape) {
    case UNIFORM:
        return uniform(random);
    case LOGNORMAL:
        return exp(3 * normal(random));
    case PARETO:
        return pow(1 - uniform(random), -2);
    case CONSTANT:
        return 1;
    default:
        return uniform(random) < 0.4 ? 0 : uniform(random) * 1e-3;
    }
}

/* ---- rows and their sorted values ---- */

struct row {
    double value, weight[WEIGHTS];
};

static struct row *draw_rows(enum shape shape, uint32_t count)
{
    struct random random = {shape + 1};
    struct row *rows = mem_alloc(count * sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        const double cnodes = 1 + (double)(next_bits(&random) % 16);
        rows[i] = (struct row){draw(&random, shape), {1, cnodes, cnodes * uniform(&random) * 1e4}};
    }
    return rows;
}

static int by_value(const void *a, const void *b)
{
    const double left = ((const struct row *)a)->value, right = ((const struct row *)b)->value;
    return (left > right) - (left < right);
}

static double true_quantile(const struct row *sorted, uint32_t count, enum weight by, double q)
{
    double all = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++)
        all += sorted[i].weight[by];
    for (uint32_t i = 0; i < count; i++) {
        sum += sorted[i].weight[by];
        if (sum >= q * all)
            return sorted[i].value;
    }
    return sorted[count - 1].value;
}

static double true_above(const struct row *sorted, uint32_t count, enum weight by, double bound)
{
    double all = 0, above = 0;
    for (uint32_t i = 0; i < count; i++) {
        all += sorted[i].weight[by];
        above += sorted[i].value > bound ? sorted[i].weight[by] : 0;
    }
    return above / all;
}

static double true_mean(const struct row *rows, uint32_t count, enum weight by)
{
    double all = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        all += rows[i].weight[by];
        sum += rows[i].weight[by] * rows[i].value;
    }
    return sum / all;
}

static void add_rows(struct population *population, const struct row *rows, uint32_t from, uint32_t to)
{
    static const char *const groups[] = {"b", "a", ""};
    for (uint32_t i = from; i < to; i++) {
        const double values[2] = {rows[i].value, i % 5 ? NAN : rows[i].value};
        population_add(population, str_of(groups[i % 3]), rows[i].weight, values);
    }
}

static void assert_near(double a, double b, double share)
{
    if (!(fabs(a - b) <= share * fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static const double shares[] = {0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999, 1};

static void check_quantiles(struct population *population, struct row *rows, uint32_t count, double error)
{
    qsort(rows, count, sizeof *rows, by_value);
    for (int by = 0; by < WEIGHTS; by++) {
        for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
            assert_near(population_quantile(population, POPULATION_ALL, 0, by, shares[i]),
                        true_quantile(rows, count, by, shares[i]), error);
        assert_near(population_mean(population, POPULATION_ALL, 0, by), true_mean(rows, count, by), 1e-12);
    }
    assert_int_equal(population_count(population, POPULATION_ALL, 0), count);
    assert_int_equal(population_count(population, POPULATION_ALL, 1), (count + 4) / 5);
}

/* A share above a bound lies between those of bounds that are off by the error. */
static void check_above(struct population *population, const struct row *sorted, uint32_t count, double error)
{
    static const double bounds[] = {0, 1e-4, 0.3, 0.8, 1, 2, 77.7, 1e5};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int by = 0; by < WEIGHTS; by++) {
            const double share = population_above(population, POPULATION_ALL, 0, by, bounds[i]);
            assert_true(share <= true_above(sorted, count, by, bounds[i] * (1 - error)) + 1e-9);
            assert_true(share >= true_above(sorted, count, by, bounds[i] * (1 + error)) - 1e-9);
        }
    assert_near(population_above(population, POPULATION_ALL, 0, WEIGHT_JOB, 1),
                true_above(sorted, count, WEIGHT_JOB, 1), 1e-12);
}

static void rows_are_exact_up_to_a_million(void **state)
{
    enum { COUNT = 50000 };
    for (int shape = 0; shape < SHAPES; shape++) {
        struct row *rows = draw_rows(shape, COUNT);
        struct population *population = population_new(2);
        add_rows(population, rows, 0, COUNT);
        assert_true(population_is_exact(population));
        check_quantiles(population, rows, COUNT, 0);
        check_above(population, rows, COUNT, 0);
        population_free(population);
        mem_free(rows);
    }
}

static void beyond_quantiles_are_off_by_the_stated_error_at_most(void **state)
{
    enum { COUNT = POPULATION_EXACT + 50000 };
    for (int shape = 0; shape < SHAPES; shape++) {
        struct row *rows = draw_rows(shape, COUNT);
        struct population *population = population_new(2);
        add_rows(population, rows, 0, COUNT);
        assert_false(population_is_exact(population));
        check_quantiles(population, rows, COUNT, POPULATION_ERROR);
        check_above(population, rows, COUNT, POPULATION_ERROR);
        population_free(population);
        mem_free(rows);
    }
}

static void all_that_is_0_lies_below_every_bound(void **state)
{
    struct population *population = population_new(1);
    for (int i = 0; i < 100; i++)
        population_add(population, S("x"), (double[]){1, 1, 1}, (double[]){0});
    assert_true(population_above(population, 0, 0, WEIGHT_JOB, 0) == 0);
    assert_true(population_above(population, 0, 0, WEIGHT_JOB, 1e300) == 0);
    assert_true(population_quantile(population, 0, 0, WEIGHT_JOB, 0.5) == 0);
    population_add(population, S("x"), (double[]){1, 1, 1}, (double[]){5});
    assert_true(population_above(population, 0, 0, WEIGHT_JOB, 4.999) == 1.0 / 101);
    assert_true(population_above(population, 0, 0, WEIGHT_JOB, 5) == 0);
    assert_true(population_above(population, 0, 0, WEIGHT_JOB, 1e300) == 0);
    population_free(population);
}

static void groups_are_told_in_the_order_of_their_names(void **state)
{
    struct population *population = population_new(1);
    assert_int_equal(population_group_count(population), 0);
    assert_true(isnan(population_mean(population, POPULATION_ALL, 0, WEIGHT_JOB)));
    assert_true(isnan(population_quantile(population, POPULATION_ALL, 0, WEIGHT_JOB, 0.5)));
    for (int i = 0; i < 9; i++)
        population_add(population, i % 3 ? S("pear") : S("apple"), (double[]){1, 2, 0}, (double[]){i});
    assert_int_equal(population_group_count(population), 2);
    assert_string_equal(population_group(population, 0).at, "apple");
    assert_int_equal(population_count(population, 0, 0), 3);
    assert_true(population_weight(population, 0, 0, WEIGHT_GPU) == 6);
    assert_true(population_mean(population, 0, 0, WEIGHT_JOB) == 3);
    assert_true(population_quantile(population, 0, 0, WEIGHT_JOB, 0.5) == 3);
    assert_true(population_quantile(population, 1, 0, WEIGHT_JOB, 1) == 8);
    assert_true(isnan(population_quantile(population, 1, 0, WEIGHT_GPU_TIME, 1)));
    population_add(population, S("fig"), (double[]){1, 1, 1}, (double[]){NAN});
    assert_int_equal(population_group_count(population), 3);
    assert_int_equal(population_count(population, 1, 0), 0);
    population_free(population);
}

/* Group i has i + 1 rows. */
static struct population *many_groups(uint32_t groups, uint32_t more)
{
    struct population *population = population_new(1);
    for (uint32_t i = 0; i < groups; i++)
        for (uint32_t row = 0; row < i + 1 + (i ? 0 : more); row++) {
            char name[20];
            snprintf(name, sizeof name, "%u", i);
            population_add(population, str_of(name), (double[]){1, 1, 1}, (double[]){i});
        }
    return population;
}

static void the_smallest_of_too_many_groups_are_told_together(void **state)
{
    struct population *population = many_groups(300, 0);
    assert_int_equal(population_group_count(population), POPULATION_GROUPS + 1);
    assert_string_equal(population_group(population, POPULATION_GROUPS).at, "(other)");
    assert_int_equal(population_count(population, POPULATION_GROUPS, 0), 44 * 45 / 2);
    assert_true(population_quantile(population, POPULATION_GROUPS, 0, WEIGHT_JOB, 1) == 43);
    assert_string_equal(population_group(population, 0).at, "100");
    assert_int_equal(population_count(population, 0, 0), 101);
    population_free(population);
}

/* No group is told with some of its rows alone: each has all of them, or is told in (other). */
static void check_whole_groups(struct population *population, uint32_t factor)
{
    uint64_t rows = 0;
    for (uint32_t group = 0; group < population_group_count(population); group++) {
        const str name = population_group(population, group);
        const uint64_t count = population_count(population, group, 0);
        rows += count;
        if (!str_eq(name, S("(other)")) && !str_eq(name, S("0")))
            assert_int_equal(count, factor * (strtoul(name.at, NULL, 10) + 1));
    }
    assert_int_equal(rows, population_count(population, POPULATION_ALL, 0));
}

static void a_group_is_told_with_all_of_its_rows_or_in_other(void **state)
{
    struct population *a = many_groups(400, POPULATION_EXACT), *b = many_groups(300, 0),
                      *c = many_groups(300, POPULATION_EXACT);
    check_whole_groups(a, 1);
    population_merge(c, b);
    check_whole_groups(c, 2);
    population_free(c);
    c = many_groups(400, POPULATION_EXACT);
    population_merge(a, c);
    check_whole_groups(a, 2);
    population_free(a);
    population_free(b);
    population_free(c);
}

/* ---- merging ---- */

/* Parts of the rows as populations of their own, merged from the front or from the back. */
static struct population *merged(const struct row *rows, uint32_t count, uint32_t parts, bool backwards)
{
    struct population *whole = population_new(2);
    for (uint32_t i = 0; i < parts; i++) {
        const uint32_t part = backwards ? parts - 1 - i : i;
        struct population *population = population_new(2);
        add_rows(population, rows, (uint32_t)((uint64_t)count * part / parts),
                 (uint32_t)((uint64_t)count * (part + 1) / parts));
        population_merge(whole, population);
        population_free(population);
    }
    return whole;
}

static void check_same(struct population *a, struct population *b)
{
    assert_int_equal(population_group_count(a), population_group_count(b));
    for (uint32_t group = 0; group <= population_group_count(a); group++) {
        const uint32_t at = group == population_group_count(a) ? POPULATION_ALL : group;
        for (uint32_t value = 0; value < 2; value++)
            for (int by = 0; by < WEIGHTS; by++) {
                assert_int_equal(population_count(a, at, value), population_count(b, at, value));
                assert_near(population_mean(a, at, value, by), population_mean(b, at, value, by), 1e-12);
                assert_near(population_quantile(a, at, value, by, 0.3), population_quantile(b, at, value, by, 0.3), 0);
                assert_near(population_above(a, at, value, by, 2.2), population_above(b, at, value, by, 2.2), 1e-9);
            }
    }
}

static void parts_merge_in_any_order(void **state)
{
    const uint32_t counts[] = {30000, POPULATION_EXACT + 30000};
    for (int i = 0; i < 2; i++) {
        struct row *rows = draw_rows(LOGNORMAL, counts[i]);
        struct population *whole = population_new(2);
        add_rows(whole, rows, 0, counts[i]);
        for (uint32_t parts = 2; parts < 9; parts += 3)
            for (int backwards = 0; backwards < 2; backwards++) {
                struct population *other = merged(rows, counts[i], parts, backwards);
                check_same(whole, other);
                population_free(other);
            }
        population_free(whole);
        mem_free(rows);
    }
}

static void long_names_that_begin_alike_stay_apart(void **state)
{
    struct population *population = population_new(1);
    const double weight[WEIGHTS] = {1, 1, 1}, value = 1;
    char name[301];
    memset(name, 'x', sizeof name - 1);
    for (int i = 0; i < 3; i++) {
        memcpy(name + 290, i == 1 ? "second" : "others", 7);
        population_add(population, str_of(name), weight, &value);
    }
    assert_int_equal(population_group_count(population), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(population_group(population, i).len, POPULATION_NAME);
        assert_true(str_has(population_group(population, i), S("xxx...")));
    }
    population_free(population);
}

/* ---- bytes ---- */

static struct population *small(bool exact)
{
    const uint32_t count = exact ? 200 : POPULATION_EXACT + 1;
    struct row *rows = draw_rows(UNIFORM, count);
    struct population *population = population_new(2);
    add_rows(population, rows, 0, count);
    mem_free(rows);
    return population;
}

static void bytes_give_the_population_back(void **state)
{
    for (int exact = 0; exact < 2; exact++) {
        struct population *population = small(exact);
        struct buf bytes = {0};
        population_write(population, &bytes);
        buf_add(&bytes, S("more"));
        str rest = buf_str(&bytes);
        struct population *back = population_read(&rest);
        assert_non_null(back);
        assert_int_equal(rest.len, 4);
        check_same(population, back);
        population_merge(back, population);
        assert_int_equal(population_count(back, POPULATION_ALL, 0),
                         2 * population_count(population, POPULATION_ALL, 0));
        population_free(back);
        population_free(population);
        buf_free(&bytes);
    }
}

static void bytes_that_are_cut_are_refused(void **state)
{
    for (int exact = 0; exact < 2; exact++) {
        struct population *population = small(exact);
        struct buf bytes = {0};
        population_write(population, &bytes);
        for (size_t len = 0; len < bytes.len; len += 1 + bytes.len / 997) {
            str cut = {bytes.at, len};
            assert_null(population_read(&cut));
            assert_int_equal(cut.len, len);
        }
        population_free(population);
        buf_free(&bytes);
    }
}

/* What is read of damaged bytes answers every question. */
static void ask_all(struct population *population)
{
    for (uint32_t group = 0; group < population_group_count(population); group++) {
        population_group(population, group);
        population_quantile(population, group, 0, WEIGHT_GPU, 0.5);
        population_above(population, group, 0, WEIGHT_GPU, 0.5);
    }
    struct population *whole = population_new(2);
    population_merge(whole, population);
    population_free(whole);
}

static void damaged_bytes_do_no_harm(void **state)
{
    struct random random = {7};
    for (int exact = 0; exact < 2; exact++) {
        struct population *population = small(exact);
        struct buf bytes = {0};
        population_write(population, &bytes);
        char *copy = mem_alloc(bytes.len);
        for (int i = 0; i < (exact ? 3000 : 300); i++) {
            memcpy(copy, bytes.at, bytes.len);
            for (uint64_t n = next_bits(&random) % 4 + 1; n; n--)
                copy[next_bits(&random) % (i % 2 ? bytes.len : 64)] = (char)next_bits(&random);
            str rest = {copy, bytes.len};
            struct population *back = population_read(&rest);
            if (back)
                ask_all(back);
            population_free(back);
        }
        mem_free(copy);
        population_free(population);
        buf_free(&bytes);
    }
}

static void extreme_values_are_within_bounds(void **state)
{
    struct population *population = population_new(1);
    for (int i = 0; i <= POPULATION_EXACT; i++)
        population_add(population, S("x"), (double[]){1, 1, 1}, (double[]){i % 2 ? DBL_MAX : DBL_MIN});
    population_add(population, S("x"), (double[]){1, 1, 1}, (double[]){INFINITY});
    assert_int_equal(population_count(population, 0, 0), POPULATION_EXACT + 1);
    assert_near(population_quantile(population, 0, 0, WEIGHT_JOB, 1), POPULATION_MOST, POPULATION_ERROR);
    assert_true(population_quantile(population, 0, 0, WEIGHT_JOB, 0.2) == DBL_MIN);
    assert_near(population_above(population, 0, 0, WEIGHT_JOB, 1), 0.5, 1e-5);
    population_clear(population);
    assert_true(population_is_exact(population) && population_group_count(population) == 0);
    population_free(population);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_exact_up_to_a_million),
        cmocka_unit_test(beyond_quantiles_are_off_by_the_stated_error_at_most),
        cmocka_unit_test(all_that_is_0_lies_below_every_bound),
        cmocka_unit_test(groups_are_told_in_the_order_of_their_names),
        cmocka_unit_test(the_smallest_of_too_many_groups_are_told_together),
        cmocka_unit_test(a_group_is_told_with_all_of_its_rows_or_in_other),
        cmocka_unit_test(parts_merge_in_any_order),
        cmocka_unit_test(bytes_give_the_population_back),
        cmocka_unit_test(long_names_that_begin_alike_stay_apart),
        cmocka_unit_test(bytes_that_are_cut_are_refused),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(extreme_values_are_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
