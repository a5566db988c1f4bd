/* SPDX-License-Identifier: Apache-2.0 */
/* The coefficients of one group from measured rows, by robust least squares. */
#ifndef MODEL_FIT_COEFFICIENTS_H
#define MODEL_FIT_COEFFICIENTS_H

#include "model/families/family.h"
#include "model/tables/measurements.h"

/* Rows of one group, of one or several devices. */
struct rows {
    const struct measurement **at;
    uint32_t count;
};

struct fitting {
    const struct family *family;
    const struct hardware *devices; /* of the measurements */
    struct rows rows;
    const double *expected; /* coefficients that it stays near, each within its parameter's spread; NULL: free */

    /*
     * By device of the measurements: coefficients whose host figures stand for the rows of that device; the others are
     * fitted, and rows that took longer than predicted weigh no less than those that took shorter. NULL: all are fitted.
     */
    const double *const *hosts;
    bool held;      /* to what is usual, as the family says: what is carried to other devices */
    bool relative;  /* residuals are relative errors, not logarithms; set inside */
    uint32_t steps; /* at most */
};

/* The mean of rho that is left, of relative errors and of how far from what is expected. */
double fit_coefficients(const struct fitting *fitting, double *coefficients);

/*
 * What the rows tell of each coefficient and each two at these, on the scale of the search: the matrix (parameters x
 * parameters, by rows) of the sums of products of their derivatives. The mean square of what the rows leave over.
 */
double fit_curvature(const struct fitting *fitting, const double *coefficients, double *matrix);

/* At most `most` of them, evenly spread, so that a table sorted by size is covered. */
struct rows rows_thinned(struct rows rows, uint32_t most, struct arena *arena);

#endif
