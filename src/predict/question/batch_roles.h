/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensors of a program are parameters, and which dimensions of the others are the batch's; see predict/question/batch.h. */
#ifndef PREDICT_BATCH_ROLES_H
#define PREDICT_BATCH_ROLES_H

#include "program/program.h"
#include "ops/words/shape.h"

/* Shapes of parameters, either way round where they have two dimensions. */
struct parameters;
struct parameters *parameters_of(const struct program *program);
void parameters_free(struct parameters *parameters);

/* A tensor among the arguments. */
struct operand {
    uint32_t argument, tensor;
};

/* The dimensions that the batch scales in the operator of that index, a bit each. */
uint32_t batch_dimensions(const struct parameters *parameters, uint32_t op, const struct shape *shape,
                          struct operand operand, int64_t batch);

#endif
