/* SPDX-License-Identifier: Apache-2.0 */
#include "programme.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Below SMALL a pivot, a reduced cost or what is left of the artificial columns is rounding: rows are scaled to 1. */
/*
 * Rows are scaled to coefficients about 1. Below GAINS a reduced cost is rounding; PIVOT is the least element to pivot on;
 * ROOM how far a value may fall below 0 for the sake of a larger one; LEFT what may be left of the artificial columns.
 */
#define GAINS 1e-9
#define PIVOT 1e-7
#define ROOM  1e-10
#define LEFT  1e-6
/* Most b_i are 0, and ties would never end: each is moved by about so much, and the answer is taken without. */
#define MOVED 1e-8
enum { STEPS_MOST = 20000, INVERTED_EVERY = 50, NO_COLUMN = INT64_MIN };

/* Columns below 0 are artificial: -1 - i is the unit column of row i. */
struct simplex {
    const struct programme *programme;
    double scale[PROGRAMME_ROWS]; /* of a row */
    double right[PROGRAMME_ROWS]; /* scaled and moved */
    double inverse[PROGRAMME_ROWS][PROGRAMME_ROWS];
    double value[PROGRAMME_ROWS];     /* of the basic columns */
    int64_t basic[PROGRAMME_ROWS];    /* the column of each place */
    double price[PROGRAMME_ROWS];     /* of each row */
    double direction[PROGRAMME_ROWS]; /* the entering column in terms of the basic ones */
    bool first_phase;
};

/* ---- set up ---- */

/* By the geometric mean of its coefficients. */
static void scale_rows(struct simplex *simplex)
{
    const struct programme *const programme = simplex->programme;
    double logs[PROGRAMME_ROWS] = {0};
    size_t counts[PROGRAMME_ROWS] = {0};
    for (size_t j = 0; j < programme->columns; j++)
        for (uint32_t i = 0; i < programme->rows; i++) {
            const double size = fabs(programme->coefficients[j * programme->rows + i]);
            logs[i] += size > 0 ? log(size) : 0;
            counts[i] += size > 0;
        }
    for (uint32_t i = 0; i < programme->rows; i++) {
        simplex->scale[i] = counts[i] ? exp(-logs[i] / (double)counts[i]) : 1;
        if (programme->right[i] < 0)
            simplex->scale[i] = -simplex->scale[i];
    }
}

/* The artificial columns are the basis. Row i is moved by another amount than any other, the same in each run. */
static void begin(struct simplex *simplex, const struct programme *programme)
{
    memset(simplex, 0, sizeof *simplex);
    simplex->programme = programme;
    simplex->first_phase = true;
    scale_rows(simplex);
    for (uint32_t i = 0; i < programme->rows; i++) {
        simplex->inverse[i][i] = 1;
        simplex->right[i] = simplex->scale[i] * programme->right[i] + MOVED * (1 + fmod(0.6180339887 * (i + 1), 1));
        simplex->value[i] = simplex->right[i];
        simplex->basic[i] = -1 - (int64_t)i;
    }
}

/* ---- pricing ---- */

static double gain_of(const struct simplex *simplex, int64_t column)
{
    if (simplex->first_phase)
        return column < 0 ? -1 : 0;
    return column < 0 ? 0 : simplex->programme->gain[column];
}

/* With the scale of the rows in them, so that columns are priced as they stand. */
static void price_rows(struct simplex *simplex)
{
    const uint32_t rows = simplex->programme->rows;
    for (uint32_t i = 0; i < rows; i++) {
        double price = 0;
        for (uint32_t k = 0; k < rows; k++)
            price += gain_of(simplex, simplex->basic[k]) * simplex->inverse[k][i];
        simplex->price[i] = price * simplex->scale[i];
    }
}

/* The column that gains most a unit; NO_COLUMN where none gains. */
static int64_t entering(const struct simplex *simplex)
{
    const struct programme *const programme = simplex->programme;
    int64_t best = NO_COLUMN;
    double most = GAINS;
    for (size_t j = 0; j < programme->columns; j++) {
        const double *const column = &programme->coefficients[j * programme->rows];
        double gains = simplex->first_phase ? 0 : programme->gain[j];
        for (uint32_t i = 0; i < programme->rows; i++)
            gains -= simplex->price[i] * column[i];
        if (gains > most) {
            most = gains;
            best = (int64_t)j;
        }
    }
    return best;
}

/* ---- a column in terms of the basic ones ---- */

static double element(const struct simplex *simplex, uint32_t row, int64_t column)
{
    const struct programme *const programme = simplex->programme;
    if (column < 0)
        return row == (uint32_t)(-1 - column);
    return simplex->scale[row] * programme->coefficients[(size_t)column * programme->rows + row];
}

static void find_direction(struct simplex *simplex, int64_t column)
{
    const uint32_t rows = simplex->programme->rows;
    double scaled[PROGRAMME_ROWS];
    for (uint32_t i = 0; i < rows; i++)
        scaled[i] = element(simplex, i, column);
    for (uint32_t k = 0; k < rows; k++) {
        simplex->direction[k] = 0;
        for (uint32_t i = 0; i < rows; i++)
            simplex->direction[k] += simplex->inverse[k][i] * scaled[i];
    }
}

/* ---- who leaves ---- */

/* How far the entering column may grow until a value is ROOM below 0. */
static double reach(const struct simplex *simplex)
{
    double reach = INFINITY;
    for (uint32_t k = 0; k < simplex->programme->rows; k++)
        if (simplex->direction[k] > PIVOT)
            reach = fmin(reach, (simplex->value[k] + ROOM) / simplex->direction[k]);
    return reach;
}

/*
 * Of those that run out within reach the one with the largest element (Harris 1973). An artificial column of the first phase
 * must not grow again: it leaves first, whichever way it would go.
 */
static int leaving(const struct simplex *simplex)
{
    const double most = reach(simplex);
    int leaves = -1;
    for (uint32_t k = 0; k < simplex->programme->rows; k++) {
        const double element = simplex->direction[k];
        if (!simplex->first_phase && simplex->basic[k] < 0 && fabs(element) > PIVOT)
            return (int)k;
        if (element > PIVOT && simplex->value[k] / element <= most &&
            (leaves < 0 || element > simplex->direction[leaves]))
            leaves = (int)k;
    }
    return leaves;
}

static void pivot(struct simplex *simplex, uint32_t place, int64_t column)
{
    const uint32_t rows = simplex->programme->rows;
    const double by = 1 / simplex->direction[place];
    for (uint32_t i = 0; i < rows; i++)
        simplex->inverse[place][i] *= by;
    simplex->value[place] *= by;
    for (uint32_t k = 0; k < rows; k++) {
        const double part = k == place ? 0 : simplex->direction[k];
        for (uint32_t i = 0; part != 0 && i < rows; i++)
            simplex->inverse[k][i] -= part * simplex->inverse[place][i];
        simplex->value[k] -= part * simplex->value[place];
    }
    simplex->basic[place] = column;
}

/* ---- the inverse anew: rounding of many pivots goes ---- */

/* Pivots all basic columns back in, each on the free place where it is largest. */
static void invert(struct simplex *simplex)
{
    const uint32_t rows = simplex->programme->rows;
    int64_t columns[PROGRAMME_ROWS];
    bool taken[PROGRAMME_ROWS] = {false};
    memcpy(columns, simplex->basic, rows * sizeof *columns);
    memset(simplex->inverse, 0, sizeof simplex->inverse);
    for (uint32_t i = 0; i < rows; i++) {
        simplex->inverse[i][i] = 1;
        simplex->value[i] = simplex->right[i];
    }
    for (uint32_t j = 0; j < rows; j++) {
        uint32_t place = UINT32_MAX;
        find_direction(simplex, columns[j]);
        for (uint32_t k = 0; k < rows; k++)
            if (!taken[k] && (place == UINT32_MAX || fabs(simplex->direction[k]) > fabs(simplex->direction[place])))
                place = k;
        taken[place] = true;
        pivot(simplex, place, columns[j]);
    }
}

/* ---- phases ---- */

static enum programme_end climb(struct simplex *simplex)
{
    for (int step = 1; step < STEPS_MOST; step++) {
        if (step % INVERTED_EVERY == 0)
            invert(simplex);
        price_rows(simplex);
        const int64_t column = entering(simplex);
        if (column == NO_COLUMN)
            return PROGRAMME_SOLVED;
        find_direction(simplex, column);
        const int place = leaving(simplex);
        if (place < 0)
            return PROGRAMME_UNBOUNDED;
        pivot(simplex, (uint32_t)place, column);
    }
    return PROGRAMME_UNFINISHED;
}

/* Of the basic columns at the b_i as they were: the prices of the rows times these. */
static double sum_of_basic(struct simplex *simplex)
{
    double sum = 0;
    price_rows(simplex);
    for (uint32_t i = 0; i < simplex->programme->rows; i++)
        sum += simplex->price[i] * simplex->programme->right[i];
    return sum;
}

enum programme_end programme_most(const struct programme *programme, double *most)
{
    struct simplex simplex;
    begin(&simplex, programme);
    enum programme_end end = climb(&simplex);
    if (end == PROGRAMME_SOLVED && sum_of_basic(&simplex) < -LEFT)
        end = PROGRAMME_CONTRADICTS;
    if (end != PROGRAMME_SOLVED)
        return end;
    simplex.first_phase = false;
    end = climb(&simplex);
    if (end == PROGRAMME_SOLVED)
        *most = sum_of_basic(&simplex);
    return end;
}
