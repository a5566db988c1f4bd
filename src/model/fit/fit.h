/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fitting a family: for each of its groups the coefficients of every measured
 * device and of all devices together, and what is best carried to a device that
 * was never measured. Candidates are compared by cross-validation; the best one
 * is used, and all stand in the result with their errors:
 *
 *     pooled          a whole device left out of the fit; the others together predict it
 *     nearest         a whole device left out; the one most like it predicts it
 *     nearest_generation  a whole device left out; the mean of what those of the nearest generation say, held to what is usual
 *     pooled+trees    pooled, with a residual learned on the other devices
 *     vendor          a whole device left out; the others of its vendor together predict it, each with its own host's
 *                     launch figures, of which the middle is taken (where a family has such figures)
 *     vendor+launch   the same with the launch figures of the device's smallest rows: told, never chosen
 *     generations     a whole generation left out; the mean of what the others' forms say predicts it (fit_generations.c)
 *     sibling         a whole device left out; the one most like it of its generation predicts it
 *     sibling+trees   the same with the residual of that one
 *     own             a measured device, some of its own rows left out
 *     own+trees       the same with a residual learned on its other rows
 *
 * Errors are mean absolute relative errors, over the rows of a device, then over
 * the devices. Deterministic.
 */
#ifndef MODEL_FIT_H
#define MODEL_FIT_H

#include "model/estimate/coefficients.h"
#include "model/tables/measurements.h"
#include "model/estimate/models.h"

/* Told of each part of the work that begins: "gemm, bmm". May be NULL. */
typedef void (*fit_progress)(const char *family, str group);

/* A family whose kernels are not in the rows has no groups; nor has it one whose devices all have fewer rows than coefficients. */
void fit_family(const struct family *family, const struct measurements *measurements, fit_progress progress,
                struct arena *arena, struct family_model *model);

/*
 * A few rows of a device that was not measured: its coefficients, near those that would be carried to it. Adds a set for
 * the device (or takes its place) in every group that the rows belong to; the count of such groups. Families of which there
 * are no rows stay as they are (models_own).
 */
uint32_t fit_adapt(struct models *models, const struct measurements *measurements, struct arena *arena);

#endif
