/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far off an estimate may be that fitted coefficients gave: by its own residuals where the device was measured; where
 * they were carried by what measured devices would say otherwise (ensemble.h) or, where generations are told apart, by what
 * those left out of the fit were off, widened by how unlike the two are; and by libraries where nobody says which it is.
 * doc/numbers/prediction.md has the formulas; constants that were set after results were seen say so.
 */
#ifndef MODEL_DOUBT_H
#define MODEL_DOUBT_H

#include "coefficients.h"
#include "model.h"

struct learned;

/* Whose coefficients answer. */
struct answer {
    const struct family *family;
    const struct group_model *group;
    const struct coefficient_set *set;
    const struct kin *kin;   /* of the device to that of the set */
    struct learned *learned; /* of the kernel by the set (models.h) */
};

/* Fills basis, from, model, error, shared and own; `us` and `launch_us` must stand. */
void doubt_of_set(const struct answer *answer, const struct hardware *hardware, const struct kernel *kernel,
                  struct estimate *estimate);

#endif
