/* SPDX-License-Identifier: Apache-2.0 */
/* What measured rows changed: how far off and how sure the models were of kernels like them before, and are with them. */
#ifndef MODEL_FIT_GAIN_H
#define MODEL_FIT_GAIN_H

#include "model/estimate/model.h"
#include "model/tables/measurements.h"

struct row_gain {
    str group; /* kernels that share coefficients */
    uint32_t rows;
    double error_before; /* mean absolute, on these rows */
    double error_after;  /* the same of the set on rows that it does not know: each left out in turn */
    double width_before,
        width_after; /* half-width of the interval of nine of ten, of kernels like these in other sizes */
};

/* A gain by group of the device's rows, in the arena. */
const struct row_gain *row_gains_of(const struct measurements *all, uint32_t device, const struct models *before,
                                    const struct models *after, struct arena *arena, uint32_t *count);

#endif
