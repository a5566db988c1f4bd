/* SPDX-License-Identifier: Apache-2.0 */
/* What published figures decide: the programme against all of its bases, and the kinds of jobs it is asked over. */
#include "unit/cmocka_first.h"

#include <math.h>
#include <string.h>

#include "fleet/decided/corners.h"
#include "fleet/decided/programme.h"

static void near(double got, double wanted, double most)
{
    if (!(fabs(got - wanted) <= most))
        fail_msg("%.12g, not %.12g", got, wanted);
}

/* ---- programmes ---- */

enum { ROWS = 3, COLUMNS = 8, BASES = 1 << COLUMNS };

static double random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1u << 31);
}

/* The basic solution of three columns; false where they are not independent or it is below 0. */
static bool solved(const double *a, const double *b, const int *columns, double *p)
{
    double m[ROWS][ROWS + 1];
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++)
            m[i][j] = a[columns[j] * ROWS + i];
        m[i][ROWS] = b[i];
    }
    for (int c = 0; c < ROWS; c++) {
        int largest = c;
        for (int r = c; r < ROWS; r++)
            largest = fabs(m[r][c]) > fabs(m[largest][c]) ? r : largest;
        if (fabs(m[largest][c]) < 1e-9)
            return false;
        for (int i = 0; i <= ROWS; i++) {
            const double was = m[c][i];
            m[c][i] = m[largest][i];
            m[largest][i] = was;
        }
        for (int r = 0; r < ROWS; r++)
            for (int i = ROWS; r != c && i >= c; i--)
                m[r][i] -= m[r][c] / m[c][c] * m[c][i];
    }
    for (int i = 0; i < ROWS; i++)
        p[i] = m[i][ROWS] / m[i][i];
    return p[0] >= -1e-9 && p[1] >= -1e-9 && p[2] >= -1e-9;
}

/* The slow way: the best of all bases. -INFINITY where none holds the rows. */
static double best_of_bases(const double *a, const double *b, const double *gain)
{
    double best = -INFINITY;
    for (int basis = 0; basis < BASES; basis++) {
        int columns[COLUMNS], count = 0;
        for (int j = 0; j < COLUMNS; j++)
            if (basis >> j & 1)
                columns[count++] = j;
        double p[ROWS];
        if (count == ROWS && solved(a, b, columns, p))
            best = fmax(best, gain[columns[0]] * p[0] + gain[columns[1]] * p[1] + gain[columns[2]] * p[2]);
    }
    return best;
}

static enum programme_end most_of(const double *a, const double *b, const double *gain, double *most)
{
    const struct programme programme = {.rows = ROWS, .columns = COLUMNS, .coefficients = a, .gain = gain, .right = b};
    return programme_most(&programme, most);
}

/* A last row of ones, so that there is an end; the others as figures are: 0 to the right. */
static void programmes_end_where_all_bases_do(void **state)
{
    uint64_t seed = 1;
    int contradicting = 0;
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        double a[COLUMNS * ROWS], gain[COLUMNS], most = NAN;
        const double b[ROWS] = {0, trial % 2 ? 0 : random_of(&seed), 1};
        for (int j = 0; j < COLUMNS; j++) {
            for (int i = 0; i < ROWS - 1; i++)
                a[j * ROWS + i] = floor(7 * random_of(&seed)) - 3;
            a[j * ROWS + ROWS - 1] = 1;
            gain[j] = random_of(&seed);
        }
        const double best = best_of_bases(a, b, gain);
        const enum programme_end end = most_of(a, b, gain, &most);
        assert_int_equal(end, best < 0 ? PROGRAMME_CONTRADICTS : PROGRAMME_SOLVED);
        contradicting += best < 0;
        if (best >= 0)
            near(most, best, 1e-6);
    }
    assert_in_range(contradicting, 50, 1500);
}

/* Beale's: the simplex method with the largest gain cycles on it where ties are left to chance. */
static void a_programme_that_cycles_ends(void **state)
{
    const double a[7 * 3] = {0.25, 0.5, 0, -60, -90, 0, -0.04, -0.02, 1, 9, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double gain[7] = {0.75, -150, 0.02, -6}, b[3] = {0, 0, 1};
    const struct programme programme = {.rows = 3, .columns = 7, .coefficients = a, .gain = gain, .right = b};
    double most = NAN;
    (void)state;
    assert_int_equal(programme_most(&programme, &most), PROGRAMME_SOLVED);
    near(most, 0.05, 1e-6);
}

static void what_has_no_end_is_said_to_have_none(void **state)
{
    const double a[2] = {1, -1}, gain[2] = {1, 0}, b[1] = {0};
    const struct programme programme = {.rows = 1, .columns = 2, .coefficients = a, .gain = gain, .right = b};
    double most = NAN;
    (void)state;
    assert_int_equal(programme_most(&programme, &most), PROGRAMME_UNBOUNDED);
}

/* ---- corners ---- */

struct seen {
    int above, not_above;
    double least_input_above;
};

static void see(void *context, const double share[CORNER_PARTS], uint32_t above)
{
    struct seen *const seen = context;
    near(share[0] + share[1] + share[2] + share[3], 1, 1e-9);
    seen->above += above == 1;
    seen->not_above += above == 0;
    if (above)
        seen->least_input_above = fmin(seen->least_input_above, share[0]);
}

/* Of three parts, cut at a half of one: a triangle above, a trapezium not above. */
static void a_cut_gives_each_side_its_corners(void **state)
{
    const struct corner_asked asked = {.has = {true, true, true, false}, .cuts = {{{1, 0, 0, 0}, 0.5}}, .cut_count = 1};
    struct seen seen = {.least_input_above = 1};
    (void)state;
    corners_visit(&asked, see, &seen);
    assert_int_equal(seen.above, 3);
    assert_int_equal(seen.not_above, 4);
    near(seen.least_input_above, 0.5, 1e-12);
}

/* What lies on a cut is not above it: all that has none of a part is a cell of its own. */
static void a_cut_along_a_side_leaves_it_not_above(void **state)
{
    const struct corner_asked asked = {.has = {true, true, true, true}, .cuts = {{{1, 0, 0, 0}, 0}}, .cut_count = 1};
    struct seen seen = {.least_input_above = 1};
    (void)state;
    corners_visit(&asked, see, &seen);
    assert_int_equal(seen.above, 4);
    assert_int_equal(seen.not_above, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programmes_end_where_all_bases_do),      cmocka_unit_test(a_programme_that_cycles_ends),
        cmocka_unit_test(what_has_no_end_is_said_to_have_none),   cmocka_unit_test(a_cut_gives_each_side_its_corners),
        cmocka_unit_test(a_cut_along_a_side_leaves_it_not_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
