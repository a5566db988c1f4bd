/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what is carried to a device and a few rows measured on it to what is then known of it (Bayes): a Gaussian over the
 * coefficients (on their scale, fit within a spread and along the lines that lead to other measured devices), over one
 * factor on all times, and over what no coefficient explains, which kernels of like sizes share. It is as wide as the
 * interval that the carried estimate has. One row moves all a little; far from the rows the prior stays.
 *
 * How much rows scatter is expected to be the misfit of the form, and how far coefficients may be off what the carried
 * estimate says; rows that are likelier under other scales move both, each scale weighing by how likely it makes them. So a
 * few rows that happen to agree do not make the form better than it is where thousands were fitted.
 */
#ifndef MODEL_POSTERIOR_H
#define MODEL_POSTERIOR_H

#include "model/estimate/coefficients.h"

/* What was measured: a kernel and its microseconds. */
struct seen {
    const struct kernel *kernel;
    double us;
};

/* What is believed of a group on a device before its rows. */
struct prior {
    const struct family *family;
    const struct group_model *group;
    const struct hardware *hardware;
    const struct coefficient_set *centre; /* what is carried; with its residual where that is carried, too */
    double shared, own;                   /* of the estimates there, ln */
    double misfit, misfit_differs;        /* of the form, and how misfits differ (misfit.h) */
};

/*
 * How kernels of one group vary together before rows are seen: by coefficients, half of what is a kernel's own, and by
 * how near they are, the other half. Filled for count kernels, count x count, ln; what is shared is in it.
 */
void prior_covariance(const struct prior *prior, const struct kernel *const *kernels, uint32_t count,
                      double *covariance);

/*
 * The set that the rows leave, for the device alone: at most CALIBRATED_POINTS rows. `like` are kernels that it will be
 * asked for, by which it is judged what of the doubt matters; they may be the rows. What it says of itself is in
 * ->calibrated; ->error is the mean of rows left out one by one. The logarithm of how likely the rows are comes back.
 */
double posterior_of(const struct prior *prior, const struct seen *rows, uint32_t count,
                    const struct kernel *const *like, uint32_t like_count, struct arena *arena,
                    struct coefficient_set *set);

#endif
