/* SPDX-License-Identifier: Apache-2.0 */
/* A group while it is fitted: for the files that fit it. */
#ifndef MODEL_FIT_WORK_H
#define MODEL_FIT_WORK_H

#include "model/coefficients.h"
#include "model/fit_coefficients.h"

/* The rows of a group by device, and what was fitted so far. */
struct work {
    const struct family *family;
    const struct hardware *devices;
    struct arena *arena;
    uint32_t device[MOST_DEVICES]; /* of each part */
    struct rows parts[MOST_DEVICES];
    uint32_t part_count;
    struct coefficient_set *own; /* of each part */
};

/* The rows of a group, a part a device. */
struct work work_of(const struct family *family, str group, const struct measurements *measurements,
                    struct arena *arena);

/* Mean absolute relative error of the rows. */
double mean_error(const struct work *work, const struct coefficient_set *set, bool residual, struct rows rows);

/* Takes out the devices of which something else was measured, and says so in the group's note (fit_healthy.c). */
void keep_healthy(struct work *work, struct group_model *group);

#endif
