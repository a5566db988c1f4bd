/* SPDX-License-Identifier: Apache-2.0 */
#include "posterior.h"

#include <math.h>
#include <stdlib.h>

#include "model/families/scale.h"
#include "sensitivity.h"

/*
 * Chosen with each of five GPUs left out of gemm and ten of its rows shown: the reach of a row (1.5: nothing gained), how
 * often the coefficients are taken anew as a point to look from.
 */
static const double reach = 2;
/* Of the prior's width and of the form's misfit: what is tried, and how far the first may be off before rows are seen, ln. */
static const double widths[] = {0.3, 0.55, 1, 1.8, 3}, misfits[] = {0.2, 0.35, 0.6, 1, 1.7, 3, 5};
static const double width_differs = 0.7;
enum { TURNS = 4, MISFITS = sizeof misfits / sizeof *misfits, WIDTHS = sizeof widths / sizeof *widths };

/* The share of what a kernel has for its own that rows may always tell, however much of it is misfit. */
static const double least_told = 0.25;

/* The variance of what rows of a device can tell of kernels. */
static double told_by_rows(const struct prior *prior)
{
    const double own = prior->own * prior->own;
    return fmax(own - prior->misfit * prior->misfit, least_told * own);
}

/* ---- covariances ---- */

/* Scales what coefficients may be off so that it makes half of what a kernel has for its own, in the mean of kernels. */
static void scale_coefficients(const struct prior *prior, const struct sensitivity *of, uint32_t count,
                               double covariance[OPEN][OPEN])
{
    const double least = 0.04, most = 4;
    const uint32_t open = prior->family->parameter_count;
    double mean = 0;
    for (uint32_t i = 0; i < count; i++)
        mean += sensitivity_product(&of[i], covariance, &of[i], open) / count;
    const double wanted = told_by_rows(prior) / 2;
    const double scale = mean > 0 ? fmin(most, fmax(least, wanted / mean)) : 1;
    for (uint32_t p = 0; p < open; p++)
        for (uint32_t q = 0; q < open; q++)
            covariance[p][q] *= scale;
}

static struct spot *spots_of(const struct sensitivity *of, const struct kernel *const *kernels, uint32_t count,
                             struct arena *arena)
{
    struct spot *spots = arena_array(arena, count, sizeof *spots);
    for (uint32_t i = 0; i < count; i++)
        spots[i] = spot_of(kernels[i], exp(of[i].ln_us));
    return spots;
}

void prior_covariance(const struct prior *prior, const struct kernel *const *kernels, uint32_t count,
                      double *covariance)
{
    struct arena scratch = {0};
    double of_coefficients[OPEN][OPEN], x[FAMILY_PARAMETERS];
    struct sensitivity *of = arena_array(&scratch, count, sizeof *of);
    double *deviation = arena_array(&scratch, count, sizeof *deviation);
    const uint32_t open = prior->family->parameter_count;
    const double own = told_by_rows(prior) / 2, shared = prior->shared * prior->shared;
    family_encode(prior->family, prior->centre->value, x);
    sensitivities(prior, x, kernels, count, of);
    prior_of_coefficients(prior, of_coefficients);
    const struct spot *spots = spots_of(of, kernels, count, &scratch);
    for (uint32_t i = 0; i < count; i++)
        deviation[i] = sqrt(fmax(1e-12, sensitivity_product(&of[i], of_coefficients, &of[i], open)));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const double common = sensitivity_product(&of[i], of_coefficients, &of[k], open);
            const double alike = spot_correlation(&spots[i], &spots[k], reach);
            covariance[(size_t)i * count + k] = covariance[(size_t)k * count + i] =
                shared + own * (common / (deviation[i] * deviation[k]) + alike);
        }
    arena_free(&scratch);
}

/* ---- rows ---- */

/* Rows being explained. Matrices are n x n by rows, n the rows; `open` the coefficients and the factor. */
struct explaining {
    const struct prior *prior;
    const struct seen *rows;
    const struct kernel **kernels;
    uint32_t n, open;
    struct sensitivity *of; /* at x */
    struct spot *spots;     /* at the centre */
    double *alike;
    double centre[FAMILY_PARAMETERS], x[FAMILY_PARAMETERS];
    double factor; /* ln */
    double width, noise;
    double covariance[OPEN][OPEN], scaled[OPEN][OPEN]; /* of the open ones; without and with the width */
    double *matrix, *weights;                          /* the triangle of all covariance, and its solution */
    double likely;
};

static struct explaining explain(const struct prior *prior, const struct seen *rows, uint32_t count,
                                 const struct kernel *const *like, uint32_t like_count, struct arena *arena)
{
    struct explaining e = {.prior = prior, .rows = rows, .n = count, .open = prior->family->parameter_count + 1};
    e.kernels = arena_array(arena, count, sizeof *e.kernels);
    e.of = arena_array(arena, count, sizeof *e.of);
    e.alike = arena_array(arena, (size_t)count * count, sizeof *e.alike);
    e.matrix = arena_array(arena, (size_t)count * count, sizeof *e.matrix);
    e.weights = arena_array(arena, count, sizeof *e.weights);
    for (uint32_t i = 0; i < count; i++)
        e.kernels[i] = rows[i].kernel;
    family_encode(prior->family, prior->centre->value, e.centre);
    sensitivities(prior, e.centre, e.kernels, count, e.of);
    e.spots = spots_of(e.of, e.kernels, count, arena);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            e.alike[(size_t)i * count + k] = spot_correlation(&e.spots[i], &e.spots[k], reach);
    struct sensitivity *of = arena_array(arena, like_count, sizeof *of);
    sensitivities(prior, e.centre, like, like_count, of);
    prior_of_coefficients(prior, e.covariance);
    scale_coefficients(prior, of, like_count, e.covariance);
    e.covariance[e.open - 1][e.open - 1] = prior->shared * prior->shared;
    return e;
}

/* Of what no coefficient explains, ln. */
static double amplitude_of(const struct explaining *e)
{
    return e->width * sqrt(told_by_rows(e->prior) / 2);
}

static void scale_width(struct explaining *e)
{
    for (uint32_t p = 0; p < e->open; p++)
        for (uint32_t q = 0; q < e->open; q++)
            e->scaled[p][q] = e->covariance[p][q] * e->width * e->width;
}

static void fill_matrix(struct explaining *e)
{
    const double own = amplitude_of(e) * amplitude_of(e);
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t k = 0; k <= i; k++)
            e->matrix[(size_t)i * e->n + k] = sensitivity_product(&e->of[i], e->scaled, &e->of[k], e->open) +
                                              own * e->alike[(size_t)i * e->n + k] + (i == k ? e->noise * e->noise : 0);
}

/* What the open ones move by: covariance x sensitivities x weights. */
static void move_open(const struct explaining *e, double *moved)
{
    double pulled[OPEN] = {0};
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t p = 0; p < e->open; p++)
            pulled[p] += e->of[i].by[p] * e->weights[i];
    for (uint32_t p = 0; p < e->open; p++) {
        moved[p] = 0;
        for (uint32_t q = 0; q < e->open; q++)
            moved[p] += e->scaled[p][q] * pulled[q];
    }
}

static double likelihood(const struct explaining *e, const double *residuals)
{
    double sum = 0;
    for (uint32_t i = 0; i < e->n; i++)
        sum -= 0.5 * residuals[i] * e->weights[i] + log(e->matrix[(size_t)i * e->n + i]);
    return sum;
}

/* Moves x and the factor to what the rows make most likely, seen from the sensitivities where they are. */
static void turn(struct explaining *e, double *residuals)
{
    const struct family *family = e->prior->family;
    double moved[OPEN], value[FAMILY_PARAMETERS];
    for (uint32_t i = 0; i < e->n; i++) {
        residuals[i] = log(e->rows[i].us) - e->of[i].ln_us;
        for (uint32_t p = 0; p < family->parameter_count; p++)
            residuals[i] += e->of[i].by[p] * (e->x[p] - e->centre[p]);
        e->weights[i] = residuals[i];
    }
    fill_matrix(e);
    triangle_of(e->matrix, e->n);
    triangle_solve(e->matrix, e->n, e->weights);
    e->likely = likelihood(e, residuals);
    move_open(e, moved);
    for (uint32_t p = 0; p < family->parameter_count; p++)
        e->x[p] = e->centre[p] + moved[p];
    family_decode(family, e->x, value);
    family_encode(family, value, e->x);
    e->factor = moved[e->open - 1];
}

static void begin_at(struct explaining *e, double width, double noise)
{
    e->width = width;
    e->noise = noise;
    scale_width(e);
    memcpy(e->x, e->centre, sizeof e->x);
}

static void settle(struct explaining *e, double width, double noise, double *residuals)
{
    begin_at(e, width, noise);
    for (int i = 0; i < TURNS; i++) {
        sensitivities(e->prior, e->x, e->kernels, e->n, e->of);
        turn(e, residuals);
    }
}

/* ln of how much a scale is believed before rows are seen. */
static double believed(double scale, double differs)
{
    const double off = log(scale) / differs;
    return -0.5 * off * off;
}

/* How likely the rows are under a width and a misfit, as seen from the centre, and these themselves. */
static double tried(struct explaining *e, double width, double misfit, double *residuals)
{
    begin_at(e, width, misfit * e->prior->misfit);
    turn(e, residuals);
    return e->likely + believed(width, width_differs) + believed(misfit, e->prior->misfit_differs);
}

/* Settled at the means, of logarithms, of width and misfit, each trial as likely as it makes the rows. */
static void settle_mean(struct explaining *e, double *residuals)
{
    double likely[WIDTHS][MISFITS], most = -INFINITY, sum = 0, width = 0, misfit = 0;
    for (int i = 0; i < WIDTHS; i++)
        for (int k = 0; k < MISFITS; k++) {
            likely[i][k] = tried(e, widths[i], misfits[k], residuals);
            most = fmax(most, likely[i][k]);
        }
    for (int i = 0; i < WIDTHS; i++)
        for (int k = 0; k < MISFITS; k++) {
            const double weight = exp(likely[i][k] - most);
            sum += weight;
            width += weight * log(widths[i]);
            misfit += weight * log(misfits[k]);
        }
    settle(e, exp(width / sum), exp(misfit / sum) * e->prior->misfit, residuals);
}

/* Each row left out of the others, at once: its residual over what its own entry of the inverse is. */
static double left_out_error(const struct explaining *e, struct arena *arena)
{
    double sum = 0, *unit = arena_array(arena, e->n, sizeof *unit);
    for (uint32_t i = 0; i < e->n; i++) {
        memset(unit, 0, e->n * sizeof *unit);
        unit[i] = 1;
        triangle_solve(e->matrix, e->n, unit);
        sum += fabs(1 - exp(-e->weights[i] / unit[i])) / e->n;
    }
    return sum;
}

/* ---- what is left open ---- */

static void open_after(const struct explaining *e, double left[OPEN][OPEN], struct arena *arena)
{
    double **known = arena_array(arena, e->open, sizeof *known);
    for (uint32_t p = 0; p < e->open; p++) {
        known[p] = arena_array(arena, e->n, sizeof **known);
        for (uint32_t i = 0; i < e->n; i++) {
            known[p][i] = 0;
            for (uint32_t q = 0; q < e->open; q++)
                known[p][i] += e->scaled[p][q] * e->of[i].by[q];
        }
        triangle_forward(e->matrix, e->n, known[p]);
    }
    for (uint32_t p = 0; p < e->open; p++)
        for (uint32_t q = 0; q < e->open; q++) {
            left[p][q] = e->scaled[p][q];
            for (uint32_t i = 0; i < e->n; i++)
                left[p][q] -= known[p][i] * known[q][i];
        }
}

/* One kernel's share of the open ones, seen through a triangle of their covariance. */
static void seen_through(const struct sensitivity *of, const double *lower, uint32_t open, double *through)
{
    for (uint32_t q = 0; q < open; q++) {
        through[q] = 0;
        for (uint32_t p = q; p < open; p++)
            through[q] += lower[(size_t)p * open + q] * of->by[p];
    }
}

/* The direction in which `through` vary most, by the power method, taken out of them; its mean variance. */
static double widest(double *through, uint32_t count, uint32_t open, double *direction)
{
    enum { POWERS = 40 };
    double variance = 0;
    for (uint32_t p = 0; p < open; p++)
        direction[p] = 1 + 0.1 * p;
    for (int power = 0; power < POWERS; power++) {
        double next[OPEN] = {0}, length = 0;
        for (uint32_t i = 0; i < count; i++) {
            double along = 0;
            for (uint32_t p = 0; p < open; p++)
                along += through[(size_t)i * open + p] * direction[p];
            for (uint32_t p = 0; p < open; p++)
                next[p] += along * through[(size_t)i * open + p] / count;
        }
        for (uint32_t p = 0; p < open; p++)
            length += next[p] * next[p];
        variance = sqrt(length);
        for (uint32_t p = 0; p < open && length > 0; p++)
            direction[p] = next[p] / variance;
    }
    for (uint32_t i = 0; i < count; i++) {
        double along = 0;
        for (uint32_t p = 0; p < open; p++)
            along += through[(size_t)i * open + p] * direction[p];
        for (uint32_t p = 0; p < open; p++)
            through[(size_t)i * open + p] -= along * direction[p];
    }
    return variance;
}

/* The directions that matter to such kernels; what they leave, as a standard deviation. */
static double keep_directions(const struct explaining *e, const struct sensitivity *of, uint32_t count,
                              struct coefficient_set *set, struct arena *arena)
{
    struct calibrated *calibrated = set->calibrated;
    double left[OPEN][OPEN], rest = 0;
    const uint32_t open = e->open;
    double *lower = arena_array(arena, (size_t)open * open, sizeof *lower);
    double *through = arena_array(arena, (size_t)count * open, sizeof *through);
    open_after(e, left, arena);
    for (uint32_t p = 0; p < open; p++)
        for (uint32_t q = 0; q < open; q++)
            lower[(size_t)p * open + q] = left[p][q];
    for (uint32_t p = 0; p + 1 < open; p++)
        set->width[p] = sqrt(fmax(0, left[p][p]));
    triangle_of(lower, open);
    for (uint32_t i = 0; i < count; i++)
        seen_through(&of[i], lower, open, through + (size_t)i * open);
    for (uint32_t k = 0; k < CALIBRATED_DIRECTIONS; k++) {
        double along[OPEN], *direction = calibrated->directions[calibrated->direction_count++];
        widest(through, count, open, along);
        for (uint32_t p = 0; p < open; p++) {
            direction[p] = 0;
            for (uint32_t q = 0; q <= p; q++)
                direction[p] += lower[(size_t)p * open + q] * along[q];
        }
    }
    for (uint32_t i = 0; i < count * open; i++)
        rest += through[i] * through[i] / count;
    return sqrt(rest);
}

static void keep_points(const struct explaining *e, struct calibrated *calibrated)
{
    calibrated->reach = reach;
    calibrated->amplitude = amplitude_of(e);
    calibrated->noise = e->noise;
    calibrated->point_count = e->n;
    for (uint32_t i = 0; i < e->n; i++)
        calibrated->points[i] = spot_of(e->kernels[i], exp(e->of[i].ln_us + e->factor));
}

/* What the coefficients, as they now are, leave over of each row. */
static void weigh_points(const struct explaining *e, struct calibrated *calibrated)
{
    for (uint32_t i = 0; i < e->n; i++)
        calibrated->weights[i] = log(e->rows[i].us) - e->of[i].ln_us - e->factor;
    triangle_solve(calibrated->lower, e->n, calibrated->weights);
}

double posterior_of(const struct prior *prior, const struct seen *rows, uint32_t count,
                    const struct kernel *const *like, uint32_t like_count, struct arena *arena,
                    struct coefficient_set *set)
{
    struct arena scratch = {0};
    struct explaining e = explain(prior, rows, count, like, like_count, &scratch);
    struct sensitivity *of = arena_array(&scratch, like_count, sizeof *of);
    settle_mean(&e, arena_array(&scratch, count, sizeof(double)));
    *set = *prior->centre;
    family_decode(prior->family, e.x, set->value);
    set->device = prior->hardware->name;
    set->hardware = *prior->hardware;
    set->rows = count;
    set->factor = set_factor(prior->centre) * exp(e.factor);
    set->shared = set->host = 0;
    set->error = left_out_error(&e, &scratch);
    set->calibrated = calibrated_new(arena);
    sensitivities(prior, e.x, like, like_count, of);
    set->spread = keep_directions(&e, of, like_count, set, &scratch);
    sensitivities(prior, e.x, e.kernels, count, e.of);
    keep_points(&e, set->calibrated);
    calibrated_close(set->calibrated, arena);
    weigh_points(&e, set->calibrated);
    arena_free(&scratch);
    return e.likely;
}
