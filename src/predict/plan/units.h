/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of a program that launch, each with the kernels it launches by
 * its arguments (ops/operators/operators.h). Every launch belongs to one of them: where an
 * operator is known only by the calls inside it, those are the units; where
 * nothing inside is known, the operator itself is.
 */
#ifndef PREDICT_UNITS_H
#define PREDICT_UNITS_H

#include "program/program.h"
#include "ops/operators/operators.h"

struct unit {
    uint32_t op;
    struct lowering lowering;
};

struct units {
    const struct program *of;
    const struct unit *at; /* ascending by op */
    uint32_t count;
};

/* In the arena. */
struct units units_of(const struct program *program, struct arena *arena);

/* The same where they may be known already: these, where they are of this very program. */
const struct units *units_known(const struct units *known, const struct program *program, struct arena *arena);

#endif
