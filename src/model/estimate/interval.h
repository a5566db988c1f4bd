/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the doubt of an estimate to an interval, and the doubt of a sum of kernels. Logarithms of true / predicted go with
 * Student's distribution of four degrees of freedom, whose tails are as heavy as those of the residuals.
 * doc/numbers/prediction.md has the formulas.
 */
#ifndef MODEL_INTERVAL_H
#define MODEL_INTERVAL_H

#include "model.h"

/* Below and above: so wide is an interval of that level where the standard deviation of the logarithm is sd. */
double interval_half_width(double sd, double level);

/* What lies within that half-width of both ends: a half-width of that level over the standard deviation, turned round. */
double interval_sd(double half_width, double level);

/* The times between which the true one lies, at that level: 0.9. */
void estimate_interval(const struct estimate *estimate, double level, double *low_us, double *high_us);

/* Both parts together. */
double estimate_sd(const struct estimate *estimate);

/* How wide an estimate is that no measurement stands behind; where from, says interval.c. */
void estimate_prior(struct estimate *estimate);

/* Nine of ten of what was never fitted lie within this factor. */
extern const double prior_factor;

/* The same with this half-width (ln) of nine of ten. */
void estimate_prior_within(struct estimate *estimate, double half_width);

/* A ratio of two estimates: that of `over` stands below the line. The time of `estimate` stays. */
void estimate_over(struct estimate *estimate, const struct estimate *over);

/* ---- sums ---- */

/* Whoever adds families beyond these must raise it; the last is for kernels that no family takes. */
enum { ESTIMATE_FAMILIES = 32, ESTIMATE_NO_FAMILY = ESTIMATE_FAMILIES - 1, ESTIMATE_SHAPES = 128 };

/*
 * Kernels that are run one after the other. Zeroed to begin with. What is shared adds up within a family; between
 * families it goes together by a correlation. What is a kernel's own adds up over kernels of the same time, which are the
 * same shape, and else as if independent: shapes are put into some bins, and those of one bin err together.
 */
struct estimate_sum {
    double us;
    double shared_us[ESTIMATE_FAMILIES];
    double own_us[ESTIMATE_SHAPES];
    double whole; /* standard deviation of the sum beside what its kernels may be off, as a whole */
};

/*
 * What a step of training may take beside the sum of its kernels, each measured by itself: gradients that are added up, memory that
 * is asked for, caches. Tables of three GPUs, 17 steps, have both: how far is in doc/models.md, "How intervals hold".
 */
extern const double training_doubt;

/* Adds a kernel that takes `us` in all: its estimate, as often as it runs. */
void estimate_sum_add(struct estimate_sum *sum, const struct estimate *estimate, double us);

/* Adds one sum to another. */
void estimate_sum_join(struct estimate_sum *sum, const struct estimate_sum *more);

/* The times between which the true sum lies, at that level. */
void estimate_sum_interval(const struct estimate_sum *sum, double level, double *low_us, double *high_us);

/* The standard deviation of ln(true / sum), the two parts; 0 of nothing. */
void estimate_sum_sd(const struct estimate_sum *sum, double *shared, double *own);

#endif
