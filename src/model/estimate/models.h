/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of struct models, for who fits and shows them. Others use model.h. */
#ifndef MODEL_MODELS_H
#define MODEL_MODELS_H

#include "coefficients.h"
#include "model.h"

struct models {
    const struct catalogue *catalogue;
    struct family_model **own; /* in the order of family_rows; NULL: as it is built in */
};

/* Writable, with nothing of its own; in the arena. */
struct models *models_writable(struct arena *arena);

/* Of that family, as it is in use; read now where it is built in and was not asked for before. */
const struct family_model *models_family(const struct models *models, const struct family *family);

/* Those of the models' own; NULL where it is as it is built in. */
struct family_model *models_own(const struct models *models, const struct family *family);

/* The same to be changed: where there are none, a copy of what is built in, in the arena. */
struct family_model *models_make_own(struct models *models, const struct family *family, struct arena *arena);

/*
 * Adds the calibrated sets of a file that holds nothing else of worth (`steptime calibrate` writes such), in the place of
 * those of the same device. False with STEPTIME_INPUT: then nothing was added.
 */
bool models_add_calibrated(struct models *models, str path, struct arena *arena, struct steptime_error *err);

/* The group of that name; where there is none yet, one without sets. */
struct group_model *models_group(struct family_model *model, str name, struct arena *arena);

/* Copies of all that are the models' own, so that the copies can be changed. */
struct family_model **models_own_copied(const struct models *models, struct arena *arena);

/* The coefficients that a family has where none were fitted. */
struct coefficient_set starting_set(const struct family *family);

/* The time by these coefficients, with their residual or without. Figures that the family needs must be there. */
double set_us(const struct family *family, const struct coefficient_set *set, const struct hardware *hardware,
              const struct kernel *kernel, bool residual);

/* The same without what the measured rows of a calibrated set say near them. */
double set_uncorrected_us(const struct family *family, const struct coefficient_set *set,
                          const struct hardware *hardware, const struct kernel *kernel, bool residual);

/* What was learned of one kernel by one set, by the library that it may be of: found once, asked several times. */
struct learned {
    uint32_t known; /* by library, as bits */
    double of[LIBRARIES];
    double formula_us; /* by the coefficients alone; 0: they were not asked */
};

/* set_us; what is learned of the kernel, whatever its library, is kept. */
double set_us_keeping(const struct family *family, const struct coefficient_set *set, const struct hardware *hardware,
                      const struct kernel *kernel, bool residual, struct learned *learned);

#endif
