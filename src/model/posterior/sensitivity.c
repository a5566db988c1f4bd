/* SPDX-License-Identifier: Apache-2.0 */
#include "sensitivity.h"

#include <math.h>

#include "model/estimate/models.h"
#include "model/families/scale.h"

/* Steps of the differences: of a logarithm; of what is none, as a share of its range. Wide, for forms have kinks. */
static const double step_of_scale = 0.02;

static double step_of(const struct parameter *parameter)
{
    const double range = parameter->low > 0 ? 1 : fmax(0.01, parameter->high - parameter->low);
    return step_of_scale * range;
}

static double ln_analytic(const struct prior *prior, const double *x, const struct kernel *kernel)
{
    double value[FAMILY_PARAMETERS];
    family_decode(prior->family, x, value);
    return log(prior->family->us(kernel, prior->hardware, value));
}

static void sensitivity_at(const struct prior *prior, const double *x, const struct kernel *kernel,
                           struct sensitivity *out)
{
    const struct family *family = prior->family;
    struct coefficient_set set = *prior->centre;
    double moved[FAMILY_PARAMETERS];
    family_decode(family, x, set.value);
    set.calibrated = NULL;
    *out = (struct sensitivity){.ln_us = log(set_us(family, &set, prior->hardware, kernel, set.residual != NULL))};
    memcpy(moved, x, family->parameter_count * sizeof *moved);
    for (uint32_t i = 0; i < family->parameter_count; i++) {
        const struct parameter *parameter = &family->parameters[i];
        if (parameter->low == parameter->high || parameter->spread <= 0)
            continue;
        const double step = step_of(parameter);
        moved[i] = x[i] + step;
        const double above = ln_analytic(prior, moved, kernel);
        moved[i] = x[i] - step;
        out->by[i] = (above - ln_analytic(prior, moved, kernel)) / (2 * step);
        moved[i] = x[i];
    }
    out->by[family->parameter_count] = 1;
}

void sensitivities(const struct prior *prior, const double *x, const struct kernel *const *kernels, uint32_t count,
                   struct sensitivity *out)
{
    for (uint32_t i = 0; i < count; i++)
        sensitivity_at(prior, x, kernels[i], &out[i]);
}

double sensitivity_product(const struct sensitivity *a, double covariance[OPEN][OPEN], const struct sensitivity *b,
                           uint32_t open)
{
    double sum = 0;
    for (uint32_t p = 0; p < open; p++) {
        double row = 0;
        for (uint32_t q = 0; q < open && a->by[p] != 0; q++)
            row += covariance[p][q] * b->by[q];
        sum += a->by[p] * row;
    }
    return sum;
}

/* ---- what may be off ---- */

/* Of the squares of what tells measured devices apart: so much is taken for what may tell another one from them. */
static const double share_of_devices = 0.3;

/* What another device may differ by, and what the rows of the measured one left open; of all together it is one figure. */
static double variance_of(const struct coefficient_set *set, uint32_t parameter, double spread)
{
    const double width = set->width[parameter];
    const bool together = !set->hardware.name.len && width > 0;
    return spread > 0 ? width * width + (together ? 0 : spread * spread) : 0;
}

static void add_line(const struct family *family, const double *from, const double *to, double share,
                     double covariance[OPEN][OPEN])
{
    double line[FAMILY_PARAMETERS];
    for (uint32_t i = 0; i < family->parameter_count; i++)
        line[i] = family->parameters[i].spread > 0 ? to[i] - from[i] : 0;
    for (uint32_t p = 0; p < family->parameter_count; p++)
        for (uint32_t q = 0; q < family->parameter_count; q++)
            covariance[p][q] += share * line[p] * line[q];
}

void prior_of_coefficients(const struct prior *prior, double covariance[OPEN][OPEN])
{
    const struct family *family = prior->family;
    const struct group_model *group = prior->group;
    double from[FAMILY_PARAMETERS], to[FAMILY_PARAMETERS];
    memset(covariance, 0, sizeof(double[OPEN][OPEN]));
    family_encode(family, prior->centre->value, from);
    for (uint32_t i = 0; i < family->parameter_count; i++)
        covariance[i][i] = variance_of(prior->centre, i, family->parameters[i].spread);
    for (uint32_t i = 0; group && i < group->set_count; i++) {
        family_encode(family, group->sets[i].value, to);
        add_line(family, from, to, share_of_devices / group->set_count, covariance);
    }
}
