/* SPDX-License-Identifier: Apache-2.0 */
#include "fit_coefficients.h"

#include <math.h>

#include "parallel/par.h"
#include "least_squares.h"
#include "model/families/scale.h"

/*
 * A row that is a tenth off is still explained; one that is further off counts by its distance alone. A first look from
 * several starts takes few rows and steps; the best of them goes on.
 */
static const double knee = 0.1;
enum { CHUNK_ROWS = 128, LOOK_ROWS = 600, LOOK_STEPS = 12 };

/* ---- residuals ---- */

struct residuals {
    const struct fitting *fitting;
    double coefficients[FAMILY_PARAMETERS];
    double *to;
};

/*
 * See light_us of struct family. Chosen where rows of the tables beyond 10,000 rows were predicted from those below 6,000.
 * A device whose clock is unsteady also only makes rows longer.
 */
static double row_weight(const struct fitting *fitting, const struct measurement *row, double us)
{
    const struct family *family = fitting->family;
    const double light = 0.1, most = 10, late = us < row->us && !fitting->hosts ? 0.25 : 1;
    if (fitting->expected) /* of the few rows of a new device every one counts */
        return 1;
    if (family->light_us <= 0)
        return family->steady && !family->steady(&fitting->devices[row->device]) ? late : 1;
    const double length = row->us / family->light_us;
    return (length < 1.6 ? light : fmin(length, most) / most) * late;
}

/* With the host figures of the row's device, where these are given. */
static const double *coefficients_of(const struct residuals *residuals, uint32_t device, double *mixed)
{
    const struct fitting *fitting = residuals->fitting;
    if (!fitting->hosts)
        return residuals->coefficients;
    for (uint32_t i = 0; i < fitting->family->parameter_count; i++)
        mixed[i] = (fitting->family->parameters[i].host ? fitting->hosts[device] : residuals->coefficients)[i];
    return mixed;
}

static void chunk_residuals(void *context, size_t chunk)
{
    const struct residuals *residuals = context;
    const struct fitting *fitting = residuals->fitting;
    const uint32_t first = (uint32_t)chunk * CHUNK_ROWS;
    double mixed[FAMILY_PARAMETERS];
    for (uint32_t i = first; i < fitting->rows.count && i < first + CHUNK_ROWS; i++) {
        const struct measurement *row = fitting->rows.at[i];
        const double *coefficients = coefficients_of(residuals, row->device, mixed);
        const double us = fitting->family->us(&row->kernel, &fitting->devices[row->device], coefficients);
        const double off = fitting->relative ? us / row->us - 1 : log(us / row->us);
        residuals->to[i] = off * row_weight(fitting, row, us);
    }
}

/* What the rows of a table say together as much as a prior does: rows beside each other are alike. See `held`. */
static double prior_weight(const struct fitting *fitting)
{
    return fitting->expected ? 1 : fitting->held ? sqrt(fitting->family->held * fitting->rows.count) : 0;
}

/* After the rows one for each coefficient: how far it is from what is expected, as if the spread were one knee. */
static void prior_residuals(const struct fitting *fitting, const double *x, double *to)
{
    const struct family *family = fitting->family;
    const double weight = prior_weight(fitting) * knee;
    for (uint32_t i = 0; i < family->parameter_count; i++) {
        const struct parameter *parameter = &family->parameters[i];
        const double expected = fitting->expected ? fitting->expected[i] : parameter->start;
        to[i] =
            parameter->spread > 0 ? (x[i] - parameter_encoded(parameter, expected)) / parameter->spread * weight : 0;
    }
}

static void all_residuals(const void *context, const double *x, double *to)
{
    const struct fitting *fitting = context;
    struct residuals residuals = {.fitting = fitting, .to = to};
    family_decode(fitting->family, x, residuals.coefficients);
    par_each((fitting->rows.count + CHUNK_ROWS - 1) / CHUNK_ROWS, 0, chunk_residuals, &residuals);
    prior_residuals(fitting, x, to + fitting->rows.count);
}

/* ---- searching ---- */

/* A coefficient without spread stays as expected, a given one as it started; a constant stays. */
static void bounds(const struct fitting *fitting, double *low, double *high)
{
    const struct family *family = fitting->family;
    for (uint32_t i = 0; i < family->parameter_count; i++) {
        const struct parameter *parameter = &family->parameters[i];
        const double expected = fitting->expected ? fitting->expected[i] : parameter->start;
        const bool kept = (fitting->expected && parameter->spread == 0) || (fitting->hosts && parameter->host);
        low[i] = parameter_encoded(parameter, kept ? expected : parameter->low);
        high[i] = parameter_encoded(parameter, kept ? expected : parameter->high);
    }
}

/* The room for the bounds is the caller's. */
static struct least_squares problem_of(const struct fitting *fitting, double *low, double *high)
{
    bounds(fitting, low, high);
    return (struct least_squares){
        .rows = fitting->rows.count + fitting->family->parameter_count,
        .parameters = fitting->family->parameter_count,
        .low = low,
        .high = high,
        .knee = knee,
        .steps = fitting->steps,
        .residuals = all_residuals,
        .context = fitting,
    };
}

static double search(const struct fitting *fitting, double *x)
{
    double low[FAMILY_PARAMETERS], high[FAMILY_PARAMETERS];
    const struct least_squares problem = problem_of(fitting, low, high);
    return least_squares(&problem, x);
}

double fit_curvature(const struct fitting *fitting, const double *coefficients, double *matrix)
{
    double low[FAMILY_PARAMETERS], high[FAMILY_PARAMETERS], x[FAMILY_PARAMETERS] = {0};
    struct fitting rows_alone = *fitting;
    rows_alone.relative = true;
    rows_alone.held = false;
    rows_alone.expected = NULL;
    const struct least_squares problem = problem_of(&rows_alone, low, high);
    family_encode(fitting->family, coefficients, x);
    return least_squares_curvature(&problem, x, matrix) * problem.rows / fitting->rows.count;
}

struct rows rows_thinned(struct rows rows, uint32_t most, struct arena *arena)
{
    if (rows.count <= most)
        return rows;
    struct rows thin = {arena_array(arena, most, sizeof *thin.at), most};
    for (uint32_t i = 0; i < most; i++)
        thin.at[i] = rows.at[(uint64_t)i * rows.count / most];
    return thin;
}

static void family_start(const struct family *family, uint32_t way, double *coefficients)
{
    for (uint32_t i = 0; i < family->parameter_count; i++)
        coefficients[i] = way ? family->start(way, i) : family->parameters[i].start;
}

/* The best of all starts, after a short look. */
static void first_look(const struct fitting *fitting, double *x)
{
    struct arena scratch = {0};
    struct fitting look = *fitting;
    look.rows = rows_thinned(fitting->rows, LOOK_ROWS, &scratch);
    look.steps = LOOK_STEPS;
    double best = INFINITY;
    for (uint32_t way = 0; way <= fitting->family->start_count; way++) {
        double start[FAMILY_PARAMETERS], trial[FAMILY_PARAMETERS];
        family_start(fitting->family, way, start);
        family_encode(fitting->family, start, trial);
        const double rho = fitting->family->start_count ? search(&look, trial) : 0;
        if (rho >= best)
            continue;
        best = rho;
        memcpy(x, trial, sizeof trial);
    }
    arena_free(&scratch);
}

/*
 * First on logarithms, which lead there from afar; then on relative errors themselves, by which models are judged: where
 * times scatter, what is least wrong by these lies below the middle.
 */
double fit_coefficients(const struct fitting *fitting, double *coefficients)
{
    double x[FAMILY_PARAMETERS] = {0};
    if (fitting->expected)
        family_encode(fitting->family, fitting->expected, x);
    else
        first_look(fitting, x);
    search(fitting, x);
    struct fitting last = *fitting;
    last.relative = true;
    const double rho = search(&last, x);
    family_decode(fitting->family, x, coefficients);
    return rho;
}
