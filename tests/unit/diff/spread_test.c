/* SPDX-License-Identifier: Apache-2.0 */
/* What steps differ by anyway: against Student's test by hand, halves that lie apart, how many steps would do. */
#include "diff/spread.h"

#include <math.h>
#include <stdbool.h>

#include "unit/cmocka_first.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-3 * fabs(b);
}

/* Both sides have a variance of 2.5, so the error is 1; of eight degrees Student's 97.5 % is 2.306 and 80 % is 0.889. */
static void test_by_hand(void **state)
{
    const double low[] = {1, 2, 3, 4, 5}, high[] = {11, 12, 13, 14, 15};
    const struct spread spread = spread_of(low, 5, high, 5);
    (void)state;
    assert_true(near(spread.deviation, sqrt(2.5)));
    assert_true(near(spread.error, 1));
    assert_true(near(spread.by_chance, 2.306));
    assert_true(fabs(spread.shows - 3.195) < 0.005);
}

static void test_one_step_says_nothing(void **state)
{
    const double one[] = {1}, more[] = {2, 3, 4};
    (void)state;
    assert_true(isnan(spread_of(one, 1, one, 1).error));
    assert_true(isnan(spread_of(one, 0, more, 3).error));
    assert_true(near(spread_of(one, 1, more, 3).error, sqrt(1 + 1 / 3.0)));
    const struct spread unknown = spread_of(one, 1, one, 1);
    assert_int_equal(spread_steps(&unknown, 1), 0);
}

/* Halves of a side are 4 apart: its mean is known to 2, whatever its steps differ by otherwise. */
static void test_halves_apart(void **state)
{
    const double still[] = {1, 1.01, 1, 1.01, 1, 1.01, 1, 1.01}, moved[] = {1, 1.01, 1, 1.01, 5, 5.01, 5, 5.01};
    (void)state;
    assert_true(spread_of(still, 8, still, 8).error < 0.01);
    assert_true(near(spread_of(still, 4, moved + 2, 4).error, spread_of(moved + 2, 4, still, 4).error));
    const struct spread spread = spread_of(still, 8, moved, 8);
    assert_true(spread.error > 2 && spread.error < 2.2);
}

static void test_how_many_steps(void **state)
{
    const double steps[] = {90, 110, 90, 110, 90, 110, 90, 110};
    const struct spread spread = spread_of(steps, 8, steps, 8);
    (void)state;
    assert_int_equal(spread_steps(&spread, 100), 6); /* never fewer */
    assert_in_range(spread_steps(&spread, 10), 18, 20);
    assert_int_equal(spread_steps(&spread, 10), spread_steps(&spread, -10));
    assert_int_equal(spread_steps(&spread, 0.1), 0);
    assert_int_equal(spread_steps(&spread, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_one_step_says_nothing),
        cmocka_unit_test(test_halves_apart),
        cmocka_unit_test(test_how_many_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
