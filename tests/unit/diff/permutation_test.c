/* SPDX-License-Identifier: Apache-2.0 */
/* The permutation test: the smallest p, exact and drawn answers, Holm's correction. */
#include "diff/permutation.h"

#include <math.h>
#include <string.h>

#include "unit/cmocka_first.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-3 * fabs(b);
}

static void test_smallest(void **state)
{
    static const struct {
        uint32_t steps;
        double p;
    } known[] = {{3, 0.1}, {4, 2.0 / 70}, {5, 2.0 / 252}, {6, 2.0 / 924}, {8, 2.0 / 12870}, {10, 2.0 / 184756}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(near(permutation_least(known[i].steps, known[i].steps), known[i].p));
    assert_false(permutation_can_tell(3, 3));
    assert_true(permutation_can_tell(4, 4));
    assert_false(permutation_can_tell(0, 9));
}

/* Two sides that do not overlap reach the smallest p; equal ones 1. */
static void test_exact(void **state)
{
    const double low[] = {1, 2, 3, 4, 5, 6}, high[] = {11, 12, 13, 14, 15, 16};
    (void)state;
    for (uint32_t n = 4; n <= 6; n++)
        assert_true(near(permutation_p(low, n, high, n, PERMUTE_MEAN), permutation_least(n, n)));
    assert_true(near(permutation_p(low, 6, low, 6, PERMUTE_MEAN), 1));
    assert_true(near(permutation_p(low, 6, low, 6, PERMUTE_RANK), 1));
    for (uint32_t n = 4; n <= 6; n++)
        assert_true(near(permutation_p(low, n, high, n, PERMUTE_RANK), permutation_least(n, n)));
    assert_true(isnan(permutation_p(low, 3, high, 3, PERMUTE_MEAN)));
}

/* By hand: of the 70 ways to take 4 of {1, 2, 3, 4, 3, 4, 5, 6} 20 are as far apart in their means as 2.5 and 4.5. */
static void test_by_hand(void **state)
{
    const double a[] = {1, 2, 3, 4}, b[] = {3, 4, 5, 6};
    uint32_t far = 0;
    (void)state;
    const double all[] = {1, 2, 3, 4, 3, 4, 5, 6};
    for (uint32_t mask = 0; mask < 256; mask++) {
        double in = 0;
        int count = 0;
        for (int i = 0; i < 8; i++)
            if (mask >> i & 1) {
                in += all[i];
                count++;
            }
        far += count == 4 && fabs(in / 4 - (28 - in) / 4) >= 2 - 1e-9;
    }
    assert_true(near(permutation_p(a, 4, b, 4, PERMUTE_MEAN), far / 70.0));
}

/* Sides whose steps are all alike are apart for sure; one step of any length moves no rank but its own. */
static void test_rank(void **state)
{
    double a[12], b[12], long_one[12];
    (void)state;
    for (int i = 0; i < 12; i++) {
        a[i] = 1000;
        b[i] = 1300;
        long_one[i] = 1000 + i;
    }
    assert_true(permutation_p(a, 12, b, 12, PERMUTE_RANK) < 0.001);
    double steps[12];
    memcpy(steps, long_one, sizeof steps);
    long_one[11] = 2000;
    const double p = permutation_p(steps, 12, long_one, 12, PERMUTE_RANK);
    long_one[11] = 1e9;
    assert_true(near(permutation_p(steps, 12, long_one, 12, PERMUTE_RANK), p));
}

/* Too many to try: what is drawn is close to what a normal approximation says, and the same each time. */
static void test_drawn(void **state)
{
    double a[40], b[40];
    (void)state;
    for (int i = 0; i < 40; i++) {
        a[i] = i % 7;
        b[i] = i % 7 + 0.9;
    }
    const double p = permutation_p(a, 40, b, 40, PERMUTE_MEAN);
    assert_true(p > 0.02 && p < 0.08);
    assert_true(p == permutation_p(a, 40, b, 40, PERMUTE_MEAN));
    for (int i = 0; i < 40; i++)
        b[i] += 100;
    assert_true(near(permutation_p(a, 40, b, 40, PERMUTE_MEAN), 1.0 / (PERMUTATION_DRAWS + 1)));
}

static void test_correction(void **state)
{
    double p[] = {0.04, NAN, 0.01, 0.03, 0.5};
    (void)state;
    permutation_correct(p, 5);
    assert_true(near(p[2], 0.04));
    assert_true(near(p[3], 0.09));
    assert_true(near(p[0], 0.09));
    assert_true(near(p[4], 0.5));
    assert_true(isnan(p[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smallest), cmocka_unit_test(test_exact),
                                       cmocka_unit_test(test_by_hand),  cmocka_unit_test(test_rank),
                                       cmocka_unit_test(test_drawn),    cmocka_unit_test(test_correction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
