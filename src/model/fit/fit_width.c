/* SPDX-License-Identifier: Apache-2.0 */
#include "fit_width.h"

#include <math.h>

#include "model/families/scale.h"

static const double alike = 16;         /* rows beside each other that tell as much as one */
static const double least_error = 0.02; /* of a form, ln: no row tells more than that */
static const double prior_devices = 5;  /* that the spread of a parameter counts as */

/* ---- what rows tell ---- */

/* What is known with and without the rows: 1 / variance. A coefficient that is never moved is known. */
static void add_prior(const struct family *family, double *matrix)
{
    const uint32_t n = family->parameter_count;
    for (uint32_t i = 0; i < n; i++) {
        const double spread = family->parameters[i].spread;
        matrix[i * n + i] += spread > 0 ? 1 / (spread * spread) : 1e12;
    }
}

/* Lower triangle of Cholesky, in place. */
static void decompose(double *matrix, uint32_t n)
{
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q <= p; q++) {
            double sum = matrix[p * n + q];
            for (uint32_t k = 0; k < q; k++)
                sum -= matrix[p * n + k] * matrix[q * n + k];
            matrix[p * n + q] = p == q ? sqrt(fmax(sum, 1e-12)) : sum / matrix[q * n + q];
        }
}

/* The diagonal of the inverse of what was decomposed: the squared length of a column of the inverse triangle. */
static double variance(const double *lower, uint32_t n, uint32_t of)
{
    double column[FAMILY_PARAMETERS] = {0}, sum = 0;
    for (uint32_t p = of; p < n; p++) {
        column[p] = p == of;
        for (uint32_t k = of; k < p; k++)
            column[p] -= lower[p * n + k] * column[k];
        column[p] /= lower[p * n + p];
        sum += column[p] * column[p];
    }
    return sum;
}

void width_of_rows(const struct fitting *fitting, struct coefficient_set *set)
{
    const struct family *family = fitting->family;
    const uint32_t n = family->parameter_count;
    double matrix[FAMILY_PARAMETERS * FAMILY_PARAMETERS];
    const double square = fmax(fit_curvature(fitting, set->value, matrix), least_error * least_error);
    for (uint32_t i = 0; i < n * n; i++)
        matrix[i] /= square * alike;
    add_prior(family, matrix);
    decompose(matrix, n);
    for (uint32_t i = 0; i < n; i++)
        set->width[i] = family->parameters[i].spread > 0 ? sqrt(variance(matrix, n, i)) : 0;
}

/* ---- what devices differ by ---- */

/* How much of what is not known of a coefficient its device's rows tell, 0 to 1. */
static double told(const struct coefficient_set *set, uint32_t parameter, double spread)
{
    const double open = set->width[parameter] / spread;
    return fmax(0, 1 - open * open);
}

void width_of_sets(const struct family *family, const struct coefficient_set *const *sets, uint32_t count,
                   struct coefficient_set *together)
{
    for (uint32_t i = 0; i < family->parameter_count; i++) {
        const struct parameter *parameter = &family->parameters[i];
        const double spread = parameter->spread, middle = parameter_encoded(parameter, together->value[i]);
        double squares = prior_devices * spread * spread, devices = prior_devices;
        for (uint32_t d = 0; spread > 0 && d < count; d++) {
            const double off = parameter_encoded(parameter, sets[d]->value[i]) - middle;
            squares += told(sets[d], i, spread) * off * off;
            devices += told(sets[d], i, spread);
        }
        together->width[i] = sqrt(squares / devices);
    }
}
