/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a few measured rows of a device say besides moving its coefficients: what these leave over near each row, and how
 * sure the coefficients then are. A Gaussian process: kernels are correlated by how near their sizes are (as logarithms)
 * and by whether they are of one kind; far from all rows nothing is corrected, and the doubt is as wide as before.
 *
 * As text, in a set that begins with `calibrated DEVICE`:
 *
 *     made 2026-11-23 by steptime 0.1.0      when, and by what
 *     near 2 0.12 0.05                       reach, amplitude and noise: of ln sizes, of ln time, of a single row
 *     point 0.31 4f19c2b8 0 5.5 6.9 6.9 3.1  a row: its weight, its kind, ln of its sizes and of its predicted time
 *     direction 0.02 -0.1 ... 0.05           one standard deviation of coefficients together and of ln of all times
 */
#ifndef MODEL_CALIBRATED_H
#define MODEL_CALIBRATED_H

#include "base/arena.h"
#include "model/families/family.h"

enum { CALIBRATED_POINTS = 96, CALIBRATED_DIRECTIONS = 4, SPOT_SIZES = FORM_SIZES_MOST + 1 };

/* Where a kernel is among others. */
struct spot {
    uint32_t kind; /* of form, type, direction, format, library: the same in every run */
    uint32_t count;
    double at[SPOT_SIZES]; /* ln of the sizes, then of the time that coefficients give it */
};

struct spot spot_of(const struct kernel *kernel, double us);

/* From 0 to 1, by a distance of one `reach` 0.6; between kinds less. */
double spot_correlation(const struct spot *a, const struct spot *b, double reach);

struct calibrated {
    str made;
    double reach, amplitude, noise;
    struct spot *points; /* room for CALIBRATED_POINTS */
    double *weights;
    double *lower; /* of the points' covariance, the triangle of Cholesky, by rows; calibrated_close fills it */
    uint32_t point_count;
    double directions[CALIBRATED_DIRECTIONS]
                     [FAMILY_PARAMETERS + 1]; /* by parameter, on its scale; then ln of all times */
    uint32_t direction_count;
};

struct calibrated *calibrated_new(struct arena *arena);

/* What follows the words near, point and direction. False with *problem in words; nothing is added then. */
bool calibrated_read_near(struct calibrated *calibrated, str value, const char **problem);
bool calibrated_read_point(struct calibrated *calibrated, str value, const char **problem);
bool calibrated_read_direction(struct calibrated *calibrated, const struct family *family, str value,
                               const char **problem);

struct writer;
void calibrated_write(const struct calibrated *calibrated, const struct family *family, struct writer *out);

/* Once all points are there. */
void calibrated_close(struct calibrated *calibrated, struct arena *arena);

/* ln of what a kernel at that place takes more than its coefficients say. */
double calibrated_log(const struct calibrated *calibrated, const struct spot *spot);

/* The standard deviation of what remains unknown there beside the coefficients; with the noise of a row. */
double calibrated_own(const struct calibrated *calibrated, const struct spot *spot);

/* The triangle of Cholesky of a symmetric matrix of n x n, by rows, in spot; what is not positive is made so. */
void triangle_of(double *matrix, uint32_t n);

/* Solves (lower x its transpose) x = b, in spot. */
void triangle_solve(const double *lower, uint32_t n, double *b);

/* Solves lower x = b alone. */
void triangle_forward(const double *lower, uint32_t n, double *b);

#endif
