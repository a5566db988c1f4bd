/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include <math.h>

#include "model/fit/drift.h"

enum { ROWS = 4000 };

static double predicted[ROWS], measured[ROWS], drift[ROWS];

/* Rows between 100 and 2100 us, measured within 2 % and with what drifts on top. */
static void plant(double from_us, double to_us)
{
    uint32_t state = 7;
    for (int i = 0; i < ROWS; i++) {
        state = state * 1664525u + 1013904223u;
        const double at = (double)i / ROWS, chance = state / 4294967296.0;
        predicted[i] = 100 + 2000 * fmod(i * 0.618, 1);
        measured[i] = predicted[i] * (0.98 + 0.04 * chance) + from_us + (to_us - from_us) * at * at;
    }
}

static void what_grows_along_the_table_is_found(void **state)
{
    plant(50, 350);
    drift_of(measured, predicted, ROWS, drift);
    for (int i = 0; i < ROWS; i += 100) {
        const double planted = 300 * pow((double)i / ROWS, 2) - 300 * 0.4 * 0.4;
        assert_true(fabs(drift[i] - planted) < 12);
    }
}

static void a_table_that_does_not_drift_stays_as_it_is(void **state)
{
    plant(50, 50);
    drift_of(measured, predicted, ROWS, drift);
    for (int i = 0; i < ROWS; i++)
        assert_true(fabs(drift[i]) < 5);
}

static void a_few_wild_rows_do_not_decide(void **state)
{
    plant(50, 50);
    for (int i = 0; i < ROWS; i += 9)
        measured[i] *= 10;
    drift_of(measured, predicted, ROWS, drift);
    for (int i = 0; i < ROWS; i++)
        assert_true(fabs(drift[i]) < 10);
}

static void of_few_rows_nothing_is_said(void **state)
{
    plant(50, 350);
    drift_of(measured, predicted, 100, drift);
    for (int i = 0; i < 100; i++)
        assert_true(drift[i] == 0);
    drift_of(measured, predicted, 0, drift);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_along_the_table_is_found),
        cmocka_unit_test(a_table_that_does_not_drift_stays_as_it_is),
        cmocka_unit_test(a_few_wild_rows_do_not_decide),
        cmocka_unit_test(of_few_rows_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
