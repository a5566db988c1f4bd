/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients as a search sees them: the logarithms of those that are above 0, the others as they are. */
#ifndef MODEL_SCALE_H
#define MODEL_SCALE_H

#include <math.h>

#include "family.h"

static inline double parameter_encoded(const struct parameter *parameter, double value)
{
    return parameter->low > 0 ? log(value) : value;
}

/* Back, within the bounds of the parameter. */
static inline double parameter_decoded(const struct parameter *parameter, double value)
{
    const double plain = parameter->low > 0 ? exp(value) : value;
    return fmin(parameter->high, fmax(parameter->low, plain));
}

static inline void family_encode(const struct family *family, const double *coefficients, double *x)
{
    for (uint32_t i = 0; i < family->parameter_count; i++)
        x[i] = parameter_encoded(&family->parameters[i], coefficients[i]);
}

static inline void family_decode(const struct family *family, const double *x, double *coefficients)
{
    for (uint32_t i = 0; i < family->parameter_count; i++)
        coefficients[i] = parameter_decoded(&family->parameters[i], x[i]);
}

#endif
