/* SPDX-License-Identifier: Apache-2.0 */
#include "least_squares.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { MOST = LEAST_SQUARES_PARAMETERS };

/* The normal equations at a point, weighted so that squares stand for rho. */
struct normal {
    double matrix[MOST][MOST], vector[MOST];
};

struct search {
    const struct least_squares *problem;
    double *at, *moved;   /* residuals at x, and of a trial */
    double **derivatives; /* a row for each parameter */
};

static double mean_rho(const struct least_squares *problem, const double *residuals)
{
    const double c = problem->knee;
    double sum = 0;
    for (uint32_t i = 0; i < problem->rows; i++)
        sum += 2 * c * c * (sqrt(1 + residuals[i] * residuals[i] / (c * c)) - 1);
    return problem->rows ? sum / problem->rows : 0;
}

/* Differences, taken inwards where a bound is near. */
static void differentiate(const struct search *search, const double *x)
{
    const struct least_squares *problem = search->problem;
    double trial[MOST];
    for (uint32_t p = 0; p < problem->parameters; p++) {
        double step = 1e-4 * fmax(1, fabs(x[p]));
        if (x[p] + step > problem->high[p])
            step = -step;
        memcpy(trial, x, problem->parameters * sizeof *trial);
        trial[p] += step;
        problem->residuals(problem->context, trial, search->moved);
        for (uint32_t i = 0; i < problem->rows; i++)
            search->derivatives[p][i] = (search->moved[i] - search->at[i]) / step;
    }
}

static void normal_equations(const struct search *search, struct normal *normal)
{
    const struct least_squares *problem = search->problem;
    memset(normal, 0, sizeof *normal);
    for (uint32_t i = 0; i < problem->rows; i++) {
        const double r = search->at[i], weight = 1 / sqrt(1 + r * r / (problem->knee * problem->knee));
        for (uint32_t p = 0; p < problem->parameters; p++) {
            const double d = search->derivatives[p][i] * weight;
            normal->vector[p] -= d * r;
            for (uint32_t q = 0; q <= p; q++)
                normal->matrix[p][q] += d * search->derivatives[q][i];
        }
    }
}

/* Solves (matrix + damping * its diagonal) step = vector by Cholesky's way. */
static void solve(const struct normal *normal, uint32_t n, double damping, double *step)
{
    double lower[MOST][MOST];
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q <= p; q++) {
            double sum = normal->matrix[p][q];
            if (p == q)
                sum += damping * normal->matrix[p][p] + 1e-9;
            for (uint32_t k = 0; k < q; k++)
                sum -= lower[p][k] * lower[q][k];
            lower[p][q] = p == q ? sqrt(fmax(sum, 1e-12)) : sum / lower[q][q];
        }
    for (uint32_t p = 0; p < n; p++) {
        step[p] = normal->vector[p];
        for (uint32_t k = 0; k < p; k++)
            step[p] -= lower[p][k] * step[k];
        step[p] /= lower[p][p];
    }
    for (uint32_t p = n; p-- > 0;) {
        for (uint32_t k = p + 1; k < n; k++)
            step[p] -= lower[k][p] * step[k];
        step[p] /= lower[p][p];
    }
}

static void move(const struct least_squares *problem, const double *x, const double *step, double *trial)
{
    for (uint32_t p = 0; p < problem->parameters; p++)
        trial[p] = fmin(problem->high[p], fmax(problem->low[p], x[p] + step[p]));
}

/* One step that makes it less, with more and more damping; the share that was gained, 0 where none helps. */
static double improve(const struct search *search, double *x, double *rho, double *damping)
{
    const struct least_squares *problem = search->problem;
    struct normal normal;
    double step[MOST], trial[MOST];
    differentiate(search, x);
    normal_equations(search, &normal);
    for (int tries = 0; tries < 12; tries++) {
        solve(&normal, problem->parameters, *damping, step);
        move(problem, x, step, trial);
        problem->residuals(problem->context, trial, search->moved);
        const double now = mean_rho(problem, search->moved);
        if (now < *rho) {
            const double gained = (*rho - now) / *rho;
            memcpy(x, trial, problem->parameters * sizeof *x);
            memcpy(search->at, search->moved, problem->rows * sizeof *search->at);
            *rho = now;
            *damping = fmax(*damping / 5, 1e-7);
            return gained;
        }
        *damping *= 4;
    }
    return 0;
}

static struct search search_from(const struct least_squares *problem, const double *x, struct arena *arena)
{
    struct search search = {
        .problem = problem,
        .at = arena_array(arena, problem->rows, sizeof(double)),
        .moved = arena_array(arena, problem->rows, sizeof(double)),
        .derivatives = arena_array(arena, problem->parameters, sizeof(double *)),
    };
    for (uint32_t p = 0; p < problem->parameters; p++)
        search.derivatives[p] = arena_array(arena, problem->rows, sizeof(double));
    problem->residuals(problem->context, x, search.at);
    return search;
}

double least_squares(const struct least_squares *problem, double *x)
{
    struct arena scratch = {0};
    const struct search search = search_from(problem, x, &scratch);
    double rho = mean_rho(problem, search.at), damping = 1e-2;
    for (uint32_t i = 0; i < problem->steps && rho > 0; i++)
        if (improve(&search, x, &rho, &damping) < 1e-5)
            break;
    arena_free(&scratch);
    return rho;
}

double least_squares_curvature(const struct least_squares *problem, const double *x, double *matrix)
{
    struct arena scratch = {0};
    const uint32_t n = problem->parameters;
    const struct search search = search_from(problem, x, &scratch);
    struct normal normal;
    double sum = 0;
    differentiate(&search, x);
    normal_equations(&search, &normal);
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++)
            matrix[p * n + q] = p >= q ? normal.matrix[p][q] : normal.matrix[q][p];
    for (uint32_t i = 0; i < problem->rows; i++) {
        const double r = search.at[i];
        sum += r * r / sqrt(1 + r * r / (problem->knee * problem->knee));
    }
    arena_free(&scratch);
    return problem->rows ? sum / problem->rows : 0;
}
